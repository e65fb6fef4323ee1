#include "controllers/journal.h"

#include <algorithm>
#include <utility>

#include "scheduler/base/check.h"

namespace muster::controllers {
namespace {

constexpr std::int64_t kWavePods = 256;
constexpr std::int64_t kWaveMs = 5;
constexpr std::int64_t kQuietMs = 5'000;

std::int64_t PodsOf(const crds::JournalEntry& entry) {
  std::int64_t pods = 0;
  for (const crds::JournalEntry::Node& node : entry.nodes) {
    pods += static_cast<std::int64_t>(node.pods.size());
  }
  return pods;
}

}  // namespace

Journal::Journal(World world)
    : world_(std::move(world)),
      page_world_{.writer = world_.writer,
                  .loop = world_.loop,
                  .telemetry = world_.telemetry,
                  .holder = world_.holder,
                  .deposed = world_.deposed,
                  .idle = [this] { ScheduleWave(); }} {}

void Journal::Adopt(const std::vector<crds::BindingJournal>& pages, std::size_t usable) {
  MUSTER_CHECK(pages_.empty() && usable <= pages.size());
  usable_ = usable;
  for (const crds::BindingJournal& page : pages) {
    pages_.push_back(std::make_unique<JournalPage>(page_world_, page));
    for (const crds::JournalEntry& entry : page.entries) {
      page_of_.emplace(entry.id, pages_.back().get());
    }
  }
}

bool Journal::Fits(const crds::JournalEntry& entry) {
  return EntryBytes(entry) <= kPageBytesMax;
}

void Journal::Add(crds::JournalEntry entry, Stored stored) {
  MUSTER_CHECK(!page_of_.contains(entry.id));
  const std::size_t bytes = EntryBytes(entry);
  const std::int64_t pods = PodsOf(entry);
  waiting_.push_back(
      {.entry = std::move(entry), .stored = std::move(stored), .bytes = bytes, .pods = pods});
  waiting_pods_ += pods;
  ScheduleWave();
}

std::deque<Journal::Waiting>::iterator Journal::FindWaiting(std::uint64_t id) {
  return std::ranges::find_if(waiting_,
                              [id](const Waiting& waiting) { return waiting.entry.id == id; });
}

bool Journal::Withdraw(std::uint64_t id) {
  const auto found = FindWaiting(id);
  if (found == waiting_.end()) return false;
  waiting_pods_ -= found->pods;
  waiting_.erase(found);
  return true;
}

void Journal::SetVersion(std::uint64_t id, const scheduler::Uid& pod, const std::string& version,
                         Stored stored) {
  const auto set = [&pod, &version](crds::JournalEntry& entry) -> std::ptrdiff_t {
    for (crds::JournalEntry::Node& node : entry.nodes) {
      const auto found = std::ranges::find(node.pods, pod, &crds::JournalEntry::Pod::uid);
      if (found == node.pods.end()) continue;
      const std::ptrdiff_t growth = std::ssize(version) - std::ssize(found->resource_version);
      found->resource_version = version;
      return growth;
    }
    return 0;
  };
  Change(id, set, std::move(stored));
}

void Journal::Abandon(std::uint64_t id, const std::string& why, Stored stored) {
  const auto set = [&why](crds::JournalEntry& entry) {
    const auto before = static_cast<std::ptrdiff_t>(EntryBytes(entry));
    entry.abandon = true;
    entry.why = why;
    return static_cast<std::ptrdiff_t>(EntryBytes(entry)) - before;
  };
  const auto waiting = FindWaiting(id);
  if (waiting == waiting_.end()) return Change(id, set, std::move(stored));
  (void)set(waiting->entry);
  waiting->stored = std::move(stored);
}

void Journal::Close(std::uint64_t id, When when, Stored stored) {
  JournalPage& page = PageOf(id);
  page.Erase(id, [this, id, stored = std::move(stored)] {
    page_of_.erase(id);
    if (stored) stored();
  });
  if (when == When::kNow) return page.Flush();
  page.FlushWithin(kQuietMs);
}

std::string Journal::Place(std::uint64_t id) const {
  return PageOf(id).name() + "/" + std::to_string(id);
}

std::int64_t Journal::sequence(std::uint64_t id) const {
  return PageOf(id).sequence();
}

bool Journal::busy() const {
  return std::ranges::any_of(pages_, [](const auto& page) { return page->busy(); });
}

// A wave gathers what comes within a few ms while other PUTs are under way. Alone, or when it is
// large enough, it goes after what is queued now.
void Journal::ScheduleWave() {
  if (waiting_.empty() || wave_posted_) return;
  if (busy() && waiting_pods_ < kWavePods) {
    if (!wave_timer_) wave_timer_ = world_.loop.After(kWaveMs, [this] { Wave(); });
    return;
  }
  wave_posted_ = true;
  world_.loop.Post([this] { Wave(); });
}

void Journal::Wave() {
  wave_posted_ = false;
  if (wave_timer_) world_.loop.Cancel(*wave_timer_);
  wave_timer_.reset();
  const bool was_full = full_;
  JournalPage* page = nullptr;
  while (!waiting_.empty() && (page = FreePage(waiting_.front().bytes)) != nullptr) Fill(*page);
  full_ = !waiting_.empty();
  if (was_full && !full_) world_.room();
}

JournalPage* Journal::FreePage(std::size_t bytes) {
  const auto end = pages_.begin() + static_cast<std::ptrdiff_t>(usable_);
  const auto found = std::find_if(pages_.begin(), end, [bytes](const auto& page) {
    return !page->busy() && page->bytes() + bytes <= kPageBytesMax;
  });
  return found == end ? nullptr : found->get();
}

void Journal::Fill(JournalPage& page) {
  std::int64_t pods = 0;
  while (!waiting_.empty()) {
    Waiting& next = waiting_.front();
    const bool room = page.bytes() + next.bytes <= kPageBytesMax;
    if (!room || (pods > 0 && pods + next.pods > kWavePods)) break;
    pods += next.pods;
    waiting_pods_ -= next.pods;
    page_of_.emplace(next.entry.id, &page);
    page.Put(std::move(next.entry), std::move(next.stored));
    waiting_.pop_front();
  }
  page.Flush();
}

JournalPage& Journal::PageOf(std::uint64_t id) const {
  const auto found = page_of_.find(id);
  MUSTER_CHECK(found != page_of_.end());
  return *found->second;
}

void Journal::Change(std::uint64_t id, const JournalPage::Edit& edit, Stored stored) {
  JournalPage& page = PageOf(id);
  page.Change(id, edit, std::move(stored));
  // After what is queued now: changes of many members go in one PUT.
  world_.loop.Post([&page] { page.Flush(); });
}

}  // namespace muster::controllers
