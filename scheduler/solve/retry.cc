#include "scheduler/solve/retry.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "scheduler/base/check.h"

namespace muster::scheduler {
namespace {

constexpr std::int64_t kFirstBackoffMs = 1000;

// Texts may hold any byte: length first, as in netstrings.
void PutText(std::string& out, std::string_view text) {
  out += std::to_string(text.size()) + ":" + std::string(text) + " ";
}
void PutNumber(std::string& out, std::int64_t value) {
  out += std::to_string(value) + " ";
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] bool ok() const { return ok_; }

  std::int64_t Number(char end = ' ') {
    std::int64_t value = 0;
    const char* last = rest_.data() + rest_.size();
    const auto [next, error] = std::from_chars(rest_.data(), last, value);
    ok_ = ok_ && error == std::errc{} && next != last && *next == end;
    if (ok_) rest_.remove_prefix(static_cast<std::size_t>(next - rest_.data()) + 1);
    return value;
  }
  std::string Text() {
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(0, Number(':')));
    ok_ = ok_ && size < rest_.size();
    if (!ok_) return {};
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size + 1);
    return text;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

const Retry& RetryTable::Get(const Key& key, const Uid& uid) const {
  static const Retry none;
  const auto it = rows_.find(key);
  return it != rows_.end() && it->second.uid == uid ? it->second : none;
}

Retry& RetryTable::Edit(const Key& key, const Uid& uid) {
  Retry& row = rows_[key];
  if (row.uid != uid) row = Retry{.uid = uid};
  return row;
}

void RetryTable::Forget(const Key& key) {
  rows_.erase(key);
  const auto it = wake_.find(key);
  if (it == wake_.end()) return;
  due_.erase({it->second, key});
  wake_.erase(it);
}

void RetryTable::KeepIf(const std::function<bool(const Key& key)>& keep) {
  std::vector<Key> gone;
  for (const auto& [key, row] : rows_) {
    if (!keep(key)) gone.push_back(key);
  }
  for (const Key& key : gone) Forget(key);
}

void RetryTable::Back(const Key& key, const Uid& uid, Now now, std::int64_t max_ms) {
  Retry& row = Edit(key, uid);
  std::int64_t wait = kFirstBackoffMs;
  for (std::int32_t i = 0; i < row.failures && wait < max_ms; ++i) wait *= 2;
  ++row.failures;
  row.queue_time = now.wall;
  row.not_before = Ticks{now.mono.ms + std::min(wait, max_ms)};
  Schedule(key, row.not_before);
}

void RetryTable::Schedule(const Key& key, Ticks at) {
  const auto [it, is_new] = wake_.try_emplace(key, at);
  if (!is_new) {
    due_.erase({it->second, key});
    it->second = std::min(it->second, at);
  }
  due_.insert({it->second, key});
}

std::set<Key> RetryTable::TakeDue(Ticks now) {
  std::set<Key> keys;
  while (!due_.empty() && due_.begin()->first <= now) {
    keys.insert(due_.begin()->second);
    wake_.erase(due_.begin()->second);
    due_.erase(due_.begin());
  }
  return keys;
}

std::optional<Ticks> RetryTable::next_due() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

std::string RetryTable::ToText() const {
  std::string out;
  for (const auto& [key, row] : rows_) {
    PutText(out, key.ns);
    PutText(out, key.name);
    PutNumber(out, key.single_pod ? 1 : 0);
    PutText(out, row.uid);
    PutNumber(out, row.queue_time ? row.queue_time->ms : -1);
    PutNumber(out, row.not_before.ms);
    PutNumber(out, row.failures);
    PutNumber(out, row.ran ? 1 : 0);
    PutNumber(out, row.half_since ? row.half_since->ms : -1);
    PutText(out, row.failed_text);
    const auto wake = wake_.find(key);
    PutNumber(out, wake == wake_.end() ? -1 : wake->second.ms);
  }
  return out;
}

Result<RetryTable> RetryTable::FromText(std::string_view text) {
  RetryTable table;
  Reader in(text);
  while (in.ok() && !in.done()) {
    Key key{.ns = in.Text(), .name = in.Text()};
    key.single_pod = in.Number() != 0;
    Retry row;
    row.uid = in.Text();
    if (const std::int64_t ms = in.Number(); ms >= 0) row.queue_time = Wall{ms};
    row.not_before = Ticks{in.Number()};
    row.failures = static_cast<std::int32_t>(in.Number());
    row.ran = in.Number() != 0;
    if (const std::int64_t ms = in.Number(); ms >= 0) row.half_since = Ticks{ms};
    row.failed_text = in.Text();
    if (const std::int64_t ms = in.Number(); ms >= 0) table.Schedule(key, Ticks{ms});
    table.rows_[std::move(key)] = std::move(row);
  }
  if (!in.ok()) return Error{Code::kInvalidArgument, "not a retry table"};
  return table;
}

}  // namespace muster::scheduler
