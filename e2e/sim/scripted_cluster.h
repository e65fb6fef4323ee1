// A cluster on virtual time that a test plays line by line: the API server, its kubelets, users who
// make and delete objects when the test says so, and the real operator over the wire. Nothing goes
// wrong but what the test asks for; every request of the operator is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "e2e/apiserver/json.h"
#include "e2e/sim/kubelet.h"
#include "e2e/sim/life.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/wire.h"

namespace muster::e2e {

class ScriptedCluster {
 public:
  // "LIST /api/v1/pods", "WATCH /api/v1/pods", "POST /api/v1/.../binding".
  struct Sent {
    std::int64_t at_ms = 0;
    std::string what;
  };
  // A request that reached the server and was answered; not the watches.
  struct Answered {
    std::int64_t at_ms = 0;
    std::string what, body;
    int status = 0;
  };
  using Serve = std::function<HttpResponse()>;

  // The seed draws latencies and the jitter of every back-off.
  explicit ScriptedCluster(const std::string& crds_folder, std::uint64_t seed = 1,
                           Kubelets::Options kubelets = {});
  ~ScriptedCluster();
  ScriptedCluster(const ScriptedCluster&) = delete;
  ScriptedCluster& operator=(const ScriptedCluster&) = delete;

  // Users. Namespaced objects lie in "default"; queues admit all namespaces.
  void Node(const std::string& name, std::int64_t gpus);
  void Queue(const std::string& name, std::int64_t gpus);
  void Group(const std::string& name, const std::string& queue, std::int64_t min_member);
  void Member(const std::string& group, std::int64_t index, std::int64_t gpus);
  // The PodGroup and `count` members, all of them its minimum.
  void Gang(const std::string& name, const std::string& queue, std::int64_t count,
            std::int64_t gpus);
  void Pod(const std::string& name, const std::string& queue, std::int64_t gpus);
  void Make(const std::string& path, const Json& object);  // Any other object.
  void Delete(const std::string& path);
  void DeleteNode(const std::string& name);
  void DeleteGroup(const std::string& name);
  void DeletePod(const std::string& name);
  void Relabel(const std::string& pod, const std::string& group);  // Of another PodGroup by now.

  // The operator, and what lies between it and the server.
  struct Operator {
    controllers::CoreObserver observer = {};
    std::function<void(const std::string& line)> log = nullptr;
    bool gives_up = false;  // As Life has it.
  };
  void StartOperator() { StartOperator({}); }
  void StartOperator(Operator with);
  void KillOperator() { life_.reset(); }
  void SetReachable(bool reachable);  // False: its connections are cut, too.
  void Compact() { server_.Compact(); }
  void LoseConnections() { life_->LoseConnections(); }
  // The operator's open watch of the kind shows this too; false: there is none.
  [[nodiscard]] bool Show(const std::string& plural, const std::string& frame) {
    return life_ != nullptr && life_->Show(plural, frame);
  }
  void SetTap(Tap tap) { tap_ = std::move(tap); }
  // Why it would have exited, or an error that it logged; "" = neither.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }
  void ForgetComplaint() { complaint_.clear(); }
  [[nodiscard]] bool synced() const { return life_ != nullptr && life_->manager().synced(); }

  void Run(std::int64_t ms);
  [[nodiscard]] std::int64_t now_ms() const { return loop_.elapsed_ms(); }

  // As the server has it; null = it is not there.
  [[nodiscard]] Json Get(const std::string& path);
  [[nodiscard]] Json PodNow(const std::string& name);
  [[nodiscard]] Json GroupNow(const std::string& name);
  [[nodiscard]] Json QueueNow(const std::string& name);
  [[nodiscard]] std::string NodeOf(const std::string& pod);  // "" = none, or no such pod.
  // "True Bound"; "" = the condition is not there.
  [[nodiscard]] std::string Condition(const std::string& group, const std::string& type);

  [[nodiscard]] const std::vector<Sent>& sent() const { return sent_; }
  [[nodiscard]] const std::vector<Answered>& answered() const { return answered_; }
  // How many of this name left the operator in [from, to).
  [[nodiscard]] std::int64_t CountSent(std::string_view what, std::int64_t from_ms,
                                       std::int64_t to_ms) const;

 private:
  [[nodiscard]] Wire::Hooks WireHooks();

  const std::uint64_t seed_;
  SimLoop loop_;
  ApiServer server_;
  Tap tap_;
  std::vector<Sent> sent_;
  std::vector<Answered> answered_;
  std::string complaint_;
  std::uint64_t lives_ = 0;
  Wire wire_;
  Kubelets kubelets_;
  std::unique_ptr<Life> life_;
};

}  // namespace muster::e2e
