#include "e2e/sim/owner.h"

#include <optional>
#include <utility>

#include "e2e/apiserver/json.h"

namespace muster::e2e {
namespace {

constexpr const char* kOwnedPods = "/api/v1/namespaces/default/pods";
constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";
constexpr const char* kReplicaSets = "/apis/apps/v1/namespaces/default/replicasets";
constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::int64_t kMakeMs = 500;  // An object of a gang is made within.
constexpr std::int64_t kPatienceMs = 120'000;
constexpr const char* kService = "app";  // The label of a service's pods.
constexpr const char* kOwnedGroups = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups";

// Metadata and spec of a member, as a pod and as a template.
Json Member(const GangPlan& plan) {
  Json labels = Json::object();
  if (plan.maker == GangPlan::Maker::kReplicaSet) labels[kService] = plan.name;
  if (!plan.single) labels[kGroupLabel] = plan.name;
  if (plan.single && !plan.queue.empty()) labels["muster.dev/queue"] = plan.queue;
  Json limits = Json::object();
  if (plan.gpus > 0) limits[kGpu] = std::to_string(plan.gpus);
  Json spec = {{"schedulerName", "muster"},
               {"containers",
                {{{"name", "main"}, {"image", "train"}, {"resources", {{"limits", limits}}}}}}};
  if (plan.single && !plan.priority_class.empty()) {
    spec["priorityClassName"] = plan.priority_class;
  }
  Json meta = {{"labels", labels}};
  if (plan.run_seconds > 0) {
    meta["annotations"] = {{"sim.muster.dev/run-seconds", std::to_string(plan.run_seconds)}};
  }
  return {{"metadata", std::move(meta)}, {"spec", std::move(spec)}};
}

Json PodManifest(const GangPlan& plan, const std::string& name) {
  Json pod = Member(plan);
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  pod["metadata"]["name"] = name;
  pod["metadata"]["namespace"] = "default";
  return pod;
}

// It outlives any number of faults, and leaves a node that is lost before the faults end.
Json JobManifest(const GangPlan& plan) {
  Json pod = Member(plan);
  pod["spec"]["restartPolicy"] = "Never";
  pod["spec"]["tolerations"] = Json::array({{{"key", "node.kubernetes.io/unreachable"},
                                             {"operator", "Exists"},
                                             {"effect", "NoExecute"},
                                             {"tolerationSeconds", 10}}});
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", plan.name}, {"namespace", "default"}}},
          {"spec",
           {{"completionMode", "Indexed"},
            {"completions", plan.members},
            {"parallelism", plan.members},
            {"backoffLimit", 100'000},
            {"template", std::move(pod)}}}};
}

Json ReplicaSetManifest(const GangPlan& plan) {
  return {{"apiVersion", "apps/v1"},
          {"kind", "ReplicaSet"},
          {"metadata", {{"name", plan.name}, {"namespace", "default"}}},
          {"spec",
           {{"replicas", plan.members},
            {"selector", {{"matchLabels", {{kService, plan.name}}}}},
            {"template", Member(plan)}}}};
}

// Of a Job's pods the index counts, not the name.
std::string MemberName(const crds::Pod& pod) {
  const auto index = pod.meta.labels.find(kIndex);
  return index == pod.meta.labels.end() ? pod.meta.name : index->second;
}

}  // namespace

HttpRequest Post(const std::string& path, const std::string& body) {
  HttpRequest request;
  request.method = "POST";
  request.path = path;
  request.content_type = "application/json";
  request.body = body;
  return request;
}

HttpRequest DeleteAt(const std::string& path) {
  HttpRequest request;
  request.method = "DELETE";
  request.path = path;
  return request;
}

void Owner::Plan(const GangPlan& plan) {
  plans_[plan.name] = plan;
  if (!plan.single) {
    loop_.After(plan.at_ms + prng_.Between(0, kMakeMs), [this, plan]() { MakeGroup(plan); });
  }
  if (plan.maker == GangPlan::Maker::kJob) {
    loop_.After(plan.at_ms + prng_.Between(0, kMakeMs), [this, plan]() { MakeJob(plan); });
  }
  if (plan.maker == GangPlan::Maker::kReplicaSet) {
    loop_.After(plan.at_ms + prng_.Between(0, kMakeMs), [this, plan]() { MakeReplicaSet(plan); });
  }
  if (plan.maker != GangPlan::Maker::kUser) return;
  for (std::int64_t i = 0; i < plan.members; ++i) {
    const std::string pod = plan.single ? plan.name : plan.name + "-" + std::to_string(i);
    gang_of_[pod] = plan.name;
    loop_.After(plan.at_ms + prng_.Between(0, kMakeMs),
                [this, plan, pod]() { MakePod(plan, pod); });
  }
}

void Owner::MakeGroup(const GangPlan& plan) {
  Json spec = {{"minMember", plan.min}, {"scheduleTimeoutSeconds", plan.timeout_seconds}};
  if (!plan.queue.empty()) spec["queue"] = plan.queue;
  if (!plan.priority_class.empty()) spec["priorityClassName"] = plan.priority_class;
  if (!plan.required.empty()) spec["topology"]["required"] = plan.required;
  if (!plan.preferred.empty()) spec["topology"]["preferred"] = plan.preferred;
  const Json group = {{"apiVersion", "muster.dev/v1alpha1"},
                      {"kind", "PodGroup"},
                      {"metadata", {{"name", plan.name}, {"namespace", "default"}}},
                      {"spec", spec}};
  (void)send_(Post(kOwnedGroups, Dump(group)));
}

void Owner::MakeJob(const GangPlan& plan) {
  (void)send_(Post(kJobs, Dump(JobManifest(plan))));
}

void Owner::MakeReplicaSet(const GangPlan& plan) {
  (void)send_(Post(kReplicaSets, Dump(ReplicaSetManifest(plan))));
}

void Owner::MakePod(const GangPlan& plan, const std::string& pod) {
  (void)send_(Post(kOwnedPods, Dump(PodManifest(plan, pod))));
}

void Owner::Delete(const crds::Pod& pod) {
  (void)send_(DeleteAt(std::string(kOwnedPods) + "/" + pod.meta.name));
}

// "" of a pod that no plan knows.
std::string Owner::GangOf(const crds::Pod& pod) const {
  const auto made = gang_of_.find(pod.meta.name);
  if (made != gang_of_.end()) return made->second;
  const auto label = pod.meta.labels.find(kGroupLabel);
  return label == pod.meta.labels.end() ? "" : label->second;
}

void Owner::OnPod(const crds::Pod* before, const crds::Pod& now, bool deleted) {
  const std::string gang = GangOf(now);
  const auto plan = plans_.find(gang);
  if (plan == plans_.end()) return;
  if (now.phase == "Succeeded") ended_[gang].insert(MemberName(now));
  if (plan->second.maker != GangPlan::Maker::kUser) return;
  if (deleted) {
    OnLost(plan->second, now.meta.name);
  } else if (now.phase == "Failed" && (before == nullptr || before->phase != "Failed")) {
    loop_.After(prng_.Between(500, 3000), [this, now]() { Delete(now); });
  }
}

void Owner::OnRestored() {
  short_since_ms_.clear();
  for (const auto& [name, plan] : plans_) {
    // What was planned for later comes later.
    if (loop_.elapsed_ms() < plan.at_ms || IsDone(name)) continue;
    loop_.After(prng_.Between(kMakeMs, 20'000), [this, plan]() { MakeMissing(plan); });
  }
}

void Owner::MakeMissing(const GangPlan& plan) {
  if (IsDone(plan.name)) return;
  // What was bound under a PodGroup that is gone is no member of a new one.
  const bool group_is_gone = !plan.single && !shadow_.groups().contains({"default", plan.name});
  if (group_is_gone) MakeAnew(plan.name);
  if (plan.maker == GangPlan::Maker::kReplicaSet) return MakeReplicaSet(plan);
  if (plan.maker == GangPlan::Maker::kJob) {
    if (!group_is_gone) MakeJobAnew(plan);
    return;
  }
  std::set<std::string>& ended = ended_[plan.name];
  ended.clear();
  std::vector<crds::Pod> failed;
  for (const auto& [pod, gang] : gang_of_) {
    if (gang != plan.name) continue;
    const auto found = shadow_.pods().find({"default", pod});
    if (found == shadow_.pods().end()) {
      MakePod(plan, pod);
    } else if (found->second.phase == "Succeeded") {
      ended.insert(pod);
    } else if (found->second.phase == "Failed") {
      failed.push_back(found->second);
    }
  }
  for (const crds::Pod& pod : failed) Delete(pod);
}

// A member that ran to its end and is gone before the others did has to run again.
void Owner::OnLost(const GangPlan& plan, const std::string& pod) {
  std::set<std::string>& ended = ended_[plan.name];
  if (static_cast<std::int64_t>(ended.size()) >= plan.min) return;
  ended.erase(pod);
  loop_.After(prng_.Between(500, 3000), [this, plan, pod]() { MakePod(plan, pod); });
}

// Members that ended and were collected with their node while no operator looked are missing for
// good: the Job does not run an index twice, and the PodGroup waits for them. Its user sees that it
// waits, and starts the Job afresh.
void Owner::TickJobs() {
  for (const auto& [name, group] : shadow_.groups()) {
    const auto plan = plans_.find(name.second);
    if (plan == plans_.end() || plan->second.maker != GangPlan::Maker::kJob) continue;
    const Shadow::Tally tally = shadow_.Count(group);
    const auto ended = static_cast<std::int64_t>(ended_[name.second].size());
    const bool stuck = ended > 0 && ended < plan->second.min && tally.active == 0 &&
                       tally.existing < plan->second.min;
    if (!stuck) {
      short_since_ms_.erase(name.second);
      continue;
    }
    const std::int64_t since =
        short_since_ms_.try_emplace(name.second, loop_.elapsed_ms()).first->second;
    if (loop_.elapsed_ms() - since < kPatienceMs) continue;
    short_since_ms_.erase(name.second);
    MakeJobAnew(plan->second);
  }
}

void Owner::MakeJobAnew(const GangPlan& plan) {
  ended_[plan.name].clear();
  HttpRequest request = DeleteAt(std::string(kJobs) + "/" + plan.name);
  request.query = {{"propagationPolicy", "Background"}};
  (void)send_(request);
  loop_.After(prng_.Between(500, 3000), [this, plan]() { MakeJob(plan); });
}

bool Owner::IsDone(const std::string& gang) const {
  const auto plan = plans_.find(gang);
  const auto ended = ended_.find(gang);
  if (plan == plans_.end() || ended == ended_.end()) return false;
  return static_cast<std::int64_t>(ended->second.size()) >= plan->second.min;
}

void Owner::MakeAnew(const std::string& gang) {
  const auto found = plans_.find(gang);
  if (found == plans_.end()) return;
  const GangPlan& plan = found->second;
  short_since_ms_.erase(gang);
  MakeGroup(plan);
  if (plan.maker == GangPlan::Maker::kJob) return MakeJobAnew(plan);
  ended_[gang].clear();
  std::vector<crds::Pod> left;
  for (const auto& [name, pod] : shadow_.pods()) {
    if (GangOf(pod) == gang) left.push_back(pod);
  }
  for (const crds::Pod& pod : left) Delete(pod);
}

void Owner::Tick() {
  TickJobs();
  std::vector<crds::Pod> doomed;
  for (const auto& [name, group] : shadow_.groups()) {
    const auto plan = plans_.find(name.second);
    const bool runs = group.status && HasTrue(group.status->conditions, "Scheduled");
    if (plan == plans_.end() || !runs || plan->second.maker != GangPlan::Maker::kUser) continue;
    const Shadow::Tally tally = shadow_.Count(group);
    const auto ended = static_cast<std::int64_t>(ended_[name.second].size());
    if (tally.active == 0 || tally.active + ended >= group.min_member) {
      short_since_ms_.erase(name.second);
      continue;
    }
    const std::int64_t since =
        short_since_ms_.try_emplace(name.second, loop_.elapsed_ms()).first->second;
    if (loop_.elapsed_ms() - since < 5000) continue;
    for (const auto& [pod_name, pod] : shadow_.pods()) {
      const auto gang = gang_of_.find(pod.meta.name);
      if (gang != gang_of_.end() && gang->second == name.second && IsActive(pod)) {
        doomed.push_back(pod);
      }
    }
  }
  for (const crds::Pod& pod : doomed) Delete(pod);
}

std::int64_t Owner::RunningOf(const std::string& service) const {
  std::int64_t running = 0;
  for (const auto& [name, pod] : shadow_.pods()) {
    const auto label = pod.meta.labels.find(kService);
    const bool member = label != pod.meta.labels.end() && label->second == service;
    if (member && IsActive(pod) && pod.phase == "Running") ++running;
  }
  return running;
}

std::vector<std::string> Owner::Unfinished() const {
  std::vector<std::string> names;
  for (const auto& [name, plan] : plans_) {
    if (plan.maker == GangPlan::Maker::kReplicaSet) {
      if (RunningOf(name) < plan.members) names.push_back(name);
      continue;
    }
    const auto ended = ended_.find(name);
    const std::int64_t have =
        ended == ended_.end() ? 0 : static_cast<std::int64_t>(ended->second.size());
    if (plan.feasible && have < plan.min) names.push_back(name);
  }
  return names;
}

}  // namespace muster::e2e
