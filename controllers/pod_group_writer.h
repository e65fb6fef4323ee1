// PATCHes of PodGroup status, one gang at a time: what is stored is compared with what should be,
// counts and texts alone go out at most every 5 s, and everything waits up to 5 s while Bindings
// do (one such PATCH costs the API server as much as 2 to 4 Bindings). Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "controllers/event_recorder.h"
#include "controllers/ports/loop.h"
#include "crds/pod_group.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

// One look at one gang.
struct Turn {
  Now now;
  std::int64_t since_ms = 0;  // Monotonic: when the change was first heard of.
  bool bindings_waiting = false;
};

class PodGroupWriter {
 public:
  // `again` asks for another look at the gang, after so many milliseconds.
  using Again = std::function<void(const scheduler::Key& gang, std::int64_t delay_ms)>;

  PodGroupWriter(Send send, Again again);

  // Writes what differs. The monotonic time at which to look again; nullopt = nothing is left.
  [[nodiscard]] std::optional<std::int64_t> Look(const scheduler::GangStatus& gang,
                                                 const crds::PodGroup& group, const Turn& turn);
  // The stored object was seen; true = it is not what was written last.
  [[nodiscard]] bool Stored(const crds::PodGroup& group);
  void Forget(const scheduler::Key& gang) { sent_.erase(gang); }

 private:
  struct Sent {
    scheduler::Uid uid;
    std::string resource_version;  // Of the object as it was then.
    crds::PodGroupStatus status;
    std::int64_t at_ms = 0;
    bool unanswered = false;
    bool unseen = false;   // The watch has not shown it yet.
    bool refused = false;  // For good: not sent again before the object changes.
  };

  void Patch(const crds::PodGroup& group, const crds::PodGroupStatus& status, const Now& now);
  void Answered(const scheduler::Key& gang, const scheduler::Uid& uid,
                const Result<ports::Response>& answer);

  Send send_;
  Again again_;
  std::map<scheduler::Key, Sent> sent_;
};

}  // namespace muster::controllers
