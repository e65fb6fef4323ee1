// What kube-controller-manager does in a cluster, as far as gangs meet it: Jobs and ReplicaSets
// make pods and make lost ones again, dependents go with their owners, nodes without a kubelet lose
// their pods, budgets of disruption are counted. Driven by watch frames and the caller's clock,
// speaks to the API server by requests alone, so one class serves virtual and real time. No
// threads, no clock. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "e2e/owners/cache.h"
#include "e2e/owners/garbage.h"
#include "e2e/owners/job.h"
#include "e2e/owners/node_lifecycle.h"
#include "e2e/owners/requests.h"

namespace muster::e2e {

class ClusterControllers {
 public:
  struct Options {
    JobOptions jobs{};
    NodeOptions nodes{};
  };

  // `send` may lead to OnFrame, as it does where watches have no latency.
  ClusterControllers(Options options, Requests::Send send)
      : options_(options), requests_(std::move(send)) {}

  // One frame of a watch on one of WatchedPaths. Notes only; sends nothing.
  void OnFrame(const std::string& frame, std::int64_t now_ms);

  // As after a restart: nothing was ever heard. Frames of all objects have to follow.
  void Forget();

  // When Run has something to do.
  [[nodiscard]] std::optional<std::int64_t> next_ms() const;
  void Run(std::int64_t now_ms);

 private:
  void Note(const Json& object);
  void ForgetOne(const Json& object);
  void WakeBudgets(const Json& object);
  void OnLease(const Json& lease, std::int64_t now_ms);
  void Later(const std::string& uid, std::int64_t at_ms);
  void Sync(const std::string& uid, std::int64_t now_ms);
  void SyncGarbage(const Json& object);
  void SyncJob(const Json& job, std::int64_t now_ms);
  void SyncReplicaSet(const Json& set, std::int64_t now_ms);
  void SyncNode(const Json& node, std::int64_t now_ms);
  void SyncBudget(const Json& budget, std::int64_t now_ms);
  void SyncPodsOf(const Json& node, std::int64_t now_ms);
  void Evict(const Json& pod, std::int64_t now_ms);
  // False: one was refused for now.
  bool CreatePods(const std::vector<Json>& pods);
  void RemovePods(const std::vector<Json>& pods);
  void Remove(const Json& object, const std::string& propagation);
  void Learn(const Answered& answer);
  void Release(const std::string& uid, const std::string& owner);
  [[nodiscard]] OwnerState LookUp(const Json& reference, const Json& dependent) const;

  const Options options_;
  const Requests requests_;
  Cache cache_;
  std::map<std::string, JobMemory> jobs_;              // By UID.
  std::map<std::string, std::int64_t> node_heard_ms_;  // By the node's name.
  std::set<std::string> dirty_;                        // UIDs.
  std::set<std::pair<std::int64_t, std::string>> timers_;
};

}  // namespace muster::e2e
