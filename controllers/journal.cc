#include "controllers/journal.h"

#include <algorithm>
#include <utility>

#include "controllers/page_fence.h"
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

// By how many bytes the entry grows when `edit` is done to it.
std::ptrdiff_t GrowthBy(const crds::JournalEntry& entry, const auto& edit) {
  const auto before = static_cast<std::ptrdiff_t>(EntryBytes(entry));
  edit();
  return static_cast<std::ptrdiff_t>(EntryBytes(entry)) - before;
}

// Runs `stored` when the last of `count` has called it.
Journal::Stored WhenAll(std::size_t count, Journal::Stored stored) {
  if (count == 1) return stored;
  return [left = std::make_shared<std::size_t>(count), stored = std::move(stored)] {
    if (--*left == 0 && stored) stored();
  };
}

}  // namespace

Journal::Journal(World world)
    : world_(std::move(world)),
      page_world_{.writer = world_.writer,
                  .loop = world_.loop,
                  .telemetry = world_.telemetry,
                  .holder = world_.holder,
                  .deposed = world_.deposed,
                  .idle = [this] { ScheduleWave(); },
                  .served_changed = world_.served_changed} {}

void Journal::Adopt(const std::vector<crds::BindingJournal>& pages, std::size_t usable,
                    std::uint64_t intact_from) {
  MUSTER_CHECK(pages_.empty() && usable <= pages.size());
  usable_ = usable;
  for (crds::BindingJournal page : pages) {
    const bool marked = page.meta.annotations.erase(kUntouchedMark) > 0;
    if (marked) page.meta.annotations[kIntactFrom] = std::to_string(intact_from);
    pages_.push_back(std::make_unique<JournalPage>(page_world_, page));
    if (marked) pages_.back()->Rewrite(nullptr);
    for (const crds::JournalEntry& entry : page.entries) {
      SetHome(entry, *pages_.back());
    }
  }
}

void Journal::Add(EntryParts parts, Stored stored) {
  MUSTER_CHECK(!parts.empty() && !homes_.contains(parts.front().id));
  const Stored each = WhenAll(parts.size(), std::move(stored));
  for (crds::JournalEntry& part : parts) {
    const std::size_t bytes = EntryBytes(part);
    const std::int64_t pods = PodsOf(part);
    waiting_.push_back({.entry = std::move(part), .stored = each, .bytes = bytes, .pods = pods});
    waiting_pods_ += pods;
  }
  ScheduleWave();
}

bool Journal::Withdraw(std::uint64_t id) {
  if (homes_.contains(id)) return false;
  const std::size_t removed = std::erase_if(waiting_, [this, id](const Waiting& waiting) {
    if (waiting.entry.id != id) return false;
    waiting_pods_ -= waiting.pods;
    return true;
  });
  // Nobody waits any more, so no page that becomes free would say it.
  if (waiting_.empty() && std::exchange(full_, false)) world_.room();
  return removed > 0;
}

void Journal::SetVersion(const JournalPlace& place, const scheduler::Uid& pod,
                         const std::string& version, Stored stored) {
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
  Change(PageOf(place), place.id, set, std::move(stored));
}

void Journal::Replace(const JournalPlace& place, const scheduler::Uid& pod, NamedPod now,
                      Stored stored) {
  const auto set = [&pod, &now](crds::JournalEntry& entry) {
    return GrowthBy(entry, [&] {
      if (!pod.empty()) RemovePod(entry, pod);
      AddPod(entry, std::move(now));
    });
  };
  Change(PageOf(place), place.id, set, std::move(stored));
}

void Journal::Remove(const JournalPlace& place, const scheduler::Uid& pod, Stored stored) {
  const auto set = [&pod](crds::JournalEntry& entry) {
    return GrowthBy(entry, [&] {
      RemovePod(entry, pod);
      MUSTER_CHECK(!entry.nodes.empty());  // Nobody could read it.
    });
  };
  Change(PageOf(place), place.id, set, std::move(stored));
}

void Journal::Abandon(std::uint64_t id, const std::string& why, Stored stored) {
  const auto set = [&why](crds::JournalEntry& entry) {
    return GrowthBy(entry, [&] {
      entry.abandon = true;
      entry.why = why;
    });
  };
  const std::vector<JournalPage*> pages = PagesOf(id);
  std::vector<Waiting*> waiting;
  for (Waiting& next : waiting_) {
    if (next.entry.id == id) waiting.push_back(&next);
  }
  MUSTER_CHECK(!pages.empty() || !waiting.empty());
  const Stored each = WhenAll(pages.size() + waiting.size(), std::move(stored));
  for (Waiting* next : waiting) {
    (void)set(next->entry);
    next->stored = each;
  }
  for (JournalPage* page : pages) Change(*page, id, set, each);
}

void Journal::Close(std::uint64_t id, When when, Stored stored) {
  const std::vector<JournalPage*> pages = PagesOf(id);
  MUSTER_CHECK(!pages.empty());
  const Stored each = WhenAll(pages.size(), [this, id, stored = std::move(stored)] {
    homes_.erase(id);
    if (stored) stored();
  });
  for (JournalPage* page : pages) {
    page->Erase(id, each);
    if (when == When::kNow) {
      page->Flush();
    } else {
      page->FlushWithin(kQuietMs);
    }
  }
}

void Journal::Confirm(const JournalPlace& place, Stored stored) {
  PageOf(place).Rewrite(std::move(stored));
}

void Journal::ConfirmAll(Stored stored) {
  const Stored each = WhenAll(pages_.size(), std::move(stored));
  for (const auto& page : pages_) page->Rewrite(each);
}

std::string Journal::NameOf(const JournalPlace& place) const {
  return PageOf(place).name() + "/" + std::to_string(place.id);
}

std::int64_t Journal::sequence(const JournalPlace& place) const {
  return PageOf(place).sequence();
}

bool Journal::busy() const {
  return std::ranges::any_of(pages_, [](const auto& page) { return page->busy(); });
}

bool Journal::served() const {
  return std::ranges::all_of(pages_, [](const auto& page) { return page->served(); });
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
  while (!waiting_.empty() && (page = FreePage(waiting_.front())) != nullptr) Fill(*page);
  full_ = !waiting_.empty();
  if (was_full && !full_) world_.room();
}

// Two parts of one entry never share a page: an entry is known there by its id.
bool Journal::HasRoom(const JournalPage& page, const Waiting& next) const {
  const auto home = homes_.find(next.entry.id);
  const bool here =
      home != homes_.end() && std::ranges::find(home->second, &page) != home->second.end();
  return !here && page.bytes() + next.bytes <= kPageBytesMax;
}

JournalPage* Journal::FreePage(const Waiting& next) {
  const auto end = pages_.begin() + static_cast<std::ptrdiff_t>(usable_);
  const auto found = std::find_if(pages_.begin(), end, [this, &next](const auto& page) {
    return !page->busy() && HasRoom(*page, next);
  });
  return found == end ? nullptr : found->get();
}

void Journal::Fill(JournalPage& page) {
  std::int64_t pods = 0;
  while (!waiting_.empty()) {
    Waiting& next = waiting_.front();
    if (!HasRoom(page, next) || (pods > 0 && pods + next.pods > kWavePods)) break;
    pods += next.pods;
    waiting_pods_ -= next.pods;
    SetHome(next.entry, page);
    page.Put(std::move(next.entry), std::move(next.stored));
    waiting_.pop_front();
  }
  page.Flush();
}

void Journal::SetHome(const crds::JournalEntry& entry, JournalPage& page) {
  Home& home = homes_[entry.id];
  home.resize(static_cast<std::size_t>(entry.parts));
  home.at(static_cast<std::size_t>(entry.part - 1)) = &page;
}

std::vector<JournalPage*> Journal::PagesOf(std::uint64_t id) const {
  const auto home = homes_.find(id);
  if (home == homes_.end()) return {};
  std::vector<JournalPage*> pages = home->second;
  std::erase(pages, nullptr);
  return pages;
}

JournalPage& Journal::PageOf(const JournalPlace& place) const {
  const auto found = homes_.find(place.id);
  MUSTER_CHECK(found != homes_.end());
  JournalPage* page = found->second.at(static_cast<std::size_t>(place.part - 1));
  MUSTER_CHECK(page != nullptr);
  return *page;
}

void Journal::Change(JournalPage& page, std::uint64_t id, const JournalPage::Edit& edit,
                     Stored stored) {
  page.Change(id, edit, std::move(stored));
  // After what is queued now: changes of many members go in one PUT.
  world_.loop.Post([&page] { page.Flush(); });
}

}  // namespace muster::controllers
