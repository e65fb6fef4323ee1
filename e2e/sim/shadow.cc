#include "e2e/sim/shadow.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "crds/decode.h"
#include "crds/list.h"
#include "crds/pod_request.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

template <class T>
struct Change {
  bool deleted = false;
  T object;
};

// What the world and the operator write is well-formed: anything else is a fault of this program.
template <class T>
std::optional<Change<T>> Read(const std::string& frame, Result<T> (*decode)(std::string_view)) {
  Result<crds::WatchFrame> split = crds::SplitFrame(frame);
  MUSTER_CHECK(split.ok());
  if (split.value().type == "BOOKMARK") return std::nullopt;
  Result<T> object = decode(split.value().object);
  MUSTER_CHECK(object.ok());
  return Change<T>{split.value().type == "DELETED", std::move(object).value()};
}

// Objects that have no namespace, or are all in one.
template <class T>
void Keep(std::optional<Change<T>> change, std::map<std::string, T>& kept) {
  if (!change) return;
  const std::string name = change->object.meta.name;
  if (change->deleted) {
    kept.erase(name);
  } else {
    kept[name] = std::move(change->object);
  }
}

void AddPods(const crds::JournalEntry& entry, std::vector<Shadow::Named>& named) {
  for (const crds::JournalEntry::Node& node : entry.nodes) {
    for (const crds::JournalEntry::Pod& pod : node.pods) named.push_back({&entry, &node, &pod});
  }
}

void Add(const Amounts& amounts, Amounts& sum) {
  for (const auto& [resource, amount] : amounts) sum[resource] += amount;
}

}  // namespace

Amounts AmountsOf(const crds::Pod& pod) {
  Amounts amounts;
  for (const auto& [resource, amount] : crds::EffectiveRequest(pod)) amounts[resource] = amount;
  amounts["pods"] = 1;
  return amounts;
}

bool IsTerminal(const crds::Pod& pod) {
  return pod.phase == "Succeeded" || pod.phase == "Failed";
}

bool IsActive(const crds::Pod& pod) {
  return !pod.node_name.empty() && !IsTerminal(pod) && !pod.meta.deletion_ms.has_value();
}

std::string RackLabelOf(const crds::Node& node) {
  const auto label = node.meta.labels.find(kRackLabel);
  return label == node.meta.labels.end() ? "" : label->second;
}

bool HasTrue(const std::vector<crds::Condition>& conditions, const std::string& type) {
  return std::any_of(conditions.begin(), conditions.end(), [&](const crds::Condition& condition) {
    return condition.type == type && condition.status == "True";
  });
}

void LoadCrds(ApiServer& server, const std::string& folder) {
  const std::string error = server.LoadCrds(folder);
  MUSTER_CHECK(error.empty());
}

Shadow::Shadow(ApiServer& server) {
  const auto watch = [&](const std::string& path, void (Shadow::*take)(const std::string&)) {
    WatchAll(server, path, [this, take](const std::string& frame) {
      ++version_;
      (this->*take)(frame);
    });
  };
  const std::string muster = "/apis/muster.dev/v1alpha1/";
  watch("/api/v1/pods", &Shadow::Pods);
  watch("/api/v1/nodes", &Shadow::Nodes);
  watch(muster + "queues", &Shadow::Queues);
  watch(muster + "podgroups", &Shadow::Groups);
  watch(muster + "bindingjournals", &Shadow::Pages);
}

void Shadow::Pods(const std::string& frame) {
  auto change = Read<crds::Pod>(frame, crds::DecodePod);
  if (!change) return;
  const Name name{change->object.meta.ns, change->object.meta.name};
  const auto found = pods_.find(name);
  std::optional<crds::Pod> before;
  if (found != pods_.end()) before = found->second;
  if (change->deleted) {
    pods_.erase(name);
  } else {
    pods_[name] = change->object;
  }
  if (on_pod_) on_pod_(before ? &*before : nullptr, change->object, change->deleted);
}

void Shadow::Nodes(const std::string& frame) {
  Keep(Read<crds::Node>(frame, crds::DecodeNode), nodes_);
}

void Shadow::Queues(const std::string& frame) {
  Keep(Read<crds::Queue>(frame, crds::DecodeQueue), queues_);
}

void Shadow::Pages(const std::string& frame) {
  auto change = Read<crds::BindingJournal>(frame, crds::DecodeBindingJournal);
  if (change && !change->deleted && on_page_) on_page_(change->object);
  Keep(std::move(change), pages_);
}

void Shadow::Groups(const std::string& frame) {
  auto change = Read<crds::PodGroup>(frame, crds::DecodePodGroup);
  if (!change) return;
  const Name name{change->object.meta.ns, change->object.meta.name};
  if (change->deleted) {
    groups_.erase(name);
  } else {
    groups_[name] = std::move(change->object);
  }
}

std::vector<Shadow::Named> Shadow::NamedPods() const {
  std::vector<Named> named;
  for (const auto& [name, page] : pages_) {
    for (const crds::JournalEntry& entry : page.entries) AddPods(entry, named);
  }
  return named;
}

std::vector<Shadow::Named> Shadow::NamedIn(const crds::BindingJournal& page) {
  std::vector<Named> named;
  for (const crds::JournalEntry& entry : page.entries) AddPods(entry, named);
  return named;
}

const crds::Pod* Shadow::Waiting(const Named& named) const {
  const auto found = pods_.find({named.entry->ns, named.pod->name});
  if (found == pods_.end() || found->second.meta.uid != named.pod->uid) return nullptr;
  const crds::Pod& pod = found->second;
  const bool waits = pod.node_name.empty() && !IsTerminal(pod) && !pod.meta.deletion_ms.has_value();
  return waits ? &pod : nullptr;
}

Amounts Shadow::UseOfNode(const std::string& node) const {
  Amounts use;
  for (const auto& [name, pod] : pods_) {
    if (pod.node_name == node && !IsTerminal(pod)) Add(AmountsOf(pod), use);
  }
  return use;
}

std::string Shadow::PayerOf(const crds::Pod& pod) const {
  const auto admitted = pod.meta.annotations.find(kAdmittedQueue);
  if (admitted == pod.meta.annotations.end() || pod.node_name.empty() || IsTerminal(pod)) return "";
  const auto node = nodes_.find(pod.node_name);
  const bool lost = node == nodes_.end() || !node->second.ready;
  return pod.meta.deletion_ms.has_value() && lost ? "" : admitted->second;
}

Amounts Shadow::UseOfQueue(const std::string& queue) const {
  Amounts use;
  for (const auto& [name, pod] : pods_) {
    if (PayerOf(pod) == queue) Add(AmountsOf(pod), use);
  }
  return use;
}

namespace {

// What somebody else bound was never a member.
bool IsOf(const crds::Pod& pod, const crds::PodGroup& group) {
  const auto uid = pod.meta.annotations.find("muster.dev/admitted-group-uid");
  return uid != pod.meta.annotations.end() && uid->second == group.meta.uid;
}

}  // namespace

Shadow::Tally Shadow::Count(const crds::PodGroup& group) const {
  Tally tally;
  for (const auto& [name, pod] : pods_) {
    if (name.first != group.meta.ns) continue;
    const auto label = pod.meta.labels.find(kGroupLabel);
    if (label == pod.meta.labels.end() || label->second != group.meta.name) continue;
    if (pod.phase != "Failed") ++tally.existing;  // It takes no part any more.
    if (pod.phase == "Succeeded" && IsOf(pod, group)) ++tally.succeeded;
    if (IsActive(pod)) ++tally.active;
  }
  return tally;
}

std::string Shadow::Tell(const std::string& gang) const {
  std::string text;
  for (const auto& [name, group] : groups_) {
    if (name.second != gang || !group.status) continue;
    text += "; " + group.status->phase + " " + group.status->reason + ": " + group.status->message;
  }
  for (const auto& [name, pod] : pods_) {
    const auto label = pod.meta.labels.find(kGroupLabel);
    const bool member = label != pod.meta.labels.end() && label->second == gang;
    if (!member && name.second != gang) continue;
    text += "; pod " + name.second + " " + pod.phase + " on \"" + pod.node_name + "\"" +
            (pod.meta.deletion_ms ? " terminating" : "");
  }
  return text;
}

}  // namespace muster::e2e
