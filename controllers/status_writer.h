// Writes what users see: status of PodGroups and Queues, PodScheduled=False of waiting pods, and
// the events that tell of success and of waiting. Everything is level-triggered: it is told which
// gangs and queues may look different, waits until they are quiet, asks the core, and writes only
// what differs from what is stored; waiting gangs are asked about again and again. Never in the way
// of a Binding. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "controllers/event_recorder.h"
#include "controllers/pod_condition_writer.h"
#include "controllers/ports/loop.h"
#include "controllers/stores.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

// The core, as the status side asks it.
struct CoreView {
  std::function<std::optional<scheduler::GangStatus>(const scheduler::Key& gang)> gang;
  std::function<std::optional<scheduler::QueueStatus>(const std::string& queue)> queue;
};

class StatusWriter {
 public:
  struct World {
    ports::Loop& loop;
    Send send;
    const Stores& stores;
    EventRecorder& recorder;
    CoreView core;
    std::int64_t pod_grace_ms = kPodGraceMs;
  };
  explicit StatusWriter(World world);
  ~StatusWriter();
  StatusWriter(const StatusWriter&) = delete;
  StatusWriter& operator=(const StatusWriter&) = delete;

  // After each Decide: notes its changed gangs and queues. Writes nothing by itself.
  void OnDecision(const scheduler::Decision& decision);
  // The first Binding of a wave waits for its answer, or the last one has it.
  void BindingsWaiting(bool waiting);
  // The object was seen anew: a status that is not what was last written is written again.
  void GroupStored(const scheduler::Key& gang);
  void QueueStored(const std::string& name);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster::controllers
