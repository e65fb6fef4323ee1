// One page of the journal: what is stored, what shall be, and the PUT between the two. It knows
// entries by id and nothing of what they mean. Loop thread only.
//
//             Flush, changed            200
//   kIdle ------------------> kPutting -----> kIdle, `stored` of the changes runs
//                              |    ^
//    no answer, 429, 5xx, or   |    | the former content: the same PUT again
//    409 to a repeat           v    |
//                             kAsking (GET) ---> own holder, sequence and entries: as 200
//                                  |
//                                  `-> anything else: deposed
//
// A 409 to the first PUT, or a 404 with a Status, is "deposed" too: somebody else writes here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "controllers/answer.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"
#include "controllers/writer.h"
#include "crds/binding_journal.h"

namespace muster::controllers {

// An API object ends near 1.5 MiB, and a page is one string with every quote escaped.
inline constexpr std::size_t kPageBytesMax = 950'000;

// Of one entry, as the page carries it.
[[nodiscard]] std::size_t EntryBytes(const crds::JournalEntry& entry);

class JournalPage {
 public:
  using Stored = std::function<void()>;
  struct World {
    Writer& writer;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    std::string holder;
    std::function<void(const std::string& why)> deposed;
    std::function<void()> idle;  // A PUT ended well, its `stored` have run.
    std::function<void()> served_changed = nullptr;
  };

  // `stored` is what a fence of this holder wrote.
  JournalPage(const World& world, crds::BindingJournal stored);

  [[nodiscard]] const std::string& name() const { return stored_.meta.name; }
  [[nodiscard]] std::int64_t sequence() const { return stored_.sequence; }
  [[nodiscard]] bool busy() const { return state_ != State::kIdle; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // False: the last answer was a 404 without a Status, the API server does not know the kind.
  [[nodiscard]] bool served() const { return served_; }

  // Changes are collected; Flush sends them, now or when the PUT under way has ended.
  void Put(crds::JournalEntry entry, Stored stored);  // A new id.
  // `edit` says by how many bytes the entry grew.
  using Edit = std::function<std::ptrdiff_t(crds::JournalEntry& entry)>;
  void Change(std::uint64_t id, const Edit& edit, Stored stored);
  void Erase(std::uint64_t id, Stored stored);
  void Rewrite(Stored stored);  // The entries as they are.
  void Flush();
  void FlushWithin(std::int64_t ms);  // At the latest; with the next Flush, if that comes first.

 private:
  enum class State : std::uint8_t { kIdle, kPutting, kAsking };

  void Send();
  void Again(void (JournalPage::*step)());
  void OnPut(const Result<ports::Response>& answer);
  void Ask();
  void OnAsked(const Result<ports::Response>& answer);
  void Compare(const crds::BindingJournal& seen);
  void Finish(std::string resource_version);
  void NoteServed(const Verdict& verdict);

  const World& world_;
  State state_ = State::kIdle;
  crds::BindingJournal stored_;              // As the API server has it.
  crds::BindingJournal sent_;                // Of the PUT under way.
  std::vector<crds::JournalEntry> entries_;  // As they shall be, by id.
  std::size_t bytes_ = 0;
  bool flush_ = false;  // A change waits for the PUT under way.
  bool flush_timed_ = false;
  bool repeat_ = false;
  bool served_ = true;
  std::int32_t attempt_ = 0;
  std::vector<Stored> waiting_, under_way_;
};

}  // namespace muster::controllers
