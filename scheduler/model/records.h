// The tables in plain values: names instead of row numbers, nothing derived. The form in which a
// cluster is written down and read back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/model/event.h"
#include "scheduler/model/rows.h"
#include "scheduler/model/text_codec.h"

namespace muster::scheduler {

struct PodRecord {
  Uid uid;
  std::string ns, name;
  bool ours = false;  // Then `gang` is the one it stands in.
  Key gang;
  PodShape shape;
  std::vector<std::string> images;
  std::string queue, admitted_queue, group_pin;
  Pin pin{};
  std::int32_t priority = 0, rank = 0;
  std::string sub_group;
  Wall created, owner_first_seen;
  std::uint64_t entry = 0, bound_by = 0;
  bool bound = false, running = false;
  Record record{};
  std::string node, next, payer;
  std::int64_t pick = 0;
};
struct EntryRecord {
  struct Member {
    Uid pod;
    std::string node;
    bool released = false, awaited = false, stranded = false;
  };
  std::uint64_t id = 0;
  Key gang;
  Uid gang_uid;
  EntryState state{};
  std::string queue;
  std::vector<Charge> charges;
  std::int32_t min_member = 0;
  std::vector<SubGroup> sub_groups;
  std::vector<Member> members;
  std::int64_t timeout_ms = 0;
  std::vector<Ticks> first_seen;            // One or none.
  std::vector<EntryRow::Failure> failures;  // One or none.
};
struct SuccessRecord {
  Key gang;
  std::vector<std::string> gone;
  std::int32_t earlier = 0;
};
struct GlobalRecord {
  std::uint64_t next_entry = 1;
  bool synced = false;
  std::uint64_t intact_from = 0;
};

template <>
inline constexpr Requirement::Op kLastValue<Requirement::Op> = Requirement::Op::kLt;
template <>
inline constexpr TaintEffect kLastValue<TaintEffect> = TaintEffect::kNoExecute;
template <>
inline constexpr EntryState kLastValue<EntryState> = EntryState::kAbandon;
template <>
inline constexpr Record kLastValue<Record> = Record::kGone;
template <>
inline constexpr Pin kLastValue<Pin> = Pin::kFixed;

void Fields(auto& ar, Like<Wall> auto& x) {
  ar(x.ms);
}
void Fields(auto& ar, Like<Ticks> auto& x) {
  ar(x.ms);
}
void Fields(auto& ar, Like<Key> auto& x) {
  ar(x.ns, x.name, x.single_pod);
}
void Fields(auto& ar, Like<Requirement> auto& x) {
  ar(x.op, x.key, x.values);
}
void Fields(auto& ar, Like<NodeTerm> auto& x) {
  ar(x.labels, x.fields);
}
void Fields(auto& ar, Like<PreferredTerm> auto& x) {
  ar(x.weight, x.term);
}
void Fields(auto& ar, Like<Taint> auto& x) {
  ar(x.key, x.value, x.effect);
}
void Fields(auto& ar, Like<Toleration> auto& x) {
  ar(x.key, x.value, x.exists, x.any_effect, x.effect);
}
void Fields(auto& ar, Like<PodShape> auto& x) {
  ar(x.requests, x.node_selector, x.has_required_affinity, x.required_affinity);
  ar(x.preferred_affinity, x.tolerations);
  ar(x.node_name, x.gpu_products, x.gpu_memory_min, x.driver_version_min, x.rdma);
  ar(x.model, x.model_required);
}
void Fields(auto& ar, Like<NodeImage> auto& x) {
  ar(x.name, x.size);
}
void Fields(auto& ar, Like<NodeSeen> auto& x) {
  ar(x.name, x.uid, x.allocatable, x.ready, x.unschedulable, x.labels, x.taints, x.cached_models);
  ar(x.images);
}
void Fields(auto& ar, Like<SubGroup> auto& x) {
  ar(x.name, x.min_member);
}
void Fields(auto& ar, Like<TopologyRequest> auto& x) {
  ar(x.required, x.preferred);
}
void Fields(auto& ar, Like<GangSeen> auto& x) {
  ar(x.key, x.uid, x.queue, x.queue_named, x.min_member, x.sub_groups, x.priority_class);
  ar(x.topology, x.timeout_ms);
  ar(x.created, x.generation, x.succeeded, x.ran, x.admitted_queue, x.invalid);
}
void Fields(auto& ar, Like<QueueSeen::Quota> auto& x) {
  ar(x.resource, x.nominal, x.limited, x.borrowing_limit);
}
void Fields(auto& ar, Like<QueueSeen> auto& x) {
  ar(x.name, x.uid, x.resources, x.has_selector, x.namespace_selector, x.stopped, x.misconfigured);
  ar(x.clipped);
}
void Fields(auto& ar, Like<NamespaceSeen> auto& x) {
  ar(x.name, x.labels, x.default_queue);
}
void Fields(auto& ar, Like<PriorityClassSeen> auto& x) {
  ar(x.name, x.value);
}
void Fields(auto& ar, Like<Charge> auto& x) {
  ar(x.resource, x.amount);
}
void Fields(auto& ar, Like<PodRecord> auto& x) {
  ar(x.uid, x.ns, x.name, x.ours, x.gang, x.record, x.node, x.next, x.payer, x.entry, x.bound);
  ar(x.running);
  ar(x.queue, x.admitted_queue, x.group_pin, x.priority, x.rank, x.created, x.owner_first_seen);
  ar(x.sub_group, x.bound_by, x.pin, x.pick, x.shape, x.images);
}
void Fields(auto& ar, Like<EntryRecord::Member> auto& x) {
  ar(x.pod, x.node, x.released, x.awaited, x.stranded);
}
void Fields(auto& ar, Like<EntryRow::Failure> auto& x) {
  ar(x.pod, x.text, x.refused);
}
void Fields(auto& ar, Like<EntryRecord> auto& x) {
  ar(x.id, x.gang, x.gang_uid, x.state, x.queue, x.charges, x.min_member, x.sub_groups);
  ar(x.members, x.timeout_ms, x.first_seen, x.failures);
}
void Fields(auto& ar, Like<SuccessRecord> auto& x) {
  ar(x.gang, x.gone, x.earlier);
}
void Fields(auto& ar, Like<GlobalRecord> auto& x) {
  ar(x.next_entry, x.synced, x.intact_from);
}

}  // namespace muster::scheduler
