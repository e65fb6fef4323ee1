// Which events a gang's state calls for. Waiting: FailedScheduling on the PodGroup and its first
// 8 waiting members, once for each text in 5 minutes. Bound: Scheduled once on the PodGroup, or on
// the pod of a gang of one. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "controllers/event_recorder.h"
#include "controllers/stores.h"
#include "crds/pod_group.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

class GangEvents {
 public:
  GangEvents(EventRecorder& recorder, const Stores& stores)
      : recorder_(recorder), stores_(stores) {}

  // A gang of one was admitted by this process: when it is bound, that is to be told.
  void Admitted(const scheduler::Key& single_pod, const scheduler::Uid& uid);
  // `group` is nullptr for a gang of one, or when the PodGroup does not exist.
  void Look(const scheduler::GangStatus& gang, const crds::PodGroup* group, std::int64_t now_ms);
  void Forget(const scheduler::Key& gang) { gangs_.erase(gang); }

 private:
  struct Memory {
    scheduler::Uid admitted;   // Uid of the single pod that was admitted.
    scheduler::Uid scheduled;  // Uid of the PodGroup of which Scheduled was told.
    std::map<std::pair<scheduler::Uid, std::string>, std::int64_t> told_ms;
    bool looked = false;       // This process has looked at the gang before.
    bool told_before = false;  // During the first look: a former life of it told the same.
  };

  [[nodiscard]] bool ToldBefore(const scheduler::GangStatus& gang,
                                const crds::PodGroup* group) const;

  void TellScheduled(const scheduler::GangStatus& gang, const crds::PodGroup& group,
                     Memory& memory);
  void TellBound(const scheduler::GangStatus& gang, Memory& memory);
  void TellWaiting(const scheduler::GangStatus& gang, const crds::PodGroup* group, Memory& memory,
                   std::int64_t now_ms);
  void TellOnce(const ObjectRef& about, const std::string& text, Memory& memory,
                std::int64_t now_ms);

  EventRecorder& recorder_;
  const Stores& stores_;
  std::map<scheduler::Key, Memory> gangs_;
};

}  // namespace muster::controllers
