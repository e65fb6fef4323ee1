// PATCHes of Queue status: at most one in 5 s for a queue and 20 a second for all of them. Loop
// thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "controllers/due_queue.h"
#include "controllers/event_recorder.h"
#include "controllers/ports/loop.h"
#include "controllers/stores.h"
#include "crds/queue.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

class QueueWriter {
 public:
  using View = std::function<std::optional<scheduler::QueueStatus>(const std::string& queue)>;

  QueueWriter(ports::Loop& loop, Send send, const Stores& stores, View view);

  void Changed(const std::string& queue);
  void Stored(const std::string& queue);  // The object was seen anew.

 private:
  struct Sent {
    scheduler::Uid uid;
    crds::QueueStatus status;
    std::int64_t at_ms = 0;
  };

  void Look(const std::string& queue);
  void Patch(const crds::Queue& queue, const crds::QueueStatus& status);

  ports::Loop& loop_;
  Send send_;
  const Stores& stores_;
  View view_;
  std::map<std::string, Sent> sent_;
  std::int64_t next_ms_ = 0;  // Monotonic: before this no queue is written.
  DueQueue<std::string> due_;
};

}  // namespace muster::controllers
