// The kubelets of all simulated nodes, and the collector of pods whose node is gone. Driven by the
// watch frames of pods and nodes and by the caller's clock, speaks to the API server by requests
// alone, so one class serves virtual and real time. No threads, no clock. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "crds/pod.h"
#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server.h"

namespace muster::e2e {

// How long a pod runs before it succeeds, in seconds (a decimal number); absent = for ever.
inline constexpr std::string_view kRunSeconds = "sim.muster.dev/run-seconds";

class Kubelets {
 public:
  struct Options {
    std::int64_t start_ms = 50;     // From bound to Running.
    std::int64_t grace_ms = 200;    // The longest that a terminating pod stays; its own if shorter.
    std::int64_t collect_ms = 500;  // From the node's end to the deletion of its pods.
    std::int64_t lease_ms = 0;      // Between two renewals of a node's Lease; 0 = there is none.
  };
  using Send = std::function<HttpResponse(const HttpRequest&)>;

  // `send` does not call back into this object.
  Kubelets(Options options, Send send) : options_(options), send_(std::move(send)) {}

  // One frame of a watch on all pods, or on all nodes. Plans only; sends nothing.
  void OnPod(const std::string& frame, std::int64_t now_ms);
  void OnNode(const std::string& frame, std::int64_t now_ms);

  // While held no pod ends; what would have ended meanwhile does so when this is lifted.
  void HoldEnds(bool held) { ends_held_ = held; }

  // When the pod with this UID starts its kubelet rejects it, as while a device plugin restarts.
  void RejectStart(const std::string& uid) { rejected_.insert(uid); }

  // A kubelet that is stopped does nothing and renews nothing. Started again it says that its node
  // is ready, and goes on with the pods that it finds.
  void SetStopped(const std::string& node, bool stopped);

  // When Run has something to do.
  [[nodiscard]] std::optional<std::int64_t> next_ms() const;
  // Does what is due, in the order of its time and, at one time, in the order it was planned.
  void Run(std::int64_t now_ms);

 private:
  enum class Step : std::uint8_t { kStart, kFinish, kRemove, kCollect };
  struct Pod {
    std::string ns, name, uid, node;
    crds::ResourceList request;  // With "pods", not sorted.
    std::vector<std::string> containers;
    std::optional<std::int64_t> run_ms;
    std::int64_t started_ms = 0;
    bool admitted = false;     // Its request is in use on the node.
    bool unsaid = false;       // It runs, and the API server has forgotten so.
    bool terminal = false;     // Succeeded or Failed.
    bool terminating = false;  // A removal is planned.
  };

  void Track(const Json& object, std::int64_t now_ms);
  void PlanFirst(Pod& pod, const Json& object, std::int64_t now_ms);
  void PlanRemoval(Pod& pod, const Json& object, std::int64_t now_ms);
  void Plan(std::int64_t at_ms, Step step, const std::string& uid);
  void Renew(std::int64_t now_ms);
  void RenewLease(const std::string& node, std::int64_t now_ms);
  void SayReady(const std::string& node, std::int64_t now_ms);
  void Do(Step step, Pod& pod, std::int64_t now_ms);
  void Start(Pod& pod, std::int64_t now_ms);
  void SayRunning(const Pod& pod, std::int64_t now_ms);
  void FinishOrPlan(Pod& pod, std::int64_t now_ms);
  void Finish(Pod& pod, std::int64_t now_ms);
  void Delete(const Pod& pod);
  void PatchStatus(const Pod& pod, Json status);
  void Forget(const std::string& uid);
  // The status that rejects the pod, or null: it fits.
  [[nodiscard]] Json Rejection(const Pod& pod) const;
  [[nodiscard]] std::int64_t UsedOn(const std::string& node, const std::string& resource) const;

  const Options options_;
  const Send send_;
  bool ends_held_ = false;
  std::map<std::string, crds::ResourceList> nodes_;       // Allocatable, by name.
  std::map<std::string, std::string> node_uids_;          // By name.
  std::set<std::string> unknown_nodes_;                   // Whether they are ready is not said.
  std::set<std::string> stopped_;                         // Nodes.
  std::set<std::string> rejected_;                        // UIDs of pods.
  std::map<std::string, std::int64_t> renew_ms_;          // When its Lease is due, by node.
  std::map<std::string, Pod> pods_;                       // Bound pods, by uid.
  std::map<std::string, std::set<std::string>> on_node_;  // Uids, by the node's name.
  std::multimap<std::int64_t, std::pair<Step, std::string>> planned_;
};

}  // namespace muster::e2e
