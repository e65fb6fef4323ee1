#include "controllers/page_fence.h"

#include <algorithm>
#include <utility>

#include "controllers/api_calls.h"
#include "controllers/backoff.h"
#include "controllers/numbers.h"
#include "crds/decode.h"

namespace muster::controllers {

void PageFence::Start() {
  Read();
}

void PageFence::Start(crds::BindingJournal listed) {
  Put(std::move(listed));
}

// Two may begin to use it at once: then one finds it made.
void PageFence::StartNew() {
  new_ = true;
  Read();
}

void PageFence::Read() {
  world_.writer.Submit(GetPage(world_.ns, name_), [this](const Answer& answer) { OnRead(answer); });
}

void PageFence::OnRead(const Answer& answer) {
  const Verdict verdict = Judge(answer);
  if (verdict.outcome == Outcome::kGone) return Create();
  if (verdict.outcome != Outcome::kDone) return ReadLater(verdict);
  auto seen = crds::DecodeBindingJournal(answer.value().body);
  if (!seen.ok()) return world_.unreadable("page " + name_ + ": " + seen.error().message);
  OnSeen(std::move(seen).value());
}

void PageFence::OnSeen(crds::BindingJournal seen) {
  const bool as_written = written_ && seen.holder == page_.holder &&
                          seen.sequence == page_.sequence && seen.entries == page_.entries;
  if (as_written) return Finish(seen);
  Put(std::move(seen));
}

void PageFence::Create() {
  created_ = !new_;
  written_ = true;
  page_ = {};
  page_.meta.ns = world_.ns;
  page_.meta.name = name_;
  page_.holder = world_.holder;
  page_.sequence = 1;
  if (created_) page_.meta.annotations[kUntouchedMark] = "true";
  if (pages_ > 0) page_.meta.annotations[kPagesMark] = std::to_string(pages_);
  world_.writer.Submit(CreatePage(page_), [this](const Answer& answer) { OnWritten(answer); });
}

void PageFence::Put(crds::BindingJournal seen) {
  written_ = true;
  page_ = std::move(seen);
  page_.meta.ns = world_.ns;
  page_.holder = world_.holder;
  ++page_.sequence;
  if (pages_ > 0 && !NotePages()) {
    return world_.unreadable("page " + name_ + ": annotation " + kPagesMark +
                             " is no number from 1 to " + std::to_string(kPagesMax));
  }
  world_.writer.Submit(PutPage(page_), [this](const Answer& answer) { OnWritten(answer); });
}

// It is never lowered: what a page that is not used any more still holds has to be found.
bool PageFence::NotePages() {
  std::string& mark = page_.meta.annotations[kPagesMark];
  pages_before_.reset();
  if (!mark.empty()) {
    pages_before_ = NumberIn<std::int32_t>(mark);
    if (!pages_before_ || *pages_before_ < 1 || *pages_before_ > kPagesMax) return false;
  }
  mark = std::to_string(std::max(pages_, pages_before_.value_or(0)));
  return true;
}

void PageFence::OnWritten(const Answer& answer) {
  const Verdict verdict = Judge(answer);
  if (verdict.outcome != Outcome::kDone) return ReadLater(verdict);
  const auto stored = crds::DecodeBindingJournal(answer.value().body);
  if (!stored.ok()) return Read();
  Finish(stored.value());
}

void PageFence::Finish(const crds::BindingJournal& stored) {
  page_.meta.resource_version = stored.meta.resource_version;
  done_ = true;
  world_.fenced();
}

void PageFence::ReadLater(const Verdict& verdict) {
  if (verdict.outcome != Outcome::kConflict && verdict.outcome != Outcome::kUnknown) {
    world_.telemetry.Log(ports::Level::kWarning, "the journal cannot be written",
                         {{"page", name_}, {"answer", verdict.text}});
  }
  world_.loop.After(BackoffMs(world_.loop, attempt_++), [this] { Read(); });
}

}  // namespace muster::controllers
