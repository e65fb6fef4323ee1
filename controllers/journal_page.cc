#include "controllers/journal_page.h"

#include <algorithm>
#include <utility>

#include "controllers/api_calls.h"
#include "controllers/backoff.h"
#include "crds/decode.h"
#include "scheduler/base/check.h"

namespace muster::controllers {
namespace {

auto FindEntry(std::vector<crds::JournalEntry>& entries, std::uint64_t id) {
  return std::ranges::lower_bound(entries, id, {}, &crds::JournalEntry::id);
}

}  // namespace

std::size_t EntryBytes(const crds::JournalEntry& entry) {
  const std::string text = crds::EncodeEntries({entry});
  const auto escaped = std::ranges::count_if(text, [](char c) { return c == '"' || c == '\\'; });
  return text.size() + static_cast<std::size_t>(escaped);
}

JournalPage::JournalPage(const World& world, crds::BindingJournal stored)
    : world_(world), stored_(std::move(stored)), entries_(stored_.entries) {
  std::ranges::sort(entries_, {}, &crds::JournalEntry::id);
  for (const crds::JournalEntry& entry : entries_) bytes_ += EntryBytes(entry);
}

void JournalPage::Put(crds::JournalEntry entry, Stored stored) {
  const auto at = FindEntry(entries_, entry.id);
  MUSTER_CHECK(at == entries_.end() || at->id != entry.id);
  bytes_ += EntryBytes(entry);
  entries_.insert(at, std::move(entry));
  waiting_.push_back(std::move(stored));
}

void JournalPage::Change(std::uint64_t id, const Edit& edit, Stored stored) {
  const auto at = FindEntry(entries_, id);
  MUSTER_CHECK(at != entries_.end() && at->id == id);
  bytes_ += static_cast<std::size_t>(edit(*at));
  waiting_.push_back(std::move(stored));
}

void JournalPage::Erase(std::uint64_t id, Stored stored) {
  const auto at = FindEntry(entries_, id);
  if (at != entries_.end() && at->id == id) {
    bytes_ -= EntryBytes(*at);
    entries_.erase(at);
  }
  waiting_.push_back(std::move(stored));
}

void JournalPage::Rewrite(Stored stored) {
  waiting_.push_back(std::move(stored));
  Flush();
}

void JournalPage::Flush() {
  if (waiting_.empty()) return;
  if (busy()) {
    flush_ = true;
    return;
  }
  sent_.meta = stored_.meta;
  sent_.holder = world_.holder;
  sent_.sequence = stored_.sequence + 1;
  sent_.entries = entries_;
  under_way_ = std::exchange(waiting_, {});
  flush_ = false;
  repeat_ = false;
  attempt_ = 0;
  Send();
}

void JournalPage::FlushWithin(std::int64_t ms) {
  if (std::exchange(flush_timed_, true)) return;
  world_.loop.After(ms, [this] {
    flush_timed_ = false;
    Flush();
  });
}

void JournalPage::Send() {
  state_ = State::kPutting;
  world_.writer.SubmitFirst(PutPage(sent_),
                            [this](const Result<ports::Response>& answer) { OnPut(answer); });
}

void JournalPage::Again(void (JournalPage::*step)()) {
  world_.loop.After(BackoffMs(world_.loop, attempt_++), [this, step] { (this->*step)(); });
}

void JournalPage::OnPut(const Result<ports::Response>& answer) {
  const Verdict verdict = Judge(answer);
  NoteServed(verdict);
  switch (verdict.outcome) {
    case Outcome::kDone: {
      auto meta = crds::DecodeMeta(answer.value().body);
      // Stored; the answer does not say at which version.
      if (!meta.ok() || meta.value().resource_version.empty()) return Ask();
      return Finish(std::move(meta.value().resource_version));
    }
    case Outcome::kConflict:
      // What a repeat meets may be the first try, which was stored after all.
      if (repeat_) return Again(&JournalPage::Ask);
      return world_.deposed("page " + name() + " was written by another: " + verdict.text);
    case Outcome::kGone:
      return world_.deposed("page " + name() + " was deleted: " + verdict.text);
    case Outcome::kUnknown:
      return Again(&JournalPage::Ask);
    case Outcome::kNotServed:
    case Outcome::kTerminating:
    case Outcome::kRefused:
      break;
  }
  // Not stored, and not by anybody's fault that a restart would heal: rights or the kind's schema.
  world_.telemetry.Log(ports::Level::kWarning, "the journal page is refused",
                       {{"page", name()}, {"answer", verdict.text}});
  Again(&JournalPage::Send);
}

void JournalPage::Ask() {
  state_ = State::kAsking;
  world_.writer.SubmitFirst(GetPage(stored_.meta.ns, name()),
                            [this](const Result<ports::Response>& answer) { OnAsked(answer); });
}

void JournalPage::OnAsked(const Result<ports::Response>& answer) {
  const Verdict verdict = Judge(answer);
  NoteServed(verdict);
  if (verdict.outcome == Outcome::kGone) {
    return world_.deposed("page " + name() + " was deleted: " + verdict.text);
  }
  if (verdict.outcome != Outcome::kDone) return Again(&JournalPage::Ask);
  const auto page = crds::DecodeBindingJournal(answer.value().body);
  if (!page.ok()) {
    return world_.deposed("page " + name() + " cannot be read: " + page.error().message);
  }
  Compare(page.value());
}

// Holder and sequence alone do not tell: after a restart under the same identity a PUT of the
// former life may have won the number.
void JournalPage::Compare(const crds::BindingJournal& seen) {
  const auto same = [&seen](const crds::BindingJournal& page) {
    return seen.holder == page.holder && seen.sequence == page.sequence &&
           seen.entries == page.entries;
  };
  if (same(sent_)) return Finish(seen.meta.resource_version);
  if (!same(stored_)) return world_.deposed("page " + name() + " has foreign content");
  sent_.meta.resource_version = seen.meta.resource_version;
  repeat_ = true;
  Send();
}

void JournalPage::Finish(std::string resource_version) {
  stored_ = std::move(sent_);
  sent_ = {};
  stored_.meta.resource_version = std::move(resource_version);
  state_ = State::kIdle;
  const auto done = std::exchange(under_way_, {});
  for (const Stored& stored : done) {
    if (stored) stored();
  }
  if (flush_) Flush();
  world_.idle();
}

void JournalPage::NoteServed(const Verdict& verdict) {
  if (verdict.outcome == Outcome::kUnknown) return;
  const bool served = verdict.outcome != Outcome::kNotServed;
  if (std::exchange(served_, served) != served && world_.served_changed) world_.served_changed();
}

}  // namespace muster::controllers
