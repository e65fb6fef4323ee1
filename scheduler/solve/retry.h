// What is remembered of a gang beside its objects: since when it waits, when it may be tried again
// after an error or a search, and whether it has ever run whole. By gang key, so that it outlives
// the row; part of the snapshot, since decisions depend on it. Knows nothing of why a gang fits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "scheduler/base/result.h"
#include "scheduler/framework/policy.h"
#include "scheduler/model/event.h"

namespace muster::scheduler {

struct Retry {
  Uid uid{};                          // Of the gang it is about; another uid starts anew.
  std::optional<Wall> queue_time{};   // After a time-out; else the creation counts.
  Ticks not_before{};                 // Backoff; 0 = none.
  std::int32_t failures = 0;          // In a row.
  bool ran = false;                   // It has been bound to its minimum at least once.
  std::optional<Ticks> half_since{};  // Some members bound, not enough, in no entry (undone later).
  Wall half_since_wall{};             // The same instant, for texts.
  std::string failed_text{};          // Why it was given up last; "" = it was not.
  std::int32_t searches = 0;          // Full searches for it that failed, see timed.h.
  Ticks search_after{};               // No further one before.
  friend bool operator==(const Retry&, const Retry&) = default;
};

// How long after `failures` others.
[[nodiscard]] std::int64_t BackoffMs(std::int32_t failures, const BackoffRange& backoff);

class RetryTable {
 public:
  // The record for this uid of the gang; an empty one if there is none.
  [[nodiscard]] const Retry& Get(const Key& key, const Uid& uid) const;
  // Made if need be. Whoever changes not_before or half_since calls Schedule afterwards.
  Retry& Edit(const Key& key, const Uid& uid);
  void Forget(const Key& key);
  void KeepIf(const std::function<bool(const Key& key)>& keep);

  // It has been bound as it was admitted: its errors are forgiven.
  void NoteRun(const Key& key, const Uid& uid);
  // Given up at `now`: a new queue time, and a wait.
  void Back(const Key& key, const Uid& uid, Now now, const BackoffRange& backoff);

  // A full search for the gang has failed, the `failed`th in a row for gangs like it. The next one
  // is not before `after`.
  void NoteSearch(const Key& key, const Uid& uid, std::int32_t failed, Ticks after);
  void EndSearch(const Key& key);
  // Gangs with failed searches; perhaps of a former uid.
  [[nodiscard]] const std::set<Key>& searched() const { return searched_; }

  // When every closed class is opened next; none while no class is closed.
  std::optional<Ticks> overdue_at;

  // At `at` the gang is to be looked at again, because of time alone. One wake-up a gang.
  void Schedule(const Key& key, Ticks at);
  // Gangs whose time has come, in key order; each once.
  [[nodiscard]] std::set<Key> TakeDue(Ticks now);
  [[nodiscard]] std::optional<Ticks> next_due() const;

  [[nodiscard]] std::string ToText() const;
  [[nodiscard]] static Result<RetryTable> FromText(std::string_view text);

 private:
  std::map<Key, Retry> rows_;
  std::set<Key> searched_;
  std::map<Key, Ticks> wake_;
  std::set<std::pair<Ticks, Key>> due_;
};

}  // namespace muster::scheduler
