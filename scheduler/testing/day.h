// A long day of a small cluster, drawn from a seed: gangs and single pods come, are bound, refused,
// relabelled, end; nodes, queues, namespaces and pods of others come, change and go; leaders too.
// It knows the protocol (an entry closes when all of it is answered), so that most of it does run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/model/event.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/testing/decision_text.h"

namespace muster::scheduler::testing {

class Day {
 public:
  explicit Day(std::uint64_t seed);

  void SomeEvents();  // Time passes, too.
  void Decide(Budget budget) { log_ += DecideAll(scheduler_, now_, budget); }
  // All that one Decide says but changed_*.
  std::string DecideOnce(Budget budget) { return scheduler_.Decide(now_, budget).ToText(); }

  [[nodiscard]] const Scheduler& scheduler() const { return scheduler_; }
  void Replace(Scheduler scheduler) { scheduler_ = std::move(scheduler); }
  [[nodiscard]] Now now() const { return now_; }
  // Everything that was decided.
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  std::uint32_t Below(std::uint32_t bound);
  bool OneIn(std::uint32_t n) { return Below(n) == 0; }
  std::string Some(const char* prefix, std::uint32_t count);
  void Send(const Event& event) { scheduler_.Apply(event); }

  // What the API server shows: kept for the next leader, then sent.
  void Put(const NodeSeen& node);
  void Put(const QueueSeen& queue);
  void Put(const GangSeen& gang);
  void Put(const PodSeen& pod);

  void OneEvent();
  void EditGroup();
  void AddPods(const Key& group, std::uint32_t count);
  void AddSingle();
  void AddForeign();
  void EditPod();
  void EditNode();
  void EditQueue();
  void EditSmallKind();
  // Some members of some open entry are answered; an entry without open members closes.
  void AnswerSome();
  bool AnswerMember(const EntryRow& entry, const EntryRow::Member& member);
  bool AmendMember(const EntryRow& entry, const EntryRow::Member& member);
  // The next leader lists everything and finds the entries that are open.
  void ShowBound(const EntryRow& entry, const EntryRow::Member& member, bool by_others);
  void LoseNode();
  void TakeOver();
  [[nodiscard]] Amounts SomeRequests();
  [[nodiscard]] std::vector<NodeImage> SomeImages();

  std::uint64_t state_;
  Scheduler scheduler_;
  Now now_{Ticks{1'000}, Wall{1'000}};
  std::string log_;
  std::map<std::string, NodeSeen> nodes_;
  std::map<std::string, QueueSeen> queues_;
  std::map<Key, GangSeen> groups_;
  std::map<Uid, PodSeen> pods_;
  std::map<std::string, NamespaceSeen> namespaces_;
  std::map<std::string, std::int32_t> classes_;
  int made_ = 0;
};

}  // namespace muster::scheduler::testing
