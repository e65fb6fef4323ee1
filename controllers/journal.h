// The durable intent: every entry stands on one page before anything is sent for its pods, and
// leaves it when nothing more will be. New entries wait here for the lowest page with room and no
// PUT under way; a wave is what one PUT takes of them. Loop thread only.
//
//   Add --> waiting --> on a page, PUT under way --> stored --> Close --> left
//              |                                        ^
//              `--> withdrawn (never sent)              `-- SetVersion, Replace, Remove,
//                                                           Abandon: one PUT
//
// One that no page can hold stands in parts, each on another page. It is stored when all of them
// are, and is given up or leaves as one.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controllers/journal_page.h"
#include "controllers/journal_parts.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

class Journal {
 public:
  using Stored = JournalPage::Stored;
  struct World {
    Writer& writer;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    std::string holder;
    std::function<void(const std::string& why)> deposed;
    std::function<void()> room;  // Entries that waited for a page have found one.
    std::function<void()> served_changed = nullptr;
  };

  explicit Journal(World world);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // After the fence, and after the touches if a page was created: the pages as this holder has
  // stored them, by name. `usable`: how many of them, from the first on, take new entries; the rest
  // is only emptied.
  // One that was created is written once more, as intact from the id `intact_from` on.
  void Adopt(const std::vector<crds::BindingJournal>& pages, std::size_t usable,
             std::uint64_t intact_from);

  // There are pages enough for an entry of so many parts; else the caller refuses it.
  [[nodiscard]] bool CanHold(std::size_t parts) const { return parts <= usable_; }
  // All parts of one entry. `stored` runs when every page that names it is stored; not at all if
  // it is withdrawn, or given up before.
  void Add(EntryParts parts, Stored stored);
  // True: nothing of it was on a page yet, and never will be.
  [[nodiscard]] bool Withdraw(std::uint64_t id);
  void SetVersion(const JournalPlace& place, const scheduler::Uid& pod, const std::string& version,
                  Stored stored);
  // In place of the pod that the page names: another, or the same elsewhere; "" = it joins those
  // that are named. The entry is stored.
  void Replace(const JournalPlace& place, const scheduler::Uid& pod, NamedPod now, Stored stored);
  // The page names the pod, and others of the entry.
  void Remove(const JournalPlace& place, const scheduler::Uid& pod, Stored stored);
  // Every part; one that is on no page yet is stored as given up from the start.
  void Abandon(std::uint64_t id, const std::string& why, Stored stored);
  // Takes all that is left of the entry off: at once, or with the page's next PUT or after 5 s of
  // quiet.
  enum class When : std::uint8_t { kNow, kLater };
  void Close(std::uint64_t id, When when, Stored stored);

  // Writes the page of a part again: `stored` runs if nobody else has written it, so nobody has led
  // after us until then.
  void Confirm(const JournalPlace& place, Stored stored);
  // The same for every page.
  void ConfirmAll(Stored stored);

  // "p-03/17", as the annotation muster.dev/journal says it; and the sequence of that page.
  [[nodiscard]] std::string NameOf(const JournalPlace& place) const;
  [[nodiscard]] std::int64_t sequence(const JournalPlace& place) const;
  // Entries wait although they were offered to every page: admit nothing more.
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] bool busy() const;    // A PUT is under way.
  [[nodiscard]] bool served() const;  // The API server knows the kind of the pages.

 private:
  struct Waiting {
    crds::JournalEntry entry;
    Stored stored;
    std::size_t bytes = 0;
    std::int64_t pods = 0;
  };

  using Home = std::vector<JournalPage*>;  // By part; nullptr: on no page (yet).

  void SetHome(const crds::JournalEntry& entry, JournalPage& page);
  // The pages on which parts of it are; none while all of it waits.
  [[nodiscard]] std::vector<JournalPage*> PagesOf(std::uint64_t id) const;
  void ScheduleWave();
  void Wave();
  [[nodiscard]] bool HasRoom(const JournalPage& page, const Waiting& next) const;
  [[nodiscard]] JournalPage* FreePage(const Waiting& next);
  void Fill(JournalPage& page);
  [[nodiscard]] JournalPage& PageOf(const JournalPlace& place) const;
  void Change(JournalPage& page, std::uint64_t id, const JournalPage::Edit& edit, Stored stored);

  World world_;
  JournalPage::World page_world_;
  std::vector<std::unique_ptr<JournalPage>> pages_;
  std::size_t usable_ = 0;
  std::map<std::uint64_t, Home> homes_;  // Entries on a page, or under way to it.
  std::deque<Waiting> waiting_;
  std::int64_t waiting_pods_ = 0;
  bool wave_posted_ = false;
  std::optional<ports::Loop::TimerId> wave_timer_;
  bool full_ = false;
};

}  // namespace muster::controllers
