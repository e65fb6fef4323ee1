#include "e2e/sim/trouble.h"

#include <cstddef>
#include <iterator>

#include "e2e/sim/owner.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kLease =
    "/apis/coordination.k8s.io/v1/namespaces/muster-system/leases/muster";
constexpr const char* kPages = "/apis/muster.dev/v1alpha1/namespaces/muster-system/bindingjournals";

Json ImageOfMembers() {
  return Json::array({{{"names", Json::array({"train@sha256:0123", "train:latest"})},
                       {"sizeBytes", 4'000'000'000}}});
}

}  // namespace

// Every other one holds what the members run: that draws them there, and must change nothing else.
void Trouble::MakeNodes() {
  for (std::size_t i = 0; i < world_.nodes.size(); ++i) {
    MUSTER_CHECK(Make(world_.nodes[i], i % 2 == 0 ? ImageOfMembers() : Json::array()));
  }
}

void Trouble::MakeMissingNodes() {
  for (const NodePlan& node : world_.nodes) {
    if (!world_.shadow.nodes().contains(node.name)) (void)Make(node);
  }
}

bool Trouble::Make(const NodePlan& node, const Json& images) {
  const Json amounts = {
      {kGpu, std::to_string(node.gpus)}, {"cpu", "64"}, {"pods", "110"}, {"memory", "512Gi"}};
  Json labels = Json::object();
  if (!node.rack.empty()) labels = {{kRackLabel, node.rack}, {kBlockLabel, "block-0"}};
  const Json object = {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", {{"name", node.name}, {"labels", labels}}},
      {"status",
       {{"allocatable", amounts},
        {"capacity", amounts},
        {"images", images},
        {"conditions", {{{"type", "Ready"}, {"status", "True"}, {"reason", "KubeletReady"}}}}}}};
  return Send(Post(kNodes, Dump(object))).status == 201;
}

void Trouble::Second(bool with_lease) {
  Weather& weather = world_.weather;
  Prng& prng = world_.prng;
  const auto strike = [&](Fault fault, const std::function<bool()>& act) {
    if (weather.Draw(fault, prng) && act()) weather.Note(fault);
  };
  strike(Fault::kCompact, [this]() {
    world_.server.Compact();
    return true;
  });
  strike(Fault::kNodeLost, [this]() { return LoseNode(5'000, 40'000); });
  strike(Fault::kNodeMadeAgain, [this]() { return LoseNode(1, 1'000); });
  strike(Fault::kNodeCordoned, [this]() { return Cordon(); });
  strike(Fault::kDevicesLost, [this]() { return LoseDevices(); });
  strike(Fault::kKubeletStopped, [this]() { return StopKubelet(); });
  strike(Fault::kPodDeleted, [this]() { return DeletePod(); });
  strike(Fault::kPageDeleted, [this]() { return DeletePage(); });
  if (with_lease) strike(Fault::kLeaseDeleted, [this]() { return DeleteLease(); });
}

bool Trouble::LoseNode(std::int64_t least_ms, std::int64_t most_ms) {
  const NodePlan& node = AnyNode();
  const bool gone = Send(DeleteAt(std::string(kNodes) + "/" + node.name)).status == 200;
  const std::int64_t away_ms = world_.prng.Between(least_ms, most_ms);
  world_.loop.After(away_ms, [this, &node]() { (void)Make(node); });
  return gone;
}

void Trouble::Patch(const std::string& path, const Json& patch) {
  HttpRequest request;
  request.method = "PATCH";
  request.path = path;
  request.content_type = "application/merge-patch+json";
  request.body = Dump(patch);
  (void)Send(request);
}

void Trouble::SetCordoned(const std::string& node, bool on) {
  const Json value = on ? Json(true) : Json(nullptr);
  Patch(std::string(kNodes) + "/" + node, {{"spec", {{"unschedulable", value}}}});
}

bool Trouble::Cordon() {
  const NodePlan& node = AnyNode();
  SetCordoned(node.name, true);
  const std::int64_t for_ms = world_.prng.Between(5'000, 40'000);
  world_.loop.After(for_ms, [this, &node]() { SetCordoned(node.name, false); });
  return true;
}

void Trouble::SetDevices(const std::string& node, std::int64_t gpus) {
  Patch(std::string(kNodes) + "/" + node + "/status",
        {{"status", {{"allocatable", {{kGpu, std::to_string(gpus)}}}}}});
}

// As a device plugin does that finds devices unhealthy: they leave the allocatable amount, not the
// capacity, and what runs on them runs on.
bool Trouble::LoseDevices() {
  const NodePlan& node = AnyNode();
  const std::int64_t left = world_.prng.Between(0, node.gpus - 1);
  const std::int64_t for_ms = world_.prng.Between(5'000, 40'000);
  if (!world_.shadow.nodes().contains(node.name)) return false;
  world_.excuses.NoteTaken(node.name, (node.gpus - left) * 1'000);
  SetDevices(node.name, left);
  world_.loop.After(for_ms, [this, &node]() { SetDevices(node.name, node.gpus); });
  return true;
}

bool Trouble::StopKubelet() {
  const NodePlan& node = AnyNode();
  world_.kubelets.SetStopped(node.name, true);
  const std::int64_t for_ms = world_.prng.Between(20'000, 120'000);
  world_.loop.After(for_ms, [this, &node]() { world_.kubelets.SetStopped(node.name, false); });
  return true;
}

bool Trouble::DeletePod() {
  std::vector<std::string> names;
  for (const auto& [name, pod] : world_.shadow.pods()) {
    if (!IsTerminal(pod) && !pod.meta.deletion_ms.has_value()) names.push_back(name.second);
  }
  if (names.empty()) return false;
  const std::string& name = names[world_.prng.Below(names.size())];
  return Send(DeleteAt("/api/v1/namespaces/default/pods/" + name)).status == 200;
}

bool Trouble::DeleteLease() {
  return Send(DeleteAt(kLease)).status == 200;
}

bool Trouble::DeletePage() {
  const auto& pages = world_.shadow.pages();
  if (pages.empty()) return false;
  const auto chosen =
      std::next(pages.begin(), static_cast<std::ptrdiff_t>(world_.prng.Below(pages.size())));
  const crds::BindingJournal page = chosen->second;
  world_.excuses.NoteLost(page);
  return Send(DeleteAt(std::string(kPages) + "/" + page.meta.name)).status == 200;
}

void Trouble::Mend() {
  for (const NodePlan& node : world_.nodes) {
    world_.kubelets.SetStopped(node.name, false);
    if (!world_.shadow.nodes().contains(node.name)) {
      (void)Make(node);
      continue;
    }
    SetCordoned(node.name, false);
    SetDevices(node.name, node.gpus);
  }
}

}  // namespace muster::e2e
