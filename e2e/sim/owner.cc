#include "e2e/sim/owner.h"

#include <optional>
#include <utility>

#include "e2e/apiserver/json.h"

namespace muster::e2e {
namespace {

constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kGroups = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups";

Json PodManifest(const GangPlan& plan, const std::string& name) {
  Json labels = Json::object();
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
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name},
            {"namespace", "default"},
            {"labels", labels},
            {"annotations", {{"sim.muster.dev/run-seconds", std::to_string(plan.run_seconds)}}}}},
          {"spec", spec}};
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
    loop_.After(plan.at_ms + prng_.Between(0, 500), [this, plan]() { MakeGroup(plan); });
  }
  for (std::int64_t i = 0; i < plan.members; ++i) {
    const std::string pod = plan.single ? plan.name : plan.name + "-" + std::to_string(i);
    gang_of_[pod] = plan.name;
    loop_.After(plan.at_ms + prng_.Between(0, 500), [this, plan, pod]() { MakePod(plan, pod); });
  }
}

void Owner::MakeGroup(const GangPlan& plan) {
  Json spec = {{"minMember", plan.min}, {"scheduleTimeoutSeconds", plan.timeout_seconds}};
  if (!plan.queue.empty()) spec["queue"] = plan.queue;
  if (!plan.priority_class.empty()) spec["priorityClassName"] = plan.priority_class;
  const Json group = {{"apiVersion", "muster.dev/v1alpha1"},
                      {"kind", "PodGroup"},
                      {"metadata", {{"name", plan.name}, {"namespace", "default"}}},
                      {"spec", spec}};
  (void)send_(Post(kGroups, Dump(group)));
}

void Owner::MakePod(const GangPlan& plan, const std::string& pod) {
  (void)send_(Post(kPods, Dump(PodManifest(plan, pod))));
}

void Owner::Delete(const crds::Pod& pod) {
  (void)send_(DeleteAt(std::string(kPods) + "/" + pod.meta.name));
}

void Owner::OnPod(const crds::Pod* before, const crds::Pod& now, bool deleted) {
  const auto gang = gang_of_.find(now.meta.name);
  if (gang == gang_of_.end()) return;
  if (now.phase == "Succeeded") ended_[gang->second].insert(now.meta.name);
  if (deleted) {
    // A member that ran to its end and is gone before the others did has to run again.
    const GangPlan& plan = plans_.at(gang->second);
    std::set<std::string>& ended = ended_[gang->second];
    if (static_cast<std::int64_t>(ended.size()) >= plan.min) return;
    ended.erase(now.meta.name);
    loop_.After(prng_.Between(500, 3000),
                [this, plan, pod = now.meta.name]() { MakePod(plan, pod); });
  } else if (now.phase == "Failed" && (before == nullptr || before->phase != "Failed")) {
    loop_.After(prng_.Between(500, 3000), [this, now]() { Delete(now); });
  }
}

void Owner::Tick() {
  std::vector<crds::Pod> doomed;
  for (const auto& [name, group] : shadow_.groups()) {
    const auto plan = plans_.find(name.second);
    const bool runs = group.status && HasTrue(group.status->conditions, "Scheduled");
    if (plan == plans_.end() || !runs) continue;
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

std::vector<std::string> Owner::Unfinished() const {
  std::vector<std::string> names;
  for (const auto& [name, plan] : plans_) {
    const auto ended = ended_.find(name);
    const std::int64_t have =
        ended == ended_.end() ? 0 : static_cast<std::int64_t>(ended->second.size());
    if (plan.feasible && have < plan.min) names.push_back(name);
  }
  return names;
}

}  // namespace muster::e2e
