#include "scheduler/testing/day.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "scheduler/framework/policy.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler::testing {
namespace {

constexpr const char* kGpu = "nvidia.com/gpu";
constexpr const char* kRack = "topology.muster.dev/rack";
constexpr std::array<const char*, 3> kImages = {"a:1", "b:1", "c:1"};

template <class Map>
auto SomeOf(Map& map, std::uint32_t drawn) {
  return std::next(map.begin(), static_cast<std::ptrdiff_t>(drawn % map.size()));
}

}  // namespace

Day::Day(std::uint64_t seed) : state_(seed), scheduler_(DefaultPolicy()) {
  for (const char* name : {"default", "other"}) {
    namespaces_[name] = {name, {{"team", "a"}}};
    Send(namespaces_[name]);
  }
  for (const char* name : {"q0", "q1"}) Put(MakeQueue(name, {{kGpu, "24"}}));
  for (const char* name : {"n0", "n1", "n2"}) {
    Put(MakeNode(name, {{"cpu", "16"}, {kGpu, "8"}}));
  }
  Send(Synced{});
}

std::uint32_t Day::Below(std::uint32_t bound) {
  state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::uint32_t>((state_ >> 33U) % bound);
}

std::string Day::Some(const char* prefix, std::uint32_t count) {
  return prefix + std::to_string(Below(count));
}

std::vector<NodeImage> Day::SomeImages() {
  const std::int64_t size = std::int64_t{Below(8)} << 29U;
  std::vector<NodeImage> images = {{"a:1", size}, {"b:1", size / 2}, {"c:1", size}};
  std::erase_if(images, [this](const NodeImage& /*image*/) { return OneIn(2); });
  return images;
}

void Day::Put(const NodeSeen& node) {
  nodes_[node.name] = node;
  Send(node);
}
void Day::Put(const QueueSeen& queue) {
  queues_[queue.name] = queue;
  Send(queue);
}
void Day::Put(const GangSeen& gang) {
  groups_[gang.key] = gang;
  Send(gang);
}
void Day::Put(const PodSeen& pod) {
  pods_[pod.uid] = pod;
  Send(pod);
}

void Day::SomeEvents() {
  now_.mono.ms += Below(OneIn(20) ? 200'000 : 3'000);
  now_.wall.ms = now_.mono.ms;
  for (std::uint32_t i = 1 + Below(3); i > 0; --i) OneEvent();
}

void Day::OneEvent() {
  switch (Below(24)) {
    case 0:
    case 1:
    case 2:
      return EditGroup();
    case 3:
      return AddSingle();
    case 4:
      return AddForeign();
    case 5:
    case 6:
    case 7:
    case 8:
      return EditPod();
    case 9:
    case 10:
      return EditNode();
    case 11:
      return EditQueue();
    case 12:
      return EditSmallKind();
    case 13:
      return OneIn(3) ? TakeOver() : AnswerSome();
    default:
      return AnswerSome();
  }
}

Amounts Day::SomeRequests() {
  const std::string gpus = std::to_string(1U << Below(4));
  if (OneIn(3)) return MakeAmounts({{kGpu, gpus}, {"cpu", std::to_string(Below(10))}});
  return MakeAmounts({{kGpu, gpus}});
}

// Made with its members, edited, deleted, or made again under its name.
void Day::EditGroup() {
  const Key key{.ns = OneIn(4) ? "other" : "default", .name = Some("g", 8)};
  const auto old = groups_.find(key);
  if (old != groups_.end() && OneIn(3)) {
    groups_.erase(old);
    Send(GangGone{key});
    return;
  }
  GangSeen gang = old != groups_.end() ? old->second : MakeGang(key.name, "", 1);
  if (old == groups_.end()) {
    gang.key = key;
    gang.uid = "group-" + std::to_string(made_++);
    gang.created = now_.wall;
    gang.timeout_ms = 20'000;
  }
  gang.queue = Some("q", OneIn(8) ? 3 : 2);
  gang.queue_named = !OneIn(5);
  gang.min_member = static_cast<std::int32_t>(1 + Below(4));
  gang.sub_groups.clear();
  if (OneIn(3)) {
    gang.sub_groups = {{"a", static_cast<std::int32_t>(1 + Below(2))},
                       {"b", static_cast<std::int32_t>(Below(2))}};
    const std::int32_t sum = gang.sub_groups[0].min_member + gang.sub_groups[1].min_member;
    gang.min_member = std::max(gang.min_member, sum);
  }
  if (OneIn(3)) gang.topology = {OneIn(2) ? "" : "rack", OneIn(2) ? "host" : "rack"};
  gang.ran = gang.ran || OneIn(10);  // As its status may say to a new leader.
  if (OneIn(8)) gang.priority_class = Some("c", 2);
  Put(gang);
  const auto members = static_cast<std::uint32_t>(gang.min_member);
  AddPods(key, old != groups_.end() ? Below(2) : members + Below(3));
}

void Day::AddPods(const Key& group, std::uint32_t count) {
  const Amounts requests = SomeRequests();
  const bool mixed = OneIn(2);
  for (std::uint32_t i = 0; i < count; ++i) {
    const int number = made_++;
    PodSeen pod = MakeMember(group.name, number, {});
    pod.uid = "pod-" + std::to_string(number);
    pod.gang = group;
    pod.key.ns = group.ns;
    pod.rank = OneIn(4) ? static_cast<std::int32_t>(Below(4)) : number;
    pod.shape.requests = mixed ? SomeRequests() : requests;
    pod.images = {kImages.at(OneIn(6) ? Below(kImages.size()) : std::size_t{made_ % 2 != 0})};
    pod.priority = OneIn(6) ? 5 : 0;
    if (!OneIn(4)) pod.sub_group = OneIn(3) ? "b" : "a";
    pod.created = now_.wall;
    if (OneIn(8)) pod.state = PodState::kGated;
    if (OneIn(10)) pod.shape.node_selector = {{"pool", "a"}};
    Put(pod);
  }
}

void Day::AddSingle() {
  const std::string number = std::to_string(made_++);
  PodSeen pod = MakeSingle("s" + number, Some("q", 2), {});
  pod.uid = "pod-" + number;
  pod.shape.requests = SomeRequests();
  pod.images = {kImages.at(Below(kImages.size()))};
  pod.created = now_.wall;
  Put(pod);
}

void Day::AddForeign() {
  PodSeen pod = MakeForeign("f" + std::to_string(made_++), Some("n", 5), {});
  pod.uid = "pod-" + pod.key.name;
  pod.shape.requests = SomeRequests();
  Put(pod);
}

void Day::EditPod() {
  if (pods_.empty()) return;
  PodSeen pod = SomeOf(pods_, Below(1'000'000))->second;
  switch (Below(8)) {
    case 0:
      pod.state = pod.node.empty() ? PodState::kFailed : PodState::kSucceeded;
      return Put(pod);
    case 1:
      pod.terminating = true;
      return Put(pod);
    case 2:
      if (pod.state == PodState::kGated) pod.state = PodState::kPending;
      pod.priority = static_cast<std::int32_t>(Below(3));
      return Put(pod);
    case 3:
      // Relabelled, or its pin edited: by hand, as anybody may.
      if (!pod.ours || pod.gang.single_pod || groups_.empty()) return;
      pod.gang = {.ns = pod.key.ns, .name = Some("g", 8)};
      if (pod.state == PodState::kBound) {
        pod.admitted_group_uid = SomeOf(groups_, Below(1'000'000))->second.uid;
      }
      return Put(pod);
    default:
      break;
  }
  pods_.erase(pod.uid);
  Send(PodGone{pod.uid});
  if (!pod.gang.single_pod && groups_.contains(pod.gang) && OneIn(2)) AddPods(pod.gang, 1);
}

void Day::EditNode() {
  const std::string name = Some("n", 6);
  if (OneIn(4) && nodes_.contains(name)) {
    NodeSeen node = nodes_.at(name);  // As it was, but for what it holds.
    node.images = SomeImages();
    return Put(node);
  }
  if (OneIn(5)) {
    nodes_.erase(name);
    return Send(NodeGone{name});
  }
  const std::string gpus = std::to_string(Below(3) * 4 + 8);
  NodeSeen node = MakeNode(name, {{"cpu", std::to_string(8 + Below(16))}, {kGpu, gpus}});
  node.uid = Some("node-", 2);
  node.unschedulable = OneIn(6);
  node.ready = !OneIn(8);
  if (OneIn(2)) node.labels = {{"pool", Some("", 2) == "0" ? "a" : "b"}};
  if (!OneIn(4)) node.labels.emplace_back(kRack, Some("r", 2));
  if (OneIn(6)) node.taints = {{"gpu", "x", TaintEffect::kNoSchedule}};
  node.images = SomeImages();
  Put(node);
}

void Day::EditQueue() {
  const std::string name = Some("q", 3);
  if (OneIn(6)) {
    queues_.erase(name);
    Send(QueueGone{name});
    return;
  }
  QueueSeen queue = MakeQueue(name, {{kGpu, std::to_string(4 + Below(30))}});
  queue.resources[0].limited = OneIn(2);
  queue.resources[0].borrowing_limit = std::int64_t{1000} * Below(16);
  queue.stopped = OneIn(6);
  queue.has_selector = !OneIn(8);
  if (OneIn(3)) queue.namespace_selector = {{Requirement::Op::kIn, "team", {"a"}}};
  if (OneIn(10)) queue.misconfigured = "spec.parent: no such queue";
  Put(queue);
}

void Day::EditSmallKind() {
  const std::string ns = OneIn(2) ? "other" : "default";
  const std::string name = Some("c", 2);
  switch (Below(4)) {
    case 0:
      namespaces_[ns] = {ns, {{"team", OneIn(2) ? "a" : "b"}}, OneIn(3) ? "" : Some("q", 3)};
      return Send(namespaces_[ns]);
    case 1:
      classes_.erase(name);
      return Send(PriorityClassGone{name});
    default:
      classes_[name] = static_cast<std::int32_t>(Below(3)) * 10;
      return Send(PriorityClassSeen{name, classes_[name]});
  }
}

// As the API server has it from now on.
void Day::ShowBound(const EntryRow& entry, const EntryRow::Member& member, bool by_others) {
  const Cluster& cluster = scheduler_.cluster();
  const std::string queue = cluster.queue(entry.queue).spec.name;
  const Uid group = cluster.gang(entry.gang).key.single_pod ? Uid() : entry.gang_uid;
  PodSeen& pod = pods_.at(member.pod);
  const std::string& node = cluster.node(member.node).name;
  pod = by_others ? BoundTo(pod, node, "", "") : BoundTo(pod, node, queue, group);
  if (by_others) return;
  pod.bound_by = entry.id;
  pod.journalled = true;
}

bool Day::AnswerMember(const EntryRow& entry, const EntryRow::Member& member) {
  const Cluster& cluster = scheduler_.cluster();
  const auto pod = cluster.FindPod(member.pod);
  if (!pod || cluster.record(*pod) != Record::kReserved) return true;
  if (OneIn(4)) return false;
  if (entry.state == EntryState::kBind && AmendMember(entry, member)) return false;
  const std::string node = cluster.node(member.node).name;
  if (entry.state == EntryState::kAbandon) {
    Send(BindAnswered{member.pod, node, Answer::kRefused});
    return true;
  }
  const bool by_others = OneIn(30);
  ShowBound(entry, member, by_others);
  // Whichever comes first.
  if (OneIn(2)) Send(pods_.at(member.pod));
  const BindAnswered elsewhere{member.pod, node, Answer::kElsewhere, node};
  Send(by_others ? elsewhere : BindAnswered{member.pod, node, Answer::kDone});
  if (OneIn(2)) Send(pods_.at(member.pod));
  return true;
}

// It is lost, and its owner makes another; or its node is, or the page names the new one.
bool Day::AmendMember(const EntryRow& entry, const EntryRow::Member& member) {
  const Cluster& cluster = scheduler_.cluster();
  if (cluster.next_of(*cluster.FindPod(member.pod))) {
    // At times the Binding that was under way has acted after all.
    if (OneIn(4)) return false;
    Send(EntryAmended{entry.gang_uid, entry.id, member.pod});
    return true;
  }
  const Key gang = cluster.gang(entry.gang).key;
  if (!gang.single_pod && OneIn(10)) {
    pods_.erase(member.pod);
    Send(PodGone{member.pod});
    AddPods(gang, 1);
    return true;
  }
  if (entry.min_member > 0 && entry.members.size() > 1 && OneIn(10)) {
    // Its label was changed for a moment: it may come back as another.
    Send(EntryLeft{entry.gang_uid, entry.id, member.pod});
    return true;
  }
  const bool out = !cluster.node(member.node).exists || cluster.node(member.node).unschedulable;
  if (entry.min_member == 0 || !(out || OneIn(10))) return false;
  Send(EntryStranded{entry.gang_uid, entry.id, member.pod});
  return true;
}

void Day::AnswerSome() {
  const auto& entries = scheduler_.cluster().entries();
  if (entries.empty()) return;
  const EntryRow entry = SomeOf(entries, Below(1'000'000))->second;
  if (entry.members.size() > 1 && OneIn(6)) return TakeOver();  // When most is under way.
  bool open = false;
  for (const EntryRow::Member& member : entry.members) open |= !AnswerMember(entry, member);
  if (open && entry.state == EntryState::kBind && OneIn(8)) {
    const bool refused = !OneIn(3);
    return Send(EntryFailed{entry.gang_uid, entry.id, entry.members[0].pod, "403 no", refused});
  }
  if (open) return;
  if (entry.state == EntryState::kAbandon) {
    for (const EntryRow::Member& member : entry.members) {
      pods_.erase(member.pod);
      Send(PodGone{member.pod});
    }
  }
  Send(EntryClosed{entry.gang_uid, entry.id});
}

// While nobody leads. Of a gang that is being bound a Binding has acted, and the node of another
// member goes; else any node.
void Day::LoseNode() {
  const Cluster& cluster = scheduler_.cluster();
  for (const auto& [id, entry] : cluster.entries()) {
    std::vector<EntryRow::Member> open;
    for (const EntryRow::Member& member : entry.members) {
      const auto pod = cluster.FindPod(member.pod);
      if (pod && cluster.record(*pod) == Record::kReserved) open.push_back(member);
    }
    if (entry.state != EntryState::kBind || open.size() < 2) continue;
    ShowBound(entry, open.front(), false);
    nodes_.erase(cluster.node(open.back().node).name);
    return;
  }
  if (!nodes_.empty() && OneIn(3)) nodes_.erase(nodes_.begin());
}

void Day::TakeOver() {
  LoseNode();
  const Scheduler old = std::exchange(scheduler_, Scheduler(DefaultPolicy()));
  for (const auto& [name, ns] : namespaces_) Send(ns);
  for (const auto& [name, value] : classes_) Send(PriorityClassSeen{name, value});
  for (const auto& [name, queue] : queues_) Send(queue);
  for (const auto& [name, node] : nodes_) Send(node);
  for (const auto& [uid, pod] : pods_) Send(pod);
  for (const auto& [key, gang] : groups_) Send(gang);
  const Cluster& cluster = old.cluster();
  std::uint64_t last = 0;
  for (const auto& [id, entry] : cluster.entries()) {
    last = id;
    EntrySeen seen{.gang = entry.gang_uid,
                   .key = cluster.gang(entry.gang).key,
                   .id = id,
                   .state = entry.state,
                   .queue = cluster.queue(entry.queue).spec.name,
                   .charges = entry.charges,
                   .min_member = entry.min_member,
                   .sub_groups = entry.sub_groups,
                   .members = {},
                   .timeout_ms = entry.timeout_ms};
    for (const auto& m : entry.members) seen.members.push_back({m.pod, cluster.node(m.node).name});
    if (!OneIn(10)) Send(seen);  // Else its page was lost.
  }
  const std::uint64_t first_id = last + 100;
  Send(Synced{.first_id = first_id, .intact_from = OneIn(10) ? first_id : 0});
}

}  // namespace muster::scheduler::testing
