#include "scheduler/testing/tape.h"

#include <algorithm>
#include <array>

namespace muster::scheduler::testing {
namespace {

constexpr std::uint32_t kPods = 12;
constexpr std::int64_t kGib = std::int64_t{1} << 30U;
// Mostly waiting: a terminal pod is dull.
constexpr std::array<PodState, 8> kStates = {
    PodState::kPending, PodState::kPending, PodState::kPending,   PodState::kGated,
    PodState::kBound,   PodState::kBound,   PodState::kSucceeded, PodState::kFailed};

std::string Numbered(const char* prefix, std::uint32_t number) {
  return prefix + std::to_string(number);
}

std::string RandomNode(Tape& tape) {
  return Numbered("n", tape.Below(4));
}
std::string RandomQueue(Tape& tape) {
  return Numbered("q", tape.Below(3));
}
Uid RandomPod(Tape& tape) {
  return Numbered("pod", tape.Below(kPods));
}
Key RandomGroup(Tape& tape) {
  return {.ns = Numbered("ns", tape.Below(2)), .name = Numbered("g", tape.Below(2))};
}
// Made again up to two times.
Uid GroupUid(const Key& key, std::uint32_t life) {
  return key.ns + "-" + key.name + "-" + std::to_string(life);
}

Amounts RandomAmounts(Tape& tape) {
  static constexpr std::array<const char*, 4> kNames = {"cpu", "example.com/fpga", "nvidia.com/gpu",
                                                        "unheard.of/thing"};
  Amounts amounts;
  for (const char* name : kNames) {
    if (!tape.OneIn(2)) amounts.emplace_back(name, tape.Below(4) * 1000);
  }
  return amounts;
}

// What never changes about a pod follows from its uid.
Event RandomPodSeen(Tape& tape) {
  const std::uint32_t number = tape.Below(kPods);
  PodSeen e;
  e.uid = Numbered("pod", number);
  e.key = {.ns = Numbered("ns", number % 2), .name = Numbered("p", number % 5)};
  e.ours = number % 4 != 3;
  if (e.ours && number % 3 == 0) {
    e.gang = {.ns = e.key.ns, .name = e.key.name, .single_pod = true};
  } else if (e.ours) {
    e.gang = {.ns = e.key.ns, .name = Numbered("g", tape.OneIn(4) ? 1 : 0)};
  }
  e.created = Wall{number / 5};
  e.shape.requests = RandomAmounts(tape);
  e.shape.model_required = tape.OneIn(4);
  for (std::uint32_t i = tape.Below(3); i > 0; --i)
    e.images.push_back(Numbered("i", tape.Below(3)));
  std::ranges::sort(e.images);
  e.state = kStates[tape.Below(kStates.size())];
  if (e.state == PodState::kBound) e.node = RandomNode(tape);
  if (e.state == PodState::kSucceeded && tape.OneIn(2)) e.node = RandomNode(tape);
  e.terminating = tape.OneIn(8);
  e.running = tape.OneIn(2);
  e.priority = static_cast<std::int32_t>(tape.Below(3));
  e.rank = static_cast<std::int32_t>(tape.Below(3)) - 1;
  if (tape.OneIn(2)) e.sub_group = tape.OneIn(2) ? "a" : "b";
  if (tape.OneIn(3)) e.queue = RandomQueue(tape);
  if (!e.node.empty() && !tape.OneIn(3)) {
    e.admitted_queue = RandomQueue(tape);
    e.bound_by = tape.Below(3);
    e.journalled = e.bound_by != 0 || tape.OneIn(4);
    if (!e.gang.single_pod || tape.OneIn(5)) {
      e.admitted_group_uid = GroupUid({e.key.ns, Numbered("g", tape.Below(2))}, tape.Below(2));
    }
  }
  return e;
}

Event RandomNodeSeen(Tape& tape) {
  NodeSeen e;
  e.name = RandomNode(tape);
  e.uid = Numbered("node", tape.Below(2));
  e.allocatable = RandomAmounts(tape);
  e.allocatable.emplace_back("zzz.io/new", tape.Below(2));
  if (!tape.OneIn(4)) e.allocatable.emplace_back("pods", 3);
  std::sort(e.allocatable.begin(), e.allocatable.end());
  e.ready = !tape.OneIn(3);
  e.unschedulable = tape.OneIn(4);
  e.labels = {{"zone", Numbered("z", tape.Below(2))}};
  if (tape.OneIn(2)) {
    e.labels.insert(e.labels.begin(), {"topology.muster.dev/rack", Numbered("r", tape.Below(2))});
  }
  if (tape.OneIn(3)) e.taints = {{"a key", "50% value\n", TaintEffect::kNoExecute}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (tape.OneIn(2)) e.images.push_back({Numbered("i", i), tape.Below(3) * kGib});
  }
  return e;
}

Event RandomGangSeen(Tape& tape) {
  GangSeen e;
  e.key = RandomGroup(tape);
  e.uid = GroupUid(e.key, tape.Below(2));
  e.queue = RandomQueue(tape);
  e.queue_named = !tape.OneIn(4);
  e.min_member = static_cast<std::int32_t>(tape.Below(3)) + 1;
  if (tape.OneIn(3)) e.topology = {tape.OneIn(2) ? "rack" : "", tape.OneIn(2) ? "rack" : ""};
  if (tape.OneIn(3)) {
    e.sub_groups = {{"a", static_cast<std::int32_t>(tape.Below(2))},
                    {"b", static_cast<std::int32_t>(tape.Below(2))}};
    e.min_member = std::max(e.min_member, e.sub_groups[0].min_member + e.sub_groups[1].min_member);
  }
  if (tape.OneIn(2)) e.priority_class = Numbered("c", tape.Below(2));
  e.succeeded = static_cast<std::int32_t>(tape.Below(2));
  e.ran = tape.OneIn(3);
  if (tape.OneIn(3)) e.admitted_queue = RandomQueue(tape);
  return e;
}

Event RandomQueueSeen(Tape& tape) {
  QueueSeen e;
  e.name = RandomQueue(tape);
  e.has_selector = !tape.OneIn(4);
  if (tape.OneIn(3)) e.namespace_selector = {{Requirement::Op::kIn, "team", {"t0", ""}}};
  if (tape.OneIn(2)) e.resources.push_back({.resource = "example.com/fpga", .nominal = 5});
  if (tape.OneIn(2)) {
    e.resources.push_back({.resource = "pods", .nominal = 1 + tape.Below(6), .limited = true});
  }
  e.stopped = tape.OneIn(6);
  return e;
}

Event RandomEntrySeen(Tape& tape) {
  EntrySeen e;
  const std::uint32_t number = tape.Below(4);
  e.id = number + 1;
  // The gang of an entry is a matter of its id, as on a page.
  e.key = {.ns = Numbered("ns", number % 2), .name = Numbered("g", number / 2)};
  e.gang = GroupUid(e.key, 0);
  e.state = tape.OneIn(3) ? EntryState::kAbandon : EntryState::kBind;
  e.queue = RandomQueue(tape);
  e.charges = {{"cpu", 1}};
  e.min_member = static_cast<std::int32_t>(tape.Below(3));
  if (tape.OneIn(3)) e.sub_groups = {{"a", static_cast<std::int32_t>(tape.Below(2))}};
  for (std::uint32_t i = tape.Below(4); i > 0; --i) {
    e.members.push_back({RandomPod(tape), RandomNode(tape)});
  }
  return e;
}

Event RandomEntryEnd(Tape& tape) {
  const std::uint32_t number = tape.Below(6);
  const Key key{.ns = Numbered("ns", number % 2), .name = Numbered("g", (number / 2) % 2)};
  const Uid gang = GroupUid(key, number < 4 ? 0 : tape.Below(2));
  if (tape.OneIn(3)) {
    return EntryFailed{gang, number + 1, RandomPod(tape), "403 \"no\"", tape.OneIn(2)};
  }
  if (tape.OneIn(3)) return EntryStranded{gang, number + 1, RandomPod(tape)};
  if (tape.OneIn(3)) return EntryAmended{gang, number + 1, RandomPod(tape)};
  if (tape.OneIn(3)) return EntryLeft{gang, number + 1, RandomPod(tape)};
  return EntryClosed{gang, number + 1};
}

Event RandomSmallKind(Tape& tape) {
  switch (tape.Below(6)) {
    case 0:
      return NamespaceSeen{.name = Numbered("ns", tape.Below(2)),
                           .labels = {{"team", Numbered("t", tape.Below(2))}},
                           .default_queue = tape.OneIn(2) ? RandomQueue(tape) : ""};
    case 1:
      return NamespaceGone{Numbered("ns", tape.Below(2))};
    case 2:
      return PriorityClassSeen{Numbered("c", tape.Below(2)), 5};
    case 3:
      return PriorityClassGone{Numbered("c", tape.Below(2))};
    case 4:
      return QueueGone{RandomQueue(tape)};
    default: {
      const std::uint64_t first_id = tape.Below(9);
      return Synced{.first_id = first_id, .intact_from = tape.Below(3)};
    }
  }
}

}  // namespace

Event RandomEvent(Tape& tape) {
  switch (tape.Below(18)) {
    case 0:
    case 1:
      return RandomNodeSeen(tape);
    case 2:
      return NodeGone{RandomNode(tape)};
    case 3:
    case 4:
      return RandomGangSeen(tape);
    case 5:
      return GangGone{RandomGroup(tape)};
    case 6:
      return RandomQueueSeen(tape);
    case 7:
    case 8:
      return RandomEntrySeen(tape);
    case 9:
      return RandomEntryEnd(tape);
    case 10:
      if (tape.OneIn(2)) return RandomSmallKind(tape);
      return PodGone{RandomPod(tape)};
    case 11:
    case 12: {
      const Uid pod = RandomPod(tape);
      BindAnswered answer{pod, RandomNode(tape), static_cast<Answer>(tape.Below(4))};
      if (answer.answer == Answer::kElsewhere) answer.at = RandomNode(tape);
      return answer;
    }
    default:
      return RandomPodSeen(tape);
  }
}

}  // namespace muster::scheduler::testing
