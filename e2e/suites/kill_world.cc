#include "e2e/suites/kill_world.h"

#include <csignal>
#include <filesystem>
#include <utility>

#include "crds/binding_journal.h"

namespace muster::e2e {
namespace {

constexpr const char* kHooks = "/muster-local/hooks";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kQueues = "/apis/muster.dev/v1alpha1/queues";
constexpr const char* kGroups = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups";
constexpr const char* kPages = "/apis/muster.dev/v1alpha1/namespaces/muster-system/bindingjournals";
constexpr const char* kUrgent = "urgent-pod";

Json Meta(const std::string& name) {
  return {{"name", name}, {"namespace", "default"}};
}

Json QueueObject(const std::string& name) {
  return {{"apiVersion", "muster.dev/v1alpha1"},
          {"kind", "Queue"},
          {"metadata", {{"name", name}}},
          {"spec", {{"namespaceSelector", Json::object()}}}};
}

Json PodObject(Json metadata, Json spec) {
  const Json limits = {{"nvidia.com/gpu", "8"}};
  spec["schedulerName"] = "muster";
  spec["containers"] = Json::array(
      {{{"name", "c"}, {"image", "i"}, {"resources", {{"limits", limits}, {"requests", limits}}}}});
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)}};
}

bool IsTouched(const Json& pod) {
  const Json* const conditions = Find(pod, {"status", "conditions"});
  if (conditions == nullptr) return false;
  for (const Json& condition : *conditions) {
    if (StringAt(condition, {"reason"}) == "BindFailed") return true;
  }
  return false;
}

void AddPlan(const crds::JournalEntry& entry, std::map<std::string, std::string>& plan) {
  for (const auto& node : entry.nodes) {
    for (const auto& pod : node.pods) plan[pod.uid] = node.name;
  }
}

}  // namespace

std::string KillWorld::Start() {
  std::error_code error;
  std::filesystem::remove_all(programs_.folder, error);
  std::filesystem::create_directories(programs_.folder, error);
  std::vector<std::string> flags;
  if (!plant_.empty()) flags = {"--plant", plant_};
  auto local = StartLocal(programs_, 0, flags);
  if (!local.ok()) return local.error().message;
  local_ = std::move(local).value();
  api_ = std::make_unique<Client>(local_.port);
  for (const char* const queue : {"default", "urgent"}) {
    if (std::string failed = Create(kQueues, QueueObject(queue)); !failed.empty()) return failed;
  }
  for (int i = 1; i <= kMembers; ++i) {
    if (std::string failed = AddNode("n" + std::to_string(i), false); !failed.empty()) {
      return failed;
    }
  }
  return StartMusterAgain();
}

std::string KillWorld::StartMusterAgain() {
  auto started = StartMuster(programs_);
  if (!started.ok()) return started.error().message;
  muster_ = std::move(started).value();
  return {};
}

void KillWorld::KillMuster() {
  muster_.child.Signal(SIGKILL);
  (void)muster_.child.WaitEnd(10'000);
}

std::string KillWorld::Arm(const std::string& when, int at) {
  const Answer armed = api_->Post(
      kHooks, {{"gang", "default/g"}, {"when", when}, {"at", at}, {"pid", muster_.child.pid()}});
  return armed.status == 200 ? "" : "the hook is not armed: " + armed.text;
}

void KillWorld::Disarm() {
  (void)api_->Delete(kHooks);
}

bool KillWorld::WaitKilled(std::int64_t patience_ms) {
  return muster_.child.WaitEnd(patience_ms);
}

std::int64_t KillWorld::ReleaseHeld() {
  const Answer released = api_->Post(std::string(kHooks) + "/release", Json::object());
  return released.status == 200 ? IntAt(released.body, {"code"}).value_or(0) : 0;
}

std::string KillWorld::HeldPod() {
  const std::string path = StringAt(api_->Get(kHooks).body, {"held"});
  const std::size_t end = path.rfind("/binding");
  if (end == std::string::npos) return {};
  const std::size_t begin = path.rfind('/', end - 1) + 1;
  return path.substr(begin, end - begin);
}

std::map<std::string, std::multiset<std::string>> KillWorld::Accepted() {
  std::map<std::string, std::multiset<std::string>> accepted;
  const Json report = api_->Get(kHooks).body;
  const Json* const bindings = Find(report, {"bindings"});
  if (bindings == nullptr) return accepted;
  for (const Json& binding : *bindings) {
    if (IntAt(binding, {"code"}) != 201) continue;
    accepted[StringAt(binding, {"uid"})].insert(StringAt(binding, {"node"}));
  }
  return accepted;
}

std::string KillWorld::MakeGang() {
  std::string failed = Create(
      kGroups,
      {{"apiVersion", "muster.dev/v1alpha1"},
       {"kind", "PodGroup"},
       {"metadata", Meta("g")},
       {"spec", {{"queue", "default"}, {"minMember", kMembers}, {"scheduleTimeoutSeconds", 20}}}});
  return failed.empty() ? MakeMissing() : failed;
}

std::string KillWorld::MakeMissing() {
  std::set<std::string> present;
  for (const Member& member : Gang()) present.insert(member.name);
  for (int i = 0; i < kMembers; ++i) {
    Json metadata = Meta("g-" + std::to_string(i));
    if (present.contains(StringAt(metadata, {"name"}))) continue;
    metadata["labels"] = {{"muster.dev/pod-group", "g"}};
    metadata["annotations"] = {{"muster.dev/model", "m"}};
    std::string failed = Create(kPods, PodObject(metadata, Json::object()));
    if (!failed.empty()) return failed;
  }
  return {};
}

std::string KillWorld::AddNode(const std::string& name, bool with_model) {
  Json metadata = {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}};
  if (with_model) metadata["annotations"] = {{"muster.dev/cached-models", "m"}};
  const Json amounts = {{"cpu", "64"}, {"pods", "110"}, {"nvidia.com/gpu", "8"}};
  return Create(kNodes,
                {{"apiVersion", "v1"},
                 {"kind", "Node"},
                 {"metadata", metadata},
                 {"status",
                  {{"capacity", amounts},
                   {"allocatable", amounts},
                   {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}});
}

void KillWorld::DeleteNode(const std::string& name) {
  (void)api_->Delete(std::string(kNodes) + "/" + name);
}

std::string KillWorld::AddUrgentPod(const std::string& node) {
  std::string failed =
      Create("/apis/scheduling.k8s.io/v1/priorityclasses", {{"apiVersion", "scheduling.k8s.io/v1"},
                                                            {"kind", "PriorityClass"},
                                                            {"metadata", {{"name", "high"}}},
                                                            {"value", 1000}});
  if (!failed.empty()) return failed;
  Json metadata = Meta(kUrgent);
  metadata["labels"] = {{"muster.dev/queue", "urgent"}};
  return Create(kPods, PodObject(metadata, {{"priorityClassName", "high"},
                                            {"nodeSelector", {{"kubernetes.io/hostname", node}}}}));
}

bool KillWorld::UrgentPodIsBound() {
  const Json pod = api_->Get(std::string(kPods) + "/" + kUrgent).body;
  return !StringAt(pod, {"spec", "nodeName"}).empty();
}

std::vector<Member> KillWorld::Gang() {
  std::vector<Member> members;
  for (const Json& pod : Items(std::string(kPods) + "?labelSelector=muster.dev%2Fpod-group%3Dg")) {
    members.push_back({.name = StringAt(pod, {"metadata", "name"}),
                       .uid = StringAt(pod, {"metadata", "uid"}),
                       .node = StringAt(pod, {"spec", "nodeName"}),
                       .terminating = !StringAt(pod, {"metadata", "deletionTimestamp"}).empty(),
                       .touched = IsTouched(pod)});
  }
  return members;
}

std::int64_t KillWorld::Bound() {
  std::int64_t bound = 0;
  for (const Member& member : Gang()) bound += member.node.empty() ? 0 : 1;
  return bound;
}

std::set<std::string> KillWorld::Nodes() {
  std::set<std::string> names;
  for (const Json& node : Items(kNodes)) names.insert(StringAt(node, {"metadata", "name"}));
  return names;
}

std::map<std::string, std::string> KillWorld::Plan() {
  std::map<std::string, std::string> plan;
  for (const Json& page : Items(kPages)) {
    const auto entries = crds::DecodeEntries(StringAt(page, {"spec", "entries"}));
    if (!entries.ok()) continue;
    for (const crds::JournalEntry& entry : entries.value()) AddPlan(entry, plan);
  }
  return plan;
}

bool KillWorld::PagesAreEmpty() {
  for (const Json& page : Items(kPages)) {
    const auto entries = crds::DecodeEntries(StringAt(page, {"spec", "entries"}));
    if (!entries.ok() || !entries.value().empty()) return false;
  }
  return true;
}

Json KillWorld::Items(const std::string& path) {
  Result<Json> items = api_->List(path);
  if (items.ok()) return std::move(items).value();
  if (unanswered_.empty()) unanswered_ = items.error().message;
  return Json::array();
}

std::string KillWorld::Create(const std::string& path, const Json& object) {
  const Answer made = api_->Post(path, object);
  return made.status == 201 ? "" : path + ": " + made.text;
}

}  // namespace muster::e2e
