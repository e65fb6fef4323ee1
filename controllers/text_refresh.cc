#include "controllers/text_refresh.h"

#include <utility>

namespace muster::controllers {
namespace {

constexpr std::int64_t kDelayMs = 5'000;
// 100 in 5 s, in portions: an explanation may walk all nodes, and the loop has other work.
constexpr std::size_t kPortion = 10;
constexpr std::int64_t kPortionMs = 500;

}  // namespace

TextRefresh::~TextRefresh() {
  if (timer_.has_value()) loop_.Cancel(*timer_);
}

void TextRefresh::Changed() {
  changed_ = true;
  if (!timer_.has_value() && !waiting_.empty()) Arm(kDelayMs);
}

void TextRefresh::SetWaiting(const scheduler::Key& gang, bool waits) {
  if (waits) {
    waiting_.insert(gang);
  } else {
    waiting_.erase(gang);
  }
}

void TextRefresh::Arm(std::int64_t delay_ms) {
  timer_ = loop_.After(delay_ms, [this] {
    timer_.reset();
    Turn();
  });
}

// Rounds by key order. Gangs that join or leave meanwhile make a round a little longer or shorter
// than the backlog, never endless.
void TextRefresh::Turn() {
  if (left_ == 0) {
    left_ = waiting_.size();
    changed_ = false;
  }
  for (std::size_t i = 0; i < kPortion && left_ > 0 && !waiting_.empty(); ++i, --left_) {
    last_ = Next();
    read_(last_);
  }
  if (waiting_.empty()) {
    left_ = 0;
  } else if (left_ > 0) {
    Arm(kPortionMs);
  } else if (changed_) {
    Arm(kDelayMs);
  }
}

scheduler::Key TextRefresh::Next() const {
  const auto behind = waiting_.upper_bound(last_);
  return behind == waiting_.end() ? *waiting_.begin() : *behind;
}

}  // namespace muster::controllers
