// PATCHes of PodScheduled=False on waiting pods: not before their gang has waited out the grace,
// one for each change of reason, changed numbers alone at most once a minute, 100 a second in all,
// none while Bindings wait. Each carries the resourceVersion that was seen, so that a late one is
// refused instead of turning a bound pod's condition. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "controllers/event_recorder.h"
#include "controllers/pod_group_writer.h"
#include "controllers/ports/loop.h"
#include "controllers/stores.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

// A gang that finds its place within this time costs no write.
inline constexpr std::int64_t kPodGraceMs = 2'000;

class PodConditionWriter {
 public:
  PodConditionWriter(ports::Loop& loop, Send send, const Stores& stores,
                     PodGroupWriter::Again again, std::int64_t grace_ms);
  ~PodConditionWriter();
  PodConditionWriter(const PodConditionWriter&) = delete;
  PodConditionWriter& operator=(const PodConditionWriter&) = delete;

  // Lines up what its members are to be told. The monotonic time at which to look again.
  [[nodiscard]] std::optional<std::int64_t> Look(const scheduler::GangStatus& gang,
                                                 std::int64_t now_ms);
  void Forget(const scheduler::Key& gang);
  void BindingsWaiting(bool waiting);

 private:
  struct Want {
    scheduler::Key gang;
    scheduler::Uid uid;
    std::string reason, message;
  };
  struct Told {  // The last one that was sent about a pod, by pod.
    scheduler::Uid uid;
    std::string at_version;  // The resourceVersion that it carried.
    std::string reason, message;
    std::int64_t at_ms = 0;
  };
  struct Waiting {
    std::int64_t since_ms = 0;
    std::map<scheduler::Key, Told> told;
  };

  // The pod as it may be written: there, the same, unbound, not on its way out. Else nullptr.
  [[nodiscard]] const PodRecord* Writable(const scheduler::Key& pod,
                                          const scheduler::Uid& uid) const;
  [[nodiscard]] std::optional<std::int64_t> LookAt(const scheduler::GangStatus& gang,
                                                   const scheduler::MemberStatus& member,
                                                   std::int64_t now_ms);
  void Unwant(const scheduler::Key& pod);
  void ScheduleTick();
  void Tick();
  void Patch(const PodRecord& pod, const Want& want);

  ports::Loop& loop_;
  Send send_;
  const Stores& stores_;
  PodGroupWriter::Again again_;
  const std::int64_t grace_ms_;
  std::map<scheduler::Key, Waiting> gangs_;
  // By pod; a reason, on which autoscalers act, before numbers alone.
  std::map<std::pair<bool, scheduler::Key>, Want> wants_;
  std::optional<ports::Loop::TimerId> tick_;
  bool bindings_waiting_ = false;
};

}  // namespace muster::controllers
