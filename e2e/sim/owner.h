// The users of a simulated cluster, by requests alone and with delays drawn from the seed. They
// make PodGroups, and their members as Jobs or by hand. Of the latter they make a deleted one again
// under a new UID, replace what failed, and start a running gang afresh when it has lost a member;
// a Job's controller does its part by itself. A service is a ReplicaSet of single pods that never
// end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "e2e/apiserver/server.h"
#include "e2e/sim/prng.h"
#include "e2e/sim/shadow.h"
#include "e2e/sim/sim_loop.h"

namespace muster::e2e {

struct GangPlan {
  // Who makes the members. A ReplicaSet's are single pods.
  enum class Maker : std::uint8_t { kUser, kJob, kReplicaSet };

  std::string name = {};
  Maker maker = Maker::kUser;
  bool single = false;                        // A pod without PodGroup.
  bool feasible = true;                       // It fits the whole cluster and may run: it has to.
  std::string queue = {};                     // "" = unset.
  std::string priority_class = {};            // "" = unset.
  std::string required = {}, preferred = {};  // Levels of the topology; "" = unset.
  std::int64_t min = 1, members = 1;
  std::int64_t gpus = 1;  // Per member; 0 = none.
  std::int64_t run_seconds = 10;
  std::int64_t timeout_seconds = 30;
  std::int64_t at_ms = 0;
};

class Owner {
 public:
  using Send = std::function<HttpResponse(const HttpRequest&)>;

  Owner(SimLoop& loop, const Shadow& shadow, std::uint64_t seed, Send send)
      : loop_(loop), shadow_(shadow), prng_(seed), send_(std::move(send)) {}

  // Makes the gang at its time: the PodGroup and its pods in any order.
  void Plan(const GangPlan& plan);
  void OnPod(const crds::Pod* before, const crds::Pod& now, bool deleted);
  // Once a second: gangs that run and have lost a member start afresh, Jobs that cannot end too.
  void Tick();
  // Whether its minimum has run to its end.
  [[nodiscard]] bool IsDone(const std::string& gang) const;
  // Its PodGroup was deleted: what is left goes, and all of it is made again.
  void MakeAnew(const std::string& gang);
  // The API server was restored to an older state: what is missing is made once more, and Jobs that
  // have not ended are made anew.
  void OnRestored();
  // Names of the feasible gangs whose minimum has not run to its end yet, and of services that lack
  // a pod.
  [[nodiscard]] std::vector<std::string> Unfinished() const;

 private:
  void MakeGroup(const GangPlan& plan);
  void MakeJob(const GangPlan& plan);
  void MakeMissing(const GangPlan& plan);
  void MakeJobAnew(const GangPlan& plan);
  void MakeReplicaSet(const GangPlan& plan);
  void TickJobs();
  void OnLost(const GangPlan& plan, const std::string& pod);
  [[nodiscard]] std::string GangOf(const crds::Pod& pod) const;
  [[nodiscard]] std::int64_t RunningOf(const std::string& service) const;
  void MakePod(const GangPlan& plan, const std::string& pod);
  void Delete(const crds::Pod& pod);

  SimLoop& loop_;
  const Shadow& shadow_;
  Prng prng_;
  Send send_;
  std::map<std::string, GangPlan> plans_;               // By name.
  std::map<std::string, std::string> gang_of_;          // By the pod's name.
  std::map<std::string, std::set<std::string>> ended_;  // Members that succeeded, by gang.
  std::map<std::string, std::int64_t> short_since_ms_;
};

// Requests as a user sends them.
[[nodiscard]] HttpRequest Post(const std::string& path, const std::string& body);
[[nodiscard]] HttpRequest DeleteAt(const std::string& path);

}  // namespace muster::e2e
