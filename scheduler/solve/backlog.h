// The gangs that wait, by class: a class is what asks for the same pods in the same queue, so one
// member of it speaks for all. A class is open until its first gang was refused and closed until
// something changed that could help it; only heads of open classes are ever looked at. Knows
// nothing of nodes or quota.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/solve/fair_order.h"
#include "scheduler/solve/work.h"

namespace muster::scheduler {

struct ClassKey {
  Work::Kind kind{};  // kMinimum or kSurplus.
  QueueId queue;
  std::vector<Demand> demands;  // Surplus: each shape once, count 1.
  TopologyRequest topology{};
  // It has to join members of its own in their domain: no other gang is like it.
  std::optional<GangId> joins{};
  friend auto operator<=>(const ClassKey&, const ClassKey&) = default;
};

// Who said no when a class was closed.
enum class RefusedBy : std::uint8_t { kNobody, kQuota, kNodes, kPermit };
// What opened it: something that changed, or time alone (timed.h). That time has passed is no news:
// a refusal that follows is not counted.
enum class OpenedBy : std::uint8_t { kNews, kBackoff, kOverdue };

struct WaitClass {
  std::map<OrderKey, GangId> gangs;
  std::map<OrderKey, GangId> joined;  // Those of them that no refusal has told of yet (TakeJoined).
  RefusedBy refused_by{};             // kNobody: open.
  OpenedBy opened_by{};               // While it is open.
  std::int32_t refusals = 0;          // Full attempts that failed, each for every gang in it.
  std::string woken_by;               // The news that opened it last.
  // Closed by a full search that failed although every bound had passed.
  bool searched = false;
  std::uint64_t search_epoch = 0;  // Core::epoch of the last one, until something else closes it.
  std::int32_t search_steps = 0;   // The budget that it ran out of; 0 = every way was tried.
  std::string search_news;         // What may have helped since.
};

class Backlog {
 public:
  // Puts the gang into the class, out of any other. An open class stays open, a new one is.
  void File(GangId gang, const ClassKey& key, OrderKey order);
  void Remove(GangId gang);

  // The first gang of all open classes of the kind.
  [[nodiscard]] std::optional<GangId> Head(Work::Kind kind) const;
  // The class of a gang that is filed.
  [[nodiscard]] const ClassKey* ClassOf(GangId gang) const;
  [[nodiscard]] const WaitClass& at(const ClassKey& key) const { return classes_.at(key); }
  [[nodiscard]] const std::map<ClassKey, WaitClass>& classes() const { return classes_; }

  // Refused: the class is closed and every gang in it has had one more attempt.
  void Close(const ClassKey& key, RefusedBy by);
  void Open(const ClassKey& key, const std::string& woken_by);
  void OpenByTime(const ClassKey& key, OpenedBy by);
  // It may have been helped: one that is open is no more so by time alone, one that a search has
  // closed keeps the cause until it is opened.
  void NoteNews(const ClassKey& key, const std::string& cause);
  // Open or closed: it is closed by a search that failed in `epoch`, for want of `steps` unless 0.
  void CloseSearched(const ClassKey& key, std::uint64_t epoch, std::int32_t steps);
  [[nodiscard]] const std::set<ClassKey>& searched() const { return searched_; }
  [[nodiscard]] std::size_t closed() const {
    return classes_.size() - minimum_heads_.size() - surplus_heads_.size();
  }
  // Who has joined the class since the last call.
  [[nodiscard]] std::map<OrderKey, GangId> TakeJoined(const ClassKey& key) {
    return std::exchange(classes_.at(key).joined, {});
  }
  // It stays closed, for another reason.
  void Blame(const ClassKey& key, RefusedBy by);

  // Refusals that the gang took part in while it was in its present class.
  [[nodiscard]] std::int32_t RefusalsOf(GangId gang) const;
  // 1 = first of the gangs that wait for their minimum in its queue; 0 = it does not wait.
  [[nodiscard]] std::int32_t PositionOf(GangId gang) const;

 private:
  struct Place {
    ClassKey key;
    OrderKey order;
    std::int32_t refusals_before = 0;
  };
  using Classes = std::map<ClassKey, WaitClass>;
  void AddHead(const ClassKey& key, const WaitClass& c);
  void RemoveHead(const ClassKey& key, const WaitClass& c);
  [[nodiscard]] std::map<OrderKey, GangId>& heads(Work::Kind kind);

  Classes classes_;
  std::set<ClassKey> searched_;
  std::map<GangId, Place> places_;
  std::map<OrderKey, GangId> minimum_heads_, surplus_heads_;  // Of open classes.
};

}  // namespace muster::scheduler
