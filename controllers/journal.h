// The durable intent: every entry stands on one page before anything is sent for its pods, and
// leaves it when nothing more will be. New entries wait here for the lowest page with room and no
// PUT under way; a wave is what one PUT takes of them. Loop thread only.
//
//   Add --> waiting --> on a page, PUT under way --> stored --> Close --> left
//              |                                        ^
//              `--> withdrawn (never sent)              `-- SetVersion, Abandon: one PUT each
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
  };

  explicit Journal(World world);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // After the fence: the pages as this holder has stored them, by name. `usable`: how many of them,
  // from the first on, take new entries; the rest is only emptied.
  void Adopt(const std::vector<crds::BindingJournal>& pages, std::size_t usable);

  // A page can hold it. An entry that none can hold is refused by the caller.
  [[nodiscard]] static bool Fits(const crds::JournalEntry& entry);
  // `stored` runs when the page that names it is stored; not at all if it is withdrawn.
  void Add(crds::JournalEntry entry, Stored stored);
  // True: it was on no page yet, and never will be.
  [[nodiscard]] bool Withdraw(std::uint64_t id);
  void SetVersion(std::uint64_t id, const scheduler::Uid& pod, const std::string& version,
                  Stored stored);
  // One that is on no page yet is stored as given up from the start.
  void Abandon(std::uint64_t id, const std::string& why, Stored stored);
  // Takes the entry off: at once, or with the page's next PUT or after 5 s of quiet.
  enum class When : std::uint8_t { kNow, kLater };
  void Close(std::uint64_t id, When when, Stored stored);

  // "p-03/17", as the annotation muster.dev/journal says it; and the sequence of that page.
  [[nodiscard]] std::string Place(std::uint64_t id) const;
  [[nodiscard]] std::int64_t sequence(std::uint64_t id) const;
  // Entries wait although they were offered to every page: admit nothing more.
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] bool busy() const;  // A PUT is under way.

 private:
  struct Waiting {
    crds::JournalEntry entry;
    Stored stored;
    std::size_t bytes = 0;
    std::int64_t pods = 0;
  };

  [[nodiscard]] std::deque<Waiting>::iterator FindWaiting(std::uint64_t id);
  void ScheduleWave();
  void Wave();
  [[nodiscard]] JournalPage* FreePage(std::size_t bytes);
  void Fill(JournalPage& page);
  [[nodiscard]] JournalPage& PageOf(std::uint64_t id) const;
  void Change(std::uint64_t id, const JournalPage::Edit& edit, Stored stored);

  World world_;
  JournalPage::World page_world_;
  std::vector<std::unique_ptr<JournalPage>> pages_;
  std::size_t usable_ = 0;
  std::map<std::uint64_t, JournalPage*> page_of_;  // Entries on a page, or under way to it.
  std::deque<Waiting> waiting_;
  std::int64_t waiting_pods_ = 0;
  bool wave_posted_ = false;
  std::optional<ports::Loop::TimerId> wave_timer_;
  bool full_ = false;
};

}  // namespace muster::controllers
