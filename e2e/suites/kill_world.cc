#include "e2e/suites/kill_world.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "crds/binding_journal.h"

namespace muster::e2e {
namespace {

constexpr const char* kOfGang = "labelSelector=muster.dev%2Fpod-group%3Dg";
constexpr const char* kLease =
    "/apis/coordination.k8s.io/v1/namespaces/muster-system/leases/muster";
constexpr const char* kUrgent = "urgent-pod";
constexpr int kCrowd = 2'000;

// The reason alone is no proof: a gang that was given up waits with the same one.
bool IsTouched(const Json& pod) {
  const Json condition = Unscheduled(pod);
  return StringAt(condition, {"reason"}) == "BindFailed" &&
         StringAt(condition, {"message"}).find(" (journal p-") != std::string::npos;
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
  if (!plant_.empty() && plant_ != kNotStartedAgain) flags = {"--plant", plant_};
  auto local = StartLocal(programs_, 0, flags);
  if (!local.ok()) return local.error().message;
  local_ = std::move(local).value();
  api_ = std::make_unique<ApiView>(local_.port);
  Watch();
  for (const char* const queue : {"default", "urgent"}) {
    if (std::string failed = api_->Create(kQueues, QueueObject(queue)); !failed.empty())
      return failed;
  }
  for (int i = 1; i <= kMembers; ++i) {
    if (std::string failed = AddNode("n" + std::to_string(i), false); !failed.empty()) {
      return failed;
    }
  }
  return RunMuster();
}

std::string KillWorld::StartMusterAgain() {
  return plant_ == kNotStartedAgain ? "" : RunMuster();
}

std::string KillWorld::RunMuster() {
  auto started = StartMuster(programs_, {.flags = ShortLease()});
  if (!started.ok()) return started.error().message;
  muster_ = std::move(started).value();
  return {};
}

std::string KillWorld::KillMuster() {
  muster_.child.Signal(SIGKILL);
  return muster_.child.WaitEnd(10'000) ? "" : "the operator outlives SIGKILL";
}

std::string KillWorld::Arm(const std::string& when, int at, int signal) {
  const Answer armed = api_->client().Post(kHooks, {{"gang", "default/g"},
                                                    {"when", when},
                                                    {"at", at},
                                                    {"pid", muster_.child.pid()},
                                                    {"signal", signal}});
  return armed.status == 200 ? "" : "the hook is not armed: " + armed.text;
}

std::string KillWorld::Disarm() {
  const Answer disarmed = api_->client().Delete(kHooks);
  return disarmed.status == 200 ? "" : "the hook is not disarmed: " + disarmed.text;
}

bool KillWorld::WaitKilled(std::int64_t patience_ms) {
  return muster_.child.WaitEnd(patience_ms);
}

bool KillWorld::WaitStopped(std::int64_t patience_ms) {
  const std::int64_t until = SteadyMs() + patience_ms;
  while (StringAt(api_->Object(kHooks), {"state"}) != "killed") {
    if (SteadyMs() >= until) return false;
    SleepMs(20);
  }
  return true;
}

void KillWorld::ContinueMuster() {
  muster_.child.Signal(SIGCONT);
}

std::string KillWorld::StartStandby(bool in_a_crowd) {
  if (in_a_crowd) {
    crowd_ = std::make_unique<Crowd>(local_.port);
    if (std::string failed = crowd_->Gather(kCrowd); !failed.empty()) return failed;
  }
  if (plant_ == kNotStartedAgain) return {};
  auto started = StartMuster(programs_, {.identity = "muster-1", .flags = ShortLease()});
  if (!started.ok()) return started.error().message;
  second_ = std::move(started).value();
  return {};
}

std::string KillWorld::WentByWhatItKept() const {
  std::ostringstream log;
  log << std::ifstream(programs_.muster_log("muster-1")).rdbuf();
  constexpr std::string_view kSays = " warm_kinds=";
  const std::size_t at = log.str().find(kSays);
  if (at == std::string::npos) return "the second operator has not said what it kept";
  return log.str()[at + kSays.size()] == '0' ? "the second operator listed all kinds anew" : "";
}

std::string KillWorld::DeleteLease() {
  return api_->Delete(kLease);
}

std::string KillWorld::LeaseHolder() {
  return StringAt(api_->client().Get(kLease).body, {"spec", "holderIdentity"});
}

Released KillWorld::ReleaseHeld() {
  const Answer released = api_->client().Post(std::string(kHooks) + "/release", Json::object());
  if (released.status != 200) return {.code = 0, .body = released.text};
  return {.code = IntAt(released.body, {"code"}).value_or(0),
          .body = StringAt(released.body, {"body"})};
}

std::string KillWorld::HeldPod() {
  const std::string path = StringAt(api_->Object(kHooks), {"held"});
  const std::size_t end = path.rfind("/binding");
  if (end == std::string::npos) return {};
  const std::size_t begin = path.rfind('/', end - 1) + 1;
  return path.substr(begin, end - begin);
}

std::string KillWorld::MakeGang() {
  Json group = PodGroupObject("g", kMembers);
  group["spec"]["scheduleTimeoutSeconds"] = 20;
  std::string failed = api_->Create(kGroups, group);
  return failed.empty() ? MakeMissing() : failed;
}

std::string KillWorld::MakeMissing() {
  std::set<std::string> present;
  for (const Member& member : Gang()) present.insert(member.name);
  for (int i = 0; i < kMembers; ++i) {
    const Json metadata = MemberMeta("g", i, true);
    if (present.contains(StringAt(metadata, {"name"}))) continue;
    std::string failed = api_->Create(kPods, PodObject(metadata, Json::object(), kNodeGpus));
    if (!failed.empty()) return failed;
  }
  return {};
}

std::string KillWorld::AddNode(const std::string& name, bool with_model) {
  return api_->Create(kNodes, NodeObject(name, with_model));
}

std::string KillWorld::DeleteNode(const std::string& name) {
  return api_->Delete(std::string(kNodes) + "/" + name);
}

std::string KillWorld::AddUrgentPod(const std::string& node) {
  std::string failed = api_->Create("/apis/scheduling.k8s.io/v1/priorityclasses",
                                    {{"apiVersion", "scheduling.k8s.io/v1"},
                                     {"kind", "PriorityClass"},
                                     {"metadata", {{"name", "high"}}},
                                     {"value", 1000}});
  if (!failed.empty()) return failed;
  Json metadata = Meta(kUrgent);
  metadata["labels"] = {{"muster.dev/queue", "urgent"}};
  return api_->Create(kPods, PodObject(metadata,
                                       {{"priorityClassName", "high"},
                                        {"nodeSelector", {{"kubernetes.io/hostname", node}}}},
                                       kNodeGpus));
}

bool KillWorld::UrgentPodWaits() {
  const Json pod = api_->Object(std::string(kPods) + "/" + kUrgent);
  return StringAt(pod, {"spec", "nodeName"}).empty() && !Unscheduled(pod).is_null();
}

std::vector<Member> KillWorld::Gang() {
  std::vector<Member> members;
  for (const Json& pod : api_->Items(std::string(kPods) + "?" + kOfGang)) {
    members.push_back({.name = StringAt(pod, {"metadata", "name"}),
                       .uid = StringAt(pod, {"metadata", "uid"}),
                       .node = StringAt(pod, {"spec", "nodeName"}),
                       .terminating = !StringAt(pod, {"metadata", "deletionTimestamp"}).empty()});
  }
  return members;
}

std::string KillWorld::GangMessage() {
  return StringAt(api_->Object(std::string(kGroups) + "/g"), {"status", "message"});
}

std::int64_t KillWorld::Bound() {
  std::int64_t bound = 0;
  for (const Member& member : Gang()) bound += member.node.empty() || member.terminating ? 0 : 1;
  return bound;
}

// A look now and then could miss a touch: its condition soon speaks of the gang that waits again.
void KillWorld::Watch() {
  watch_ = std::make_unique<WatchStream>(local_.port, std::string(kPods) + "?watch=1&" + kOfGang,
                                         [this](const Json& frame) {
                                           const Json* const pod = Find(frame, {"object"});
                                           if (pod == nullptr || !IsTouched(*pod)) return;
                                           const std::lock_guard lock(mutex_);
                                           touched_.insert(StringAt(*pod, {"metadata", "name"}));
                                         });
}

bool KillWorld::WasTouched(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return touched_.contains(name);
}

std::map<std::string, std::string> KillWorld::Plan() {
  std::map<std::string, std::string> plan;
  for (const Json& page : api_->Items(kPages)) {
    const auto entries = crds::DecodeEntries(StringAt(page, {"spec", "entries"}));
    if (!entries.ok()) {
      api_->Unanswered("a page: " + entries.error().message);
      continue;
    }
    for (const crds::JournalEntry& entry : entries.value()) AddPlan(entry, plan);
  }
  return plan;
}

}  // namespace muster::e2e
