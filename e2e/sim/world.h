// A whole simulated cluster on virtual time: API server, kubelets, users, and one operator, or two
// with a lease between them, that are killed and started again. Two phases: trouble for a while,
// then peace, in which everything that fits has to run to its end and nothing may be left over. The
// same options give the same run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "e2e/owners/controllers.h"
#include "e2e/sim/checkers.h"
#include "e2e/sim/excuses.h"
#include "e2e/sim/faults.h"
#include "e2e/sim/kubelet.h"
#include "e2e/sim/life.h"
#include "e2e/sim/marks.h"
#include "e2e/sim/meddlers.h"
#include "e2e/sim/minimums.h"
#include "e2e/sim/owner.h"
#include "e2e/sim/prng.h"
#include "e2e/sim/shadow.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/trouble.h"
#include "e2e/sim/twin_core.h"
#include "e2e/sim/wire.h"
#include "scheduler/framework/policy.h"

namespace muster::e2e {

struct WorldOptions {
  std::uint64_t seed = 0;
  std::string crds_folder;  // crds/*.yaml.
  Faults faults;            // While trouble lasts.
  // More than one: with leader election, each stands still at times and has a wall clock of its
  // own.
  std::int64_t operators = 1;
  std::int64_t trouble_ms = 150'000;
  std::int64_t peace_ms = 2'700'000;  // The bound of liveness.
  using NodePlan = e2e::NodePlan;
  std::vector<NodePlan> nodes;
  std::vector<GangPlan> gangs;
  std::vector<std::string> extra;                         // More objects, "path body".
  scheduler::Policy policy = scheduler::DefaultPolicy();  // Of the operator.
  // A planted fault; given the loop, so that it can act later.
  std::function<Tap(SimLoop&)> plant;
  std::function<void(const std::string& line)> log;  // Of the operator, for a person.
};

struct WorldResult {
  std::vector<std::string> violations;  // Empty: the run is good.
  Counts marks;                         // Rare turns that were taken.
  Counts faults;                        // That struck.
  std::uint64_t hash = 0;
  std::int64_t bindings = 0, lives = 0, elapsed_ms = 0;
  std::uint64_t steps = 0;
};

class World {
 public:
  explicit World(WorldOptions options);
  [[nodiscard]] WorldResult Run();

 private:
  void Populate();
  // One instance of the operator: one life after the other.
  struct Instance {
    std::unique_ptr<TwinCore> twin;
    std::unique_ptr<Life> life;
    std::int64_t lives = 0;
    bool ending = false;  // After the step under way.
  };
  void StartLife(std::size_t index);
  void EndLife(std::size_t index);
  void OnFatal(std::size_t index, const std::string& why);
  // Since when the present leader leads; now, when nobody does.
  [[nodiscard]] std::int64_t LeadingSince();
  void LookAtLeader();
  void Tick();  // Once a second.
  void JumpClock();
  void SaveServer();
  // The API server is as it was then; requests under way are dropped, the checkers begin anew.
  void RestoreServer();
  void OnArrival(const Arrival& arrival);
  void OnMoved();
  HttpResponse Send(const HttpRequest& request);
  // Until `end_ms`, or until `done` says so (asked after each step), or a violation.
  void RunUntil(std::int64_t end_ms, const std::function<bool()>& done);
  [[nodiscard]] Wire::Hooks WireHooks();

  WorldOptions options_;
  SimLoop loop_;
  Prng prng_;
  ApiServer server_;
  Shadow shadow_;
  Excuses excuses_;
  Checkers checkers_;
  Marks marks_;
  Wire wire_;
  Kubelets kubelets_;
  ClusterControllers controllers_;
  Owner owner_;
  Trouble trouble_;
  Meddlers meddlers_;
  std::vector<Instance> instances_;
  bool troubled_ = true;
  bool restoring_ = false;
  struct Saved {
    std::int64_t at_ms = 0;
    std::shared_ptr<const ApiServer::Snapshot> state;
  };
  std::deque<Saved> saved_;  // Oldest first.
  std::int64_t lives_ = 0;
  std::pair<std::size_t, std::int64_t> leader_;  // Instance, its life; of the last Tick.
  std::int64_t leading_since_ms_ = 0;
};

}  // namespace muster::e2e
