#include "e2e/sim/reason_facts.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "crds/quantity.h"
#include "e2e/sim/use_checker.h"

namespace muster::e2e {
namespace {

std::string LabelOf(const crds::Pod& pod, const char* key) {
  const auto found = pod.meta.labels.find(key);
  return found == pod.meta.labels.end() ? "" : found->second;
}

bool Tolerates(const crds::Pod& pod, const crds::Taint& taint) {
  return std::any_of(pod.tolerations.begin(), pod.tolerations.end(), [&](const auto& one) {
    if (!one.effect.empty() && one.effect != taint.effect) return false;
    if (one.key.empty()) return one.op == "Exists";
    return one.key == taint.key && (one.op == "Exists" || one.value == taint.value);
  });
}

// Why the node takes no such pod, whatever it has free; "" = it may.
std::string Barred(const crds::Node& node, const crds::Pod& pod) {
  const crds::Taint cordon{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  if (node.unschedulable && !Tolerates(pod, cordon)) return "node(s) were unschedulable";
  for (const crds::Taint& taint : node.taints) {
    if (taint.effect == "PreferNoSchedule" || Tolerates(pod, taint)) continue;
    return "node(s) had untolerated taint(s)";
  }
  return "";
}

std::int64_t NominalOf(const crds::QueueResource& resource) {
  const auto nominal = crds::ParseQuota(resource.nominal_quota, UnitOf(resource.name));
  return nominal.ok() ? nominal.value().amount : 0;
}

class Recount {
 public:
  Recount(const Shadow& shadow, const Placements& placements, const crds::PodGroup& group)
      : shadow_(shadow), placements_(placements), group_(group) {}

  [[nodiscard]] Numbers Facts() {
    CountMembers();
    CountQueue();
    if (!waiting_.empty()) {
      request_ = AmountsOf(*waiting_.front());
      CountNodes();
      CountCharge();
    }
    return facts_;
  }

 private:
  void CountMembers();
  [[nodiscard]] std::int64_t SlotsOf(Amounts free) const;
  [[nodiscard]] bool OutgrowsRacks() const;
  void CountLacking(const crds::Node& node, std::int64_t slots);
  void CountFree(const crds::Node& node);
  std::int64_t FillAll();
  std::int64_t FillRack();
  [[nodiscard]] std::string Home() const;
  void SayRack(const std::string& rack, const std::string& home);
  void CountNodes();
  void CountLargest();
  void CountHolders(const std::string& node);
  void CountQueue();
  [[nodiscard]] std::int64_t UsedOf(const std::string& resource) const;
  void CountCharge();
  [[nodiscard]] Amounts FreeOn(const crds::Node& node) const;
  [[nodiscard]] std::string HolderOf(const Placements::Placed& placed) const;
  [[nodiscard]] std::string QueueName() const {
    return group_.queue.empty() ? "default" : group_.queue;
  }

  const Shadow& shadow_;
  const Placements& placements_;
  const crds::PodGroup& group_;
  std::vector<const crds::Pod*> waiting_;
  Amounts request_;
  std::int64_t have_ = 0;    // Members that are bound or have succeeded.
  std::int64_t wanted_ = 0;  // That many more are placed together.
  Numbers facts_;
};

void Recount::CountMembers() {
  std::int64_t existing = 0;
  for (const auto& [name, pod] : shadow_.pods()) {
    if (name.first != group_.meta.ns || LabelOf(pod, kGroupLabel) != group_.meta.name) continue;
    if (IsTerminal(pod) || pod.meta.deletion_ms.has_value()) continue;
    ++existing;
    if (pod.node_name.empty() && !placements_.Has(pod.meta.uid)) waiting_.push_back(&pod);
  }
  const Shadow::Tally tally = shadow_.Count(group_);
  const std::int64_t succeeded =
      std::max<std::int64_t>(tally.succeeded, group_.status ? group_.status->members.succeeded : 0);
  have_ = tally.active + succeeded;
  wanted_ = std::max<std::int64_t>(0, group_.min_member - have_);
  facts_["min"] = group_.min_member;
  facts_["exist"] = existing + succeeded;
  facts_["code NotEnoughMembers"] = existing + succeeded < group_.min_member ? 1 : 0;
}

Amounts Recount::FreeOn(const crds::Node& node) const {
  Amounts free;
  for (const auto& [resource, amount] : node.allocatable) free[resource] = amount;
  for (const Placements::Placed* one : placements_.On(node.meta.name)) {
    for (const auto& [resource, amount] : one->amounts) free[resource] -= amount;
  }
  return free;
}

std::int64_t Recount::SlotsOf(Amounts free) const {
  std::int64_t slots = std::numeric_limits<std::int64_t>::max();
  for (const auto& [resource, amount] : request_) {
    if (amount > 0) slots = std::min(slots, std::max<std::int64_t>(0, free[resource]) / amount);
  }
  return slots;
}

// What the node lacks for one more than `slots`.
void Recount::CountLacking(const crds::Node& node, std::int64_t slots) {
  Amounts free = FreeOn(node);
  for (const auto& [resource, amount] : request_) {
    if (amount == 0 || free[resource] - slots * amount >= amount) continue;
    ++facts_[resource == "pods" ? "Too many pods" : "Insufficient " + resource];
  }
}

void Recount::CountFree(const crds::Node& node) {
  const std::string on = " on " + node.meta.name;
  Amounts free = FreeOn(node);
  for (const auto& [resource, amount] : request_) {
    facts_[std::string("free ").append(resource).append(on)] = free[resource];
    std::int64_t& most = facts_.try_emplace("most free " + resource, free[resource]).first->second;
    most = std::max(most, free[resource]);
  }
  CountHolders(node.meta.name);
}

// How many fit, node by node; what each lacks then is why the next one finds no place there.
std::int64_t Recount::FillAll() {
  std::int64_t fit = 0;
  for (const auto& [name, node] : shadow_.nodes()) {
    const std::string why = Barred(node, *waiting_.front());
    if (!why.empty()) {
      ++facts_[why];
      continue;
    }
    const std::int64_t slots = SlotsOf(FreeOn(node));
    fit += slots;
    CountLacking(node, slots);
    CountFree(node);
  }
  return fit;
}

// The rack that most of those that are placed are in; "" = they are in none. A node that is gone
// is in none that is known: "?".
std::string Recount::Home() const {
  std::map<std::string, std::int64_t> placed;
  for (const Placements::Placed& one : placements_.all()) {
    const bool named = one.gang == group_.meta.name && one.pod->meta.ns == group_.meta.ns;
    if (!named || one.pod->meta.deletion_ms.has_value()) continue;
    // Bound by somebody else it is no member.
    const auto uid = one.pod->meta.annotations.find("muster.dev/admitted-group-uid");
    const bool pinned = uid != one.pod->meta.annotations.end() && uid->second == group_.meta.uid;
    if (!one.pod->node_name.empty() && !pinned) continue;
    const auto node = shadow_.nodes().find(one.node);
    if (node == shadow_.nodes().end()) return "?";
    if (!RackLabelOf(node->second).empty()) ++placed[RackLabelOf(node->second)];
  }
  const auto most =
      std::ranges::max_element(placed, {}, [](const auto& one) { return one.second; });
  return most == placed.end() ? "" : most->first;
}

void Recount::SayRack(const std::string& rack, const std::string& home) {
  if (rack.empty()) {
    ++facts_["node(s) were in no rack"];
  } else if (!home.empty() && rack != home) {
    ++facts_["node(s) were in another rack than the gang"];
  } else {
    ++facts_["node(s) were in a rack without room for the gang"];
  }
}

// They would fit if every node were empty, but into no rack.
bool Recount::OutgrowsRacks() const {
  std::int64_t all = 0;
  std::map<std::string, std::int64_t> racks;
  for (const auto& [name, node] : shadow_.nodes()) {
    if (!Barred(node, *waiting_.front()).empty()) continue;
    const std::int64_t here = SlotsOf({node.allocatable.begin(), node.allocatable.end()});
    all += here;
    if (!RackLabelOf(node).empty()) racks[RackLabelOf(node)] += here;
  }
  return all >= wanted_ &&
         std::ranges::all_of(racks, [&](const auto& rack) { return rack.second < wanted_; });
}

// In the rack that takes most, or that of the others; what every node lacks as it is.
std::int64_t Recount::FillRack() {
  const std::string home = Home();
  std::map<std::string, std::int64_t> slots;
  std::int64_t all = 0;
  for (const auto& [name, node] : shadow_.nodes()) {
    const std::string why = Barred(node, *waiting_.front());
    if (!why.empty()) {
      ++facts_[why];
      continue;
    }
    const std::int64_t here = SlotsOf(FreeOn(node));
    const std::string rack = RackLabelOf(node);
    all += here;
    if (!rack.empty() && (home.empty() || home == rack)) slots[rack] += here;
    if (here == 0) CountLacking(node, 0);
    if (here > 0) SayRack(rack, home);
  }
  const auto most = std::ranges::max_element(slots, {}, [](const auto& one) { return one.second; });
  const std::int64_t fit = most == slots.end() ? 0 : most->second;
  for (const auto& [name, node] : shadow_.nodes()) {
    const bool told = fit > 0 || (!home.empty() && home != "?");
    const bool in = !told || RackLabelOf(node) == (fit > 0 ? most->first : home);
    if (in && Barred(node, *waiting_.front()).empty()) CountFree(node);
  }
  const bool room = all >= wanted_ || (home.empty() && OutgrowsRacks());
  facts_["code TopologyUnsatisfiable"] = room && fit < wanted_ ? 1 : 0;
  return fit;
}

void Recount::CountNodes() {
  facts_["nodes"] = static_cast<std::int64_t>(shadow_.nodes().size());
  const bool in_rack = group_.topology.required == "rack";
  const std::int64_t fit = std::min(in_rack ? FillRack() : FillAll(), wanted_);
  facts_["fit"] = have_ + fit;
  const bool topology =
      facts_.contains("code TopologyUnsatisfiable") && facts_.at("code TopologyUnsatisfiable") == 1;
  facts_["code Unschedulable"] = fit < wanted_ && !topology ? 1 : 0;
  for (const auto& [resource, amount] : request_) {
    facts_["short " + resource] = (wanted_ - fit) * amount;
    facts_["needs " + resource] = amount;
  }
  CountLargest();
}

void Recount::CountLargest() {
  Amounts largest;
  for (const auto& [name, node] : shadow_.nodes()) {
    for (const auto& [resource, amount] : node.allocatable) {
      largest[resource] = std::max(largest[resource], amount);
    }
  }
  bool never = false;
  for (const auto& [resource, amount] : request_) {
    facts_["largest " + resource] = largest[resource];
    never = never || amount > largest[resource];
  }
  facts_["code NeverFits"] = never && !shadow_.nodes().empty() ? 1 : 0;
}

std::string Recount::HolderOf(const Placements::Placed& placed) const {
  const crds::ObjectMeta& meta = placed.pod->meta;
  if (placed.gang == group_.meta.name) return "terminating pod " + meta.ns + "/" + meta.name;
  return meta.ns + "/" + (placed.gang.empty() ? meta.name : placed.gang);
}

void Recount::CountHolders(const std::string& node) {
  for (const Placements::Placed* one : placements_.On(node)) {
    const bool own = one->gang == group_.meta.name;
    if (own && !one->pod->meta.deletion_ms.has_value()) continue;
    const std::string holder = "held " + HolderOf(*one) + " ";
    for (const auto& [resource, amount] : one->amounts) facts_[holder + resource] += amount;
  }
}

void Recount::CountQueue() {
  const auto queue = shadow_.queues().find(QueueName());
  facts_["code QueueNotFound"] = queue == shadow_.queues().end() ? 1 : 0;
  bool readable = true;
  if (queue != shadow_.queues().end()) {
    for (const crds::QueueResource& resource : queue->second.resources) {
      const Unit unit = UnitOf(resource.name);
      readable = readable && crds::ParseQuota(resource.nominal_quota, unit).ok();
    }
  }
  facts_["code QueueInactive"] = readable ? 0 : 1;
}

std::int64_t Recount::UsedOf(const std::string& resource) const {
  std::int64_t used = 0;
  for (const Placements::Placed& one : placements_.all()) {
    const auto amount = one.amounts.find(resource);
    if (one.queue == QueueName() && amount != one.amounts.end()) used += amount->second;
  }
  return used;
}

void Recount::CountCharge() {
  facts_["code WaitingForQuota"] = 0;
  facts_["code ExceedsMaxQuota"] = 0;
  const auto queue = shadow_.queues().find(QueueName());
  if (queue == shadow_.queues().end()) return;
  for (const crds::QueueResource& resource : queue->second.resources) {
    const std::optional<std::int64_t> limit = CeilingOf(resource);
    if (!limit) continue;
    const std::int64_t used = UsedOf(resource.name);
    const std::int64_t charge = request_[resource.name] * wanted_;
    facts_["used " + resource.name] = used;
    facts_["nominal " + resource.name] = NominalOf(resource);
    facts_["limit " + resource.name] = *limit;
    facts_["charge " + resource.name] = charge;
    if (charge > 0 && used + charge > *limit) facts_["code WaitingForQuota"] = 1;
    if (charge > *limit) facts_["code ExceedsMaxQuota"] = 1;
  }
}

}  // namespace

Placements::Placements(const Shadow& shadow, Promises promises) {
  for (const auto& [name, pod] : shadow.pods()) {
    if (IsTerminal(pod) || pod.node_name.empty()) continue;
    Add(pod, pod.node_name, shadow.PayerOf(pod));
  }
  if (promises == Promises::kCount) {
    for (const Shadow::Named& named : shadow.NamedPods()) {
      const crds::Pod* pod = shadow.Waiting(named);
      if (pod != nullptr) Add(*pod, named.node->name, named.entry->queue);
    }
  }
  for (const Placed& one : all_) {
    uids_.insert(one.pod->meta.uid);
    on_[one.node].push_back(&one);
  }
}

void Placements::Add(const crds::Pod& pod, const std::string& node, const std::string& queue) {
  all_.push_back({.pod = &pod,
                  .node = node,
                  .queue = queue,
                  .gang = LabelOf(pod, kGroupLabel),
                  .amounts = AmountsOf(pod)});
}

const std::vector<const Placements::Placed*>& Placements::On(const std::string& node) const {
  static const std::vector<const Placed*> nobody;
  const auto found = on_.find(node);
  return found == on_.end() ? nobody : found->second;
}

Numbers FactsOf(const Shadow& shadow, const Placements& placements, const crds::PodGroup& group) {
  return Recount(shadow, placements, group).Facts();
}

}  // namespace muster::e2e
