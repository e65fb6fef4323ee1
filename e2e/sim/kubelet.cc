#include "e2e/sim/kubelet.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "crds/decode.h"
#include "crds/pod_request.h"
#include "crds/time.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kLookAgainMs = 20;
constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

struct Frame {
  std::string type;
  Json object;
};

std::optional<Frame> ReadFrame(const std::string& text) {
  std::optional<Json> frame = Parse(text);
  if (!frame || !frame->contains("object")) return std::nullopt;
  return Frame{.type = StringAt(*frame, {"type"}), .object = std::move((*frame)["object"])};
}

std::optional<std::int64_t> RunMs(const Json& object) {
  const std::string& text = StringAt(object, {"metadata", "annotations", kRunSeconds});
  if (text.empty()) return std::nullopt;
  return std::llround(std::strtod(text.c_str(), nullptr) * 1000.0);
}

Json ConditionJson(std::string_view type, bool status, std::string_view reason,
                   std::int64_t now_ms) {
  Json condition = {{"type", type},
                    {"status", status ? "True" : "False"},
                    {"lastProbeTime", nullptr},
                    {"lastTransitionTime", crds::FormatTime(now_ms)}};
  if (!reason.empty()) condition["reason"] = reason;
  return condition;
}

Json ContainerStatuses(const std::vector<std::string>& names, const Json& state, bool ready) {
  Json statuses = Json::array();
  for (const std::string& name : names) {
    statuses.push_back({{"name", name},
                        {"image", ""},
                        {"imageID", ""},
                        {"ready", ready},
                        {"started", ready},
                        {"restartCount", 0},
                        {"state", state}});
  }
  return statuses;
}

// Nobody has said of the node whether it is ready.
bool IsUnknown(const Json& node) {
  const Json* conditions = Find(node, {"status", "conditions"});
  if (conditions == nullptr) return true;
  return std::none_of(conditions->begin(), conditions->end(), [](const Json& condition) {
    return StringAt(condition, {"type"}) == "Ready" && StringAt(condition, {"status"}) != "Unknown";
  });
}

bool IsTerminal(const std::string& phase) {
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

void Kubelets::OnPod(const std::string& frame, std::int64_t now_ms) {
  const std::optional<Frame> read = ReadFrame(frame);
  if (!read) return;
  if (read->type == "DELETED") Forget(StringAt(read->object, {"metadata", "uid"}));
  if (read->type == "ADDED" || read->type == "MODIFIED") Track(read->object, now_ms);
}

void Kubelets::OnNode(const std::string& frame, std::int64_t now_ms) {
  const std::optional<Frame> read = ReadFrame(frame);
  if (!read) return;
  const std::string& name = StringAt(read->object, {"metadata", "name"});
  if (read->type == "DELETED") {
    nodes_.erase(name);
    renew_ms_.erase(name);
    unknown_nodes_.erase(name);
    for (const std::string& uid : on_node_[name]) {
      Plan(now_ms + options_.collect_ms, Step::kCollect, uid);
    }
  }
  if (read->type != "ADDED" && read->type != "MODIFIED") return;
  const Result<crds::Node> node = crds::DecodeNode(Dump(read->object));
  if (!node.ok()) return;
  nodes_[name] = node.value().allocatable;
  node_uids_[name] = StringAt(read->object, {"metadata", "uid"});
  if (options_.lease_ms > 0 && !stopped_.contains(name)) renew_ms_.try_emplace(name, now_ms);
  if (IsUnknown(read->object)) {
    unknown_nodes_.insert(name);
  } else {
    unknown_nodes_.erase(name);
  }
  // A node that comes after its pods starts them.
  if (read->type != "ADDED") return;
  for (const std::string& uid : on_node_[name]) {
    if (!pods_.at(uid).admitted) Plan(now_ms + options_.start_ms, Step::kStart, uid);
  }
}

void Kubelets::SetStopped(const std::string& node, bool stopped) {
  if (stopped) {
    stopped_.insert(node);
    renew_ms_.erase(node);
  } else {
    stopped_.erase(node);
    if (options_.lease_ms > 0 && nodes_.contains(node)) renew_ms_[node] = 0;
  }
}

std::optional<std::int64_t> Kubelets::next_ms() const {
  std::optional<std::int64_t> next;
  if (!planned_.empty()) next = planned_.begin()->first;
  for (const auto& [node, at_ms] : renew_ms_) next = std::min(next.value_or(at_ms), at_ms);
  return next;
}

void Kubelets::Run(std::int64_t now_ms) {
  Renew(now_ms);
  while (!planned_.empty() && planned_.begin()->first <= now_ms) {
    const auto [step, uid] = planned_.begin()->second;
    planned_.erase(planned_.begin());
    const auto pod = pods_.find(uid);
    if (pod != pods_.end()) Do(step, pod->second, now_ms);
  }
}

// As kubelet's nodelease controller does, and its status manager when it comes back.
void Kubelets::Renew(std::int64_t now_ms) {
  std::vector<std::string> due;
  for (const auto& [node, at_ms] : renew_ms_) {
    if (at_ms <= now_ms) due.push_back(node);
  }
  for (const std::string& node : due) {
    renew_ms_[node] = now_ms + options_.lease_ms;
    RenewLease(node, now_ms);
    if (unknown_nodes_.contains(node)) SayReady(node, now_ms);
  }
}

void Kubelets::RenewLease(const std::string& node, std::int64_t now_ms) {
  const Json lease = {{"apiVersion", "coordination.k8s.io/v1"},
                      {"kind", "Lease"},
                      {"metadata",
                       {{"name", node},
                        {"namespace", "kube-node-lease"},
                        {"ownerReferences", Json::array({{{"apiVersion", "v1"},
                                                          {"kind", "Node"},
                                                          {"name", node},
                                                          {"uid", node_uids_.at(node)}}})}}},
                      {"spec",
                       {{"holderIdentity", node},
                        {"leaseDurationSeconds", 40},
                        {"renewTime", crds::FormatMicroTime(now_ms)}}}};
  HttpRequest request{.method = "PATCH",
                      .path = std::string(kLeases) + "/" + node,
                      .query = {},
                      .content_type = "application/merge-patch+json",
                      .accept = "application/json",
                      .body = Dump(lease)};
  if (send_(request).status != 404) return;
  request.method = "POST";
  request.path = kLeases;
  request.content_type = "application/json";
  (void)send_(request);
}

void Kubelets::SayReady(const std::string& node, std::int64_t now_ms) {
  Json conditions = Json::array({ConditionJson("Ready", true, "KubeletReady", now_ms)});
  for (const char* pressure : {"MemoryPressure", "DiskPressure", "PIDPressure"}) {
    conditions.push_back(ConditionJson(pressure, false, "KubeletIsHealthy", now_ms));
  }
  for (Json& condition : conditions) condition.erase("lastProbeTime");
  (void)send_({.method = "PATCH",
               .path = "/api/v1/nodes/" + node + "/status",
               .query = {},
               .content_type = "application/strategic-merge-patch+json",
               .accept = "application/json",
               .body = Dump({{"status", {{"conditions", std::move(conditions)}}}})});
}

void Kubelets::Track(const Json& object, std::int64_t now_ms) {
  const std::string& uid = StringAt(object, {"metadata", "uid"});
  const std::string& node = StringAt(object, {"spec", "nodeName"});
  // Only where the API server was restored to an older state was it bound before.
  if (node.empty()) return Forget(uid);
  const auto old = pods_.find(uid);
  if (old != pods_.end() && old->second.node != node) Forget(uid);
  const auto [entry, is_new] = pods_.try_emplace(uid);
  Pod& pod = entry->second;
  const std::string& phase = StringAt(object, {"status", "phase"});
  const bool ended = pod.terminal;
  pod.terminal = IsTerminal(phase);
  // Likewise: what has ended, or runs, is said once more.
  if (ended && !pod.terminal) Plan(now_ms, pod.admitted ? Step::kFinish : Step::kStart, uid);
  pod.unsaid = pod.admitted && !ended && phase == "Pending";
  if (pod.unsaid) Plan(now_ms, Step::kStart, uid);
  if (is_new) {
    pod.ns = StringAt(object, {"metadata", "namespace"});
    pod.name = StringAt(object, {"metadata", "name"});
    pod.uid = uid;
    pod.node = node;
    pod.run_ms = RunMs(object);
    on_node_[node].insert(uid);
    PlanFirst(pod, object, now_ms);
  }
  PlanRemoval(pod, object, now_ms);
}

void Kubelets::PlanFirst(Pod& pod, const Json& object, std::int64_t now_ms) {
  const Result<crds::Pod> decoded = crds::DecodePod(Dump(object));
  if (decoded.ok()) {
    pod.request = crds::EffectiveRequest(decoded.value());
    pod.request.emplace_back("pods", 1);
    for (const crds::Container& one : decoded.value().containers) {
      pod.containers.push_back(one.name);
    }
  }
  if (!nodes_.contains(pod.node)) {
    Plan(now_ms + options_.collect_ms, Step::kCollect, pod.uid);
  }
  if (pod.terminal) return;
  if (StringAt(object, {"status", "phase"}) != "Running") {
    Plan(now_ms + options_.start_ms, Step::kStart, pod.uid);
    return;
  }
  // Loaded while it runs.
  pod.admitted = true;
  pod.started_ms = now_ms;
  if (pod.run_ms) Plan(now_ms + *pod.run_ms, Step::kFinish, pod.uid);
}

void Kubelets::PlanRemoval(Pod& pod, const Json& object, std::int64_t now_ms) {
  if (pod.terminating || StringAt(object, {"metadata", "deletionTimestamp"}).empty()) return;
  pod.terminating = true;
  const std::int64_t seconds =
      IntAt(object, {"metadata", "deletionGracePeriodSeconds"}).value_or(0);
  Plan(now_ms + std::min(options_.grace_ms, seconds * 1000), Step::kRemove, pod.uid);
}

void Kubelets::Plan(std::int64_t at_ms, Step step, const std::string& uid) {
  planned_.emplace(at_ms, std::pair(step, uid));
}

void Kubelets::Do(Step step, Pod& pod, std::int64_t now_ms) {
  if (step != Step::kCollect && stopped_.contains(pod.node)) {
    Plan(now_ms + kLookAgainMs, step, pod.uid);
    return;
  }
  const bool node_exists = nodes_.contains(pod.node);
  switch (step) {
    case Step::kStart:
      if (node_exists && !pod.terminal && !pod.terminating) Start(pod, now_ms);
      break;
    case Step::kFinish:
      if (!pod.terminal && !pod.terminating) FinishOrPlan(pod, now_ms);
      break;
    case Step::kRemove:
      if (node_exists) Delete(pod);
      break;
    case Step::kCollect:
      // A node that came back has its pods again, but for those whose removal fell in between.
      if (!node_exists || pod.terminating) Delete(pod);
      break;
  }
}

void Kubelets::Start(Pod& pod, std::int64_t now_ms) {
  if (pod.admitted) {
    if (pod.unsaid) SayRunning(pod, now_ms);
    return;
  }
  Json rejection = Rejection(pod);
  if (!rejection.is_null()) {
    pod.terminal = true;
    PatchStatus(pod, std::move(rejection));
    return;
  }
  pod.admitted = true;
  pod.started_ms = now_ms;
  SayRunning(pod, now_ms);
  if (pod.run_ms) Plan(now_ms + *pod.run_ms, Step::kFinish, pod.uid);
}

void Kubelets::SayRunning(const Pod& pod, std::int64_t now_ms) {
  const std::string time = crds::FormatTime(pod.started_ms);
  PatchStatus(pod,
              {{"phase", "Running"},
               {"startTime", time},
               {"conditions", Json::array({ConditionJson("Initialized", true, "", now_ms),
                                           ConditionJson("ContainersReady", true, "", now_ms),
                                           ConditionJson("Ready", true, "", now_ms)})},
               {"containerStatuses",
                ContainerStatuses(pod.containers, {{"running", {{"startedAt", time}}}}, true)}});
}

// Nobody says that it ended until its node is back, or it is collected.
void Kubelets::FinishOrPlan(Pod& pod, std::int64_t now_ms) {
  if (ends_held_) {
    Plan(now_ms + kLookAgainMs, Step::kFinish, pod.uid);
  } else if (!nodes_.contains(pod.node)) {
    Plan(now_ms + options_.collect_ms, Step::kFinish, pod.uid);
  } else {
    Finish(pod, now_ms);
  }
}

void Kubelets::Finish(Pod& pod, std::int64_t now_ms) {
  pod.terminal = true;
  const Json ended = {{"terminated",
                       {{"exitCode", 0},
                        {"reason", "Completed"},
                        {"startedAt", crds::FormatTime(pod.started_ms)},
                        {"finishedAt", crds::FormatTime(now_ms)}}}};
  PatchStatus(pod, {{"phase", "Succeeded"},
                    {"conditions",
                     Json::array({ConditionJson("ContainersReady", false, "PodCompleted", now_ms),
                                  ConditionJson("Ready", false, "PodCompleted", now_ms)})},
                    {"containerStatuses", ContainerStatuses(pod.containers, ended, false)}});
}

void Kubelets::Delete(const Pod& pod) {
  const Json body = {{"apiVersion", "v1"},
                     {"kind", "DeleteOptions"},
                     {"gracePeriodSeconds", 0},
                     {"preconditions", {{"uid", pod.uid}}}};
  (void)send_({.method = "DELETE",
               .path = "/api/v1/namespaces/" + pod.ns + "/pods/" + pod.name,
               .query = {},
               .content_type = "application/json",
               .accept = "application/json",
               .body = Dump(body)});
}

// The uid makes a pod of the same name refuse what was meant for its predecessor.
void Kubelets::PatchStatus(const Pod& pod, Json status) {
  const Json body = {{"metadata", {{"uid", pod.uid}}}, {"status", std::move(status)}};
  (void)send_({.method = "PATCH",
               .path = "/api/v1/namespaces/" + pod.ns + "/pods/" + pod.name + "/status",
               .query = {},
               .content_type = "application/strategic-merge-patch+json",
               .accept = "application/json",
               .body = Dump(body)});
}

void Kubelets::Forget(const std::string& uid) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return;
  on_node_[pod->second.node].erase(uid);
  rejected_.erase(uid);
  pods_.erase(pod);
}

}  // namespace muster::e2e
