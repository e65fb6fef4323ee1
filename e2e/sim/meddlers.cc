#include "e2e/sim/meddlers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "e2e/apiserver/server_trouble.h"

namespace muster::e2e {
namespace {

constexpr const char* kDefaultPods = "/api/v1/namespaces/default/pods";
constexpr const char* kGroups = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups";
constexpr const char* kBudgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
constexpr const char* kAbsent = "nobody";  // No PodGroup has this name.

std::string PathOf(const crds::Pod& pod) {
  return std::string(kDefaultPods) + "/" + pod.meta.name;
}

// In thousandths.
std::int64_t GpusOf(const crds::Pod& pod) {
  const Amounts amounts = AmountsOf(pod);
  const auto gpus = amounts.find(kGpu);
  return gpus == amounts.end() ? 0 : gpus->second;
}

// Pods of the entries that are not given up, in the order of the pages.
std::vector<Shadow::Name> NamedToBeBound(const Shadow& shadow) {
  std::vector<Shadow::Name> names;
  const auto add = [&names](const crds::JournalEntry& entry) {
    for (const crds::JournalEntry::Node& node : entry.nodes) {
      for (const crds::JournalEntry::Pod& pod : node.pods) names.emplace_back(entry.ns, pod.name);
    }
  };
  for (const auto& [name, page] : shadow.pages()) {
    for (const crds::JournalEntry& entry : page.entries) {
      if (!entry.abandon) add(entry);
    }
  }
  return names;
}

// A pod of ours without what our Bindings leave.
bool IsBoundByOthers(const crds::Pod& pod) {
  const bool ours = pod.scheduler_name == "muster";
  return ours && !pod.node_name.empty() && !pod.meta.annotations.contains("muster.dev/journal");
}

// Where an entry has it; "" = no page names it.
std::string PlannedNode(const Shadow& shadow, const std::string& uid) {
  const auto names = [&uid](const crds::JournalEntry::Node& node) {
    return std::ranges::find(node.pods, uid, &crds::JournalEntry::Pod::uid) != node.pods.end();
  };
  for (const auto& [name, page] : shadow.pages()) {
    for (const crds::JournalEntry& entry : page.entries) {
      const auto node = std::ranges::find_if(entry.nodes, names);
      if (node != entry.nodes.end()) return node->name;
    }
  }
  return "";
}

// "" of a pod without a gang.
std::string GroupOf(const crds::Pod& pod) {
  const auto label = pod.meta.labels.find(kGroupLabel);
  return label == pod.meta.labels.end() ? "" : label->second;
}

}  // namespace

void Meddlers::Soon(std::function<void()> act) {
  world_.loop.After(world_.prng.Between(0, 10), std::move(act));
}

void Meddlers::OnArrival(const Arrival& arrival) {
  if (IsBinding(arrival.request) && arrival.response.status == 201) {
    const std::string& path = arrival.request.path;
    const std::size_t begin = std::string(kDefaultPods).size() + 1;
    OnBound(path.substr(begin, path.rfind('/') - begin));
  }
  const bool stored = arrival.request.method == "PUT" && arrival.response.status == 200;
  if (stored && IsPage(arrival.request)) OnPage();
}

void Meddlers::OnBound(const std::string& pod) {
  const auto found = world_.shadow.pods().find({"default", pod});
  if (found == world_.shadow.pods().end()) return;
  if (GpusOf(found->second) > 0 && world_.weather.Strikes(Fault::kKubeletRejected, world_.prng)) {
    world_.kubelets.RejectStart(found->second.meta.uid);
  }
  const std::string group = GroupOf(found->second);
  if (group.empty()) return;
  if (world_.weather.Draw(Fault::kGroupDeleted, world_.prng)) {
    Soon([this, group]() { DeleteGroup(group); });
  }
  if (world_.weather.Draw(Fault::kBudgetMade, world_.prng)) {
    Soon([this, group]() { MakeBudget(group); });
  }
}

void Meddlers::OnPage() {
  const bool edit = world_.weather.Draw(Fault::kLabelsEdited, world_.prng);
  const bool bind = world_.weather.Draw(Fault::kForeignBinder, world_.prng);
  if (!edit && !bind) return;
  Soon([this, edit, bind]() {
    if (edit) {
      if (const auto pod = AnyPlannedPod()) EditLabels(*pod);
    }
    if (bind) {
      if (const auto pod = AnyPlannedPod()) BindAsOthers(*pod);
    }
  });
}

std::optional<crds::Pod> Meddlers::AnyPlannedPod() {
  std::vector<crds::Pod> planned;
  for (const Shadow::Name& name : NamedToBeBound(world_.shadow)) {
    const auto pod = world_.shadow.pods().find(name);
    if (pod == world_.shadow.pods().end()) continue;
    const bool waits = pod->second.node_name.empty() && !pod->second.meta.deletion_ms;
    if (waits) planned.push_back(pod->second);
  }
  if (planned.empty()) return std::nullopt;
  return planned[world_.prng.Below(planned.size())];
}

// Its user makes the whole gang anew: what is left of the old one belongs to nobody.
void Meddlers::DeleteGroup(const std::string& group) {
  if (world_.owner.IsDone(group)) return;
  if (Send(DeleteAt(std::string(kGroups) + "/" + group)).status != 200) return;
  world_.weather.Note(Fault::kGroupDeleted);
  world_.loop.After(world_.prng.Between(500, 5'000),
                    [this, group]() { world_.owner.MakeAnew(group); });
}

// No member may be evicted. Muster gives a gang up by deleting: it has to change nothing.
void Meddlers::MakeBudget(const std::string& group) {
  const auto found = world_.shadow.groups().find({"default", group});
  if (found == world_.shadow.groups().end()) return;
  const Shadow::Tally tally = world_.shadow.Count(found->second);
  if (tally.active == 0 || tally.active >= found->second.min_member) return;
  const Json budget = {
      {"apiVersion", "policy/v1"},
      {"kind", "PodDisruptionBudget"},
      {"metadata", {{"name", group}, {"namespace", "default"}}},
      {"spec", {{"maxUnavailable", 0}, {"selector", {{"matchLabels", {{kGroupLabel, group}}}}}}}};
  if (Send(Post(kBudgets, Dump(budget))).status == 201) {
    world_.weather.Note(Fault::kBudgetMade);
  }
}

void Meddlers::PatchPod(const crds::Pod& pod, const Json& labels) {
  HttpRequest request;
  request.method = "PATCH";
  request.path = PathOf(pod);
  request.content_type = "application/merge-patch+json";
  request.body = Dump({{"metadata", {{"uid", pod.meta.uid}, {"labels", labels}}}});
  (void)Send(request);
}

// Half of the time a label that means nothing to Muster: the pod's resourceVersion moves. Else the
// pod is of another gang for some seconds, of one that does not exist.
void Meddlers::EditLabels(const crds::Pod& pod) {
  world_.weather.Note(Fault::kLabelsEdited);
  const std::string group = GroupOf(pod);
  const std::string number = std::to_string(world_.loop.elapsed_ms());
  const bool taken_away = group == kAbsent;
  if (group.empty() || taken_away || world_.prng.Chance(500))
    return PatchPod(pod, {{"edited", number}});
  group_of_[pod.meta.uid] = group;
  PatchPod(pod, {{kGroupLabel, kAbsent}});
  MendLabels({pod.meta.ns, pod.meta.name});
}

void Meddlers::MendLabels(const Shadow::Name& pod) {
  world_.loop.After(world_.prng.Between(1'000, 5'000), [this, pod]() {
    const auto now = world_.shadow.pods().find(pod);
    if (now == world_.shadow.pods().end() || GroupOf(now->second) != kAbsent) return;
    PatchPod(now->second, {{kGroupLabel, group_of_.at(now->second.meta.uid)}});
  });
}

void Meddlers::OnRestored() {
  for (const auto& [name, pod] : world_.shadow.pods()) {
    if (GroupOf(pod) == kAbsent) MendLabels(name);
    if (IsBoundByOthers(pod)) DeleteSoon(pod);
  }
}

void Meddlers::DeleteSoon(const crds::Pod& pod) {
  world_.loop.After(world_.prng.Between(1'000, 5'000), [this, pod]() {
    HttpRequest request = DeleteAt(PathOf(pod));
    request.content_type = "application/json";
    request.body = Dump({{"apiVersion", "v1"},
                         {"kind", "DeleteOptions"},
                         {"preconditions", {{"uid", pod.meta.uid}}}});
    (void)Send(request);
  });
}

// Any node, half of the time the one that the pod's entry names.
std::string Meddlers::NodeToTake(const crds::Pod& pod) {
  const auto& nodes = world_.shadow.nodes();
  const std::string planned = PlannedNode(world_.shadow, pod.meta.uid);
  if (world_.prng.Chance(500) && nodes.contains(planned)) return planned;
  auto node = nodes.begin();
  std::advance(node, static_cast<std::ptrdiff_t>(world_.prng.Below(nodes.size())));
  return node->first;
}

// As another scheduler does that ignores whose pod it is. A user sees it and deletes the pod.
void Meddlers::BindAsOthers(const crds::Pod& pod) {
  if (world_.shadow.nodes().empty()) return;
  const std::string name = NodeToTake(pod);
  const Json binding = {{"apiVersion", "v1"},
                        {"kind", "Binding"},
                        {"metadata", {{"name", pod.meta.name}, {"uid", pod.meta.uid}}},
                        {"target", {{"kind", "Node"}, {"name", name}}}};
  world_.excuses.NoteTaken(name, GpusOf(pod));
  if (Send(Post(PathOf(pod) + "/binding", Dump(binding))).status != 201) return;
  world_.weather.Note(Fault::kForeignBinder);
  DeleteSoon(pod);
}

}  // namespace muster::e2e
