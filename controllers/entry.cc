#include "controllers/entry.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "controllers/numbers.h"
#include "scheduler/base/check.h"

namespace muster::controllers {
namespace {

constexpr std::int64_t kMs = 1'000;

scheduler::Key GangOf(const crds::JournalEntry& entry) {
  if (!entry.group_name.empty()) return {.ns = entry.ns, .name = entry.group_name};
  MUSTER_CHECK(!entry.nodes.empty() && !entry.nodes.front().pods.empty());
  return {.ns = entry.ns, .name = entry.nodes.front().pods.front().name, .single_pod = true};
}

scheduler::Uid GangUidOf(const crds::JournalEntry& entry) {
  return entry.group_name.empty() ? entry.nodes.front().pods.front().uid : entry.group_uid;
}

}  // namespace

Entry& EntryTable::Add(Entry entry) {
  entry.open = static_cast<std::size_t>(
      std::ranges::count(entry.members, MemberState::kOpen, &Member::state));
  const std::uint64_t id = entry.id;
  for (std::size_t i = 0; i < entry.members.size(); ++i) {
    of_pod_[entry.members[i].uid] = {id, i};
  }
  const auto [at, added] = entries_.emplace(id, std::move(entry));
  MUSTER_CHECK(added);
  return at->second;
}

Entry* EntryTable::Find(std::uint64_t id) {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

void EntryTable::Replace(Entry& entry, Member& lost, Member by) {
  const auto index = static_cast<std::size_t>(&lost - entry.members.data());
  by.part = lost.part;
  by.turn = lost.turn;
  const auto* of = of_pod_.Find(lost.uid);
  if (of != nullptr && of->first == entry.id) of_pod_.Erase(lost.uid);
  of_pod_[by.uid] = {entry.id, index};
  const MemberState state = std::exchange(by.state, lost.state);
  lost = std::move(by);
  SetState(entry, lost, state);
}

Member& EntryTable::Join(Entry& entry, Member member) {
  of_pod_[member.uid] = {entry.id, entry.members.size()};
  if (member.state == MemberState::kOpen) ++entry.open;
  return entry.members.emplace_back(std::move(member));
}

void EntryTable::Leave(Entry& entry, Member& member) {
  const auto* of = of_pod_.Find(member.uid);
  if (of != nullptr && of->first == entry.id) of_pod_.Erase(member.uid);
  SetState(entry, member, MemberState::kLeft);
  member.uid.clear();
  member.leaves.clear();
  member.sent = false;
}

void EntryTable::Erase(std::uint64_t id) {
  const auto found = entries_.find(id);
  MUSTER_CHECK(found != entries_.end());
  for (const Member& member : found->second.members) {
    const auto* of = of_pod_.Find(member.uid);
    if (of != nullptr && of->first == id) of_pod_.Erase(member.uid);
  }
  entries_.erase(found);
}

EntryTable::Ref EntryTable::NextTurn(Entry& entry, const Member& member) {
  const auto index = static_cast<std::size_t>(&member - entry.members.data());
  return {.id = entry.id, .index = index, .turn = ++entry.members[index].turn};
}

EntryTable::At EntryTable::Get(const Ref& ref) {
  Entry* entry = Find(ref.id);
  if (entry == nullptr || entry->members[ref.index].turn != ref.turn) return {};
  return {.entry = entry, .member = &entry->members[ref.index]};
}

EntryTable::At EntryTable::OfPod(const scheduler::Uid& uid) {
  const auto* found = of_pod_.Find(uid);
  if (found == nullptr) return {};
  Entry* entry = Find(found->first);
  MUSTER_CHECK(entry != nullptr);
  return {.entry = entry, .member = &entry->members[found->second]};
}

void EntryTable::SetState(Entry& entry, Member& member, MemberState state) {
  ++member.turn;
  if (member.state == MemberState::kOpen) --entry.open;
  if (state == MemberState::kOpen) ++entry.open;
  member.state = state;
}

Entry EntryOf(const EntryParts& parts) {
  const crds::JournalEntry& entry = parts.front();
  Entry out;
  out.id = entry.id;
  out.gang = GangOf(entry);
  out.gang_uid = GangUidOf(entry);
  out.queue = entry.queue;
  out.min_member = entry.min_member;
  for (const auto& [name, minimum] : entry.sub_groups) out.sub_groups.push_back({name, minimum});
  out.parts = entry.parts;
  out.phase = EntryPhase::kAdopted;
  for (const crds::JournalEntry& part : parts) {
    if (out.why.empty()) out.why = part.why;
  }
  ForEachPod(parts, [&out](const auto& part, const auto& node, const auto& pod) {
    Member member;
    member.part = part.part;
    member.uid = pod.uid;
    member.key = {.ns = part.ns, .name = pod.name};
    member.node = node.name;
    member.node_uid = node.uid;
    member.version = pod.resource_version;
    member.sub_group = pod.sub_group;
    member.sent = true;
    out.members.push_back(std::move(member));
  });
  return out;
}

scheduler::EntrySeen SeenOf(const EntryParts& parts) {
  const crds::JournalEntry& entry = parts.front();
  scheduler::EntrySeen seen;
  seen.gang = GangUidOf(entry);
  seen.key = GangOf(entry);
  seen.id = entry.id;
  seen.state = IsAbandoned(parts) ? scheduler::EntryState::kAbandon : scheduler::EntryState::kBind;
  seen.queue = entry.queue;
  for (const auto& [resource, amount] : entry.charges) {
    seen.charges.push_back({.resource = resource, .amount = amount});
  }
  seen.min_member = entry.min_member;
  for (const auto& [name, minimum] : entry.sub_groups) seen.sub_groups.push_back({name, minimum});
  ForEachPod(parts, [&seen](const auto& /*part*/, const auto& node, const auto& pod) {
    seen.members.push_back({.pod = pod.uid, .node = node.name});
  });
  seen.timeout_ms = entry.timeout_seconds * kMs;
  return seen;
}

crds::JournalEntry PageEntryOf(const Entry& entry, const std::vector<scheduler::Charge>& charges,
                               std::int64_t timeout_ms) {
  crds::JournalEntry out;
  out.id = entry.id;
  out.ns = entry.gang.ns;
  if (!entry.gang.single_pod) {
    out.group_name = entry.gang.name;
    out.group_uid = entry.gang_uid;
  }
  out.queue = entry.queue;
  for (const scheduler::Charge& charge : charges) {
    out.charges.emplace_back(charge.resource, charge.amount);
  }
  out.min_member = entry.min_member;
  for (const scheduler::SubGroup& sub : entry.sub_groups) {
    out.sub_groups.emplace_back(sub.name, sub.min_member);
  }
  out.timeout_seconds = timeout_ms / kMs;
  std::map<std::string, crds::JournalEntry::Node> nodes;
  for (const Member& member : entry.members) {
    crds::JournalEntry::Node& node = nodes[member.node];
    node.name = member.node;
    node.uid = member.node_uid;
    node.pods.push_back({.name = member.key.name,
                         .uid = member.uid,
                         .resource_version = member.version,
                         .sub_group = member.sub_group});
  }
  for (auto& [name, node] : nodes) out.nodes.push_back(std::move(node));
  return out;
}

BindingMarks MarksOf(const crds::Pod& pod) {
  const auto said = [&pod](const char* key) {
    const auto found = pod.meta.annotations.find(key);
    return found == pod.meta.annotations.end() ? std::string_view() : found->second;
  };
  return {.queue = said("muster.dev/admitted-queue"),
          .group_uid = said("muster.dev/admitted-group-uid"),
          .journalled = JournalId(said("muster.dev/journal")).has_value()};
}

BindingMarks MarksOf(const PodPins& pins) {
  return {.queue = pins.queue,
          .group_uid = pins.group_uid,
          .journalled = JournalId(pins.journal).has_value()};
}

BindingMarks MarksOf(const scheduler::PodSeen& pod) {
  return {.queue = pod.admitted_queue,
          .group_uid = pod.admitted_group_uid,
          .journalled = pod.journalled};
}

bool IsOfGroup(const Entry& entry, const BindingMarks& marks) {
  return marks.group_uid == entry.gang_uid;
}

bool IsBoundByUs(const BindingMarks& marks) {
  return marks.journalled || !marks.queue.empty() || !marks.group_uid.empty();
}

bool SetWhere(const Entry& entry, Member& member, const std::string& node,
              const BindingMarks& marks) {
  member.at = node;
  member.counts = IsOfGroup(entry, marks);
  return node == member.node && IsBoundByUs(marks);
}

std::optional<std::uint64_t> JournalId(std::string_view place) {
  const std::size_t slash = place.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return NumberIn<std::uint64_t>(place.substr(slash + 1));
}

}  // namespace muster::controllers
