// The stage of a scripted schedule: a cluster without weather on virtual time, its users, operators
// by name, each with a wire of its own, and all checkers. The script says what happens when, and a
// tap stands between every operator and the server. The first violation stops the time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "e2e/sim/canaries.h"
#include "e2e/sim/checkers.h"
#include "e2e/sim/kubelet.h"
#include "e2e/sim/life.h"
#include "e2e/sim/owner.h"
#include "e2e/sim/shadow.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/twin_core.h"
#include "e2e/sim/wire.h"
#include "scheduler/framework/policy.h"

namespace muster::e2e {

class Stage {
 public:
  using Serve = std::function<HttpResponse()>;
  // As Tap (wire.h); `who` is the name of the operator that sent the request.
  using NamedTap = std::function<HttpResponse(const std::string& who, const HttpRequest& request,
                                              const Serve& serve)>;

  // Queues and priority classes are those of StandardObjects (seeds.h).
  explicit Stage(const std::string& crds_folder);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  void Node(const std::string& name, std::int64_t gpus);
  void TwoNodes();                  // node-0 and node-1, of 8 GPUs each.
  void Gang(const GangPlan& plan);  // Returns when all its objects are there.
  void SetTap(NamedTap tap) { tap_ = std::move(tap); }
  void SetPolicy(const scheduler::Policy& policy) { policy_ = policy; }  // Of who starts then.
  // From now on what waiting gangs are told has to be true.
  void CheckReasons() { checkers_.SetCalm(); }

  // An operator that leads at once, under its name as identity. Started again it begins anew.
  void Start(const std::string& who) { Begin(who, false); }
  // One that stands by for as long as the Lease, which `leader` does not renew, is good: 15 s.
  void StandBy(const std::string& who, const std::string& leader);
  // What the watches of this operator show comes so much later.
  void LagWatches(const std::string& who, std::int64_t ms);
  [[nodiscard]] bool IsLeading(const std::string& who);
  void Kill(const std::string& who) { actors_[who].life.reset(); }
  void Freeze(const std::string& who, std::int64_t ms);

  // By nobody's operator.
  HttpResponse Send(const HttpRequest& request) { return server_.Handle(request); }
  // By an operator, in place of what it sent; within a tap.
  HttpResponse Act(const HttpRequest& request);
  // By a user: deleted at once and made again under its name.
  void Replace(const std::string& pod);
  // By anybody: the pod gets another resourceVersion.
  void Annotate(const std::string& pod, const std::string& value);
  void Cordon(const std::string& node, bool on);

  void Run(std::int64_t ms);
  // False: not within the time, or a checker has found something.
  bool Until(const std::function<bool()>& condition, std::int64_t most_ms = 120'000);
  [[nodiscard]] std::int64_t now_ms() const { return loop_.elapsed_ms(); }
  void After(std::int64_t ms, SimLoop::Task task) { loop_.After(ms, std::move(task)); }

  [[nodiscard]] std::string NodeOf(const std::string& pod) const;  // "" = none, or no such pod.
  [[nodiscard]] std::string VersionOf(const std::string& pod) const;
  [[nodiscard]] const crds::JournalEntry* EntryOf(const std::string& gang) const;

  // Until every gang has run to its end, and then until nothing is under way: what was violated.
  [[nodiscard]] std::vector<std::string> End();

 private:
  struct Actor {
    std::unique_ptr<Wire> wire;
    std::unique_ptr<TwinCore> twin;
    std::unique_ptr<Life> life;
    std::uint64_t lives = 0;
  };
  [[nodiscard]] Wire::Hooks HooksOf(const std::string& who);
  void Begin(const std::string& who, bool election);
  void Tick();

  SimLoop loop_;
  ApiServer server_;
  Shadow shadow_;
  Checkers checkers_;
  Kubelets kubelets_;
  Owner owner_;
  NamedTap tap_;
  scheduler::Policy policy_ = scheduler::DefaultPolicy();
  std::map<std::string, Actor> actors_;
  std::int64_t leader_since_ms_ = 0;
};

// A schedule on a stage of its own; returns what was violated.
using StageScript = std::vector<std::string> (*)(Stage& stage, bool planted);
struct StagePlay {
  const char* name;
  const char* says;
  StageScript script;
};
[[nodiscard]] Canary OnStage(const std::string& crds_folder, const StagePlay& play);

}  // namespace muster::e2e
