// The world of one scenario: the objects as their last line made them, the scheduler, and the two
// clocks. Each method is one command of scenario.h; what it returns is what the file shows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/framework/policy.h"
#include "scheduler/model/event.h"
#include "scheduler/solve/scheduler.h"

namespace muster::scheduler::testing {

class ScenarioWorld {
 public:
  using Words = std::vector<std::string>;

  ScenarioWorld();

  std::string Levels(const Words& words);
  std::string Queue(const Words& words);
  std::string QueueGoes(const Words& words);
  std::string Namespace(const Words& words);
  std::string Node(const Words& words);
  std::string NodeGoes(const Words& words);
  std::string Gang(const Words& words);
  std::string Group(const Words& words);
  std::string GroupGoes(const Words& words);
  std::string Pods(const Words& words);
  std::string Pod(const Words& words);
  std::string Foreign(const Words& words);

  std::string Bound(const Words& words);
  std::string Placed(const Words& words);
  std::string Repin(const Words& words);
  std::string Becomes(const Words& words, PodState state);
  std::string Terminating(const Words& words);
  std::string PodGoes(const Words& words);
  std::string Refused(const Words& words);
  std::string EntryFails(const Words& words, bool refused);
  std::string Strand(const Words& words);
  std::string Settle(const Words& words);
  std::string Undo(const Words& words);
  std::string Wait(const Words& words);

  std::string RunCycle(const Words& words);
  [[nodiscard]] std::string ShowStatus(const Words& words) const;
  [[nodiscard]] std::string ShowExplanation(const Words& words) const;
  [[nodiscard]] std::string ShowQueue(const Words& words) const;

  [[nodiscard]] std::string Audit() const { return scheduler_.cluster().Audit(); }

 private:
  struct Member {
    std::string gang;  // As the scenario writes it; "" = none.
    PodSeen seen;
  };
  void Begin();
  std::string Send(const Event& event);
  // A pod of these options; the caller names it.
  [[nodiscard]] PodSeen NewPod(const Words& words, std::size_t first);
  void AddMembers(const std::string& gang, std::int32_t first, std::int32_t last,
                  const PodSeen& like);
  PodSeen* Find(const Words& words);
  void BindPod(PodSeen& pod, const std::string& node);

  Policy policy_;
  Scheduler scheduler_;
  Now now_;
  std::int64_t created_ = 0;  // One second more for each object.
  std::map<std::string, PodSeen> pods_;
  std::map<std::string, GangSeen> gangs_;
};

}  // namespace muster::scheduler::testing
