#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/model/cluster.h"
#include "scheduler/model/transaction.h"
#include "scheduler/testing/tape.h"

namespace muster::scheduler {
namespace {

using testing::RandomEvent;
using testing::Tape;

Tape AnyTape() {
  const auto number = rc::gen::inRange<std::uint32_t>(0, 1'000'000);
  return Tape(*rc::gen::scale(40.0, rc::gen::container<std::vector<std::uint32_t>>(number)));
}

std::vector<PodId> Placeable(const Cluster& cluster, GangId gang) {
  std::vector<PodId> pods;
  for (const PodId pod : cluster.gang(gang).members) {
    if (cluster.record(pod) == Record::kPending && cluster.pod(pod).entry == 0) pods.push_back(pod);
  }
  return pods;
}

// A gang with a pod that could be placed, if there is one.
std::optional<GangId> SomeGang(const Cluster& cluster, Tape& tape) {
  std::vector<GangId> gangs;
  for (std::uint32_t i = 0; i < cluster.gang_rows(); ++i) {
    if (cluster.gang(GangId{i}).live && !Placeable(cluster, GangId{i}).empty()) {
      gangs.push_back(GangId{i});
    }
  }
  if (gangs.empty()) return std::nullopt;
  return gangs[tape.Below(static_cast<std::uint32_t>(gangs.size()))];
}

// Random writes of an open Transaction, some taken back to a mark.
void Scribble(const Cluster& cluster, Transaction& transaction, Tape& tape) {
  const std::size_t mark = transaction.mark();
  if (const auto gang = SomeGang(cluster, tape); gang && !cluster.nodes().empty()) {
    const auto count = static_cast<std::uint32_t>(cluster.nodes().size());
    const std::vector<PodId> pods = Placeable(cluster, *gang);
    transaction.Place(pods, cluster.nodes()[tape.Below(count)]);
    transaction.Set({Column::kPodPick, pods.front().value}, tape.Below(5));
    if (tape.OneIn(2)) transaction.Remove(pods.back());
  }
  for (const NodeId node : cluster.nodes()) {
    const std::vector<PodId> pods(cluster.pods_on(node).begin(), cluster.pods_on(node).end());
    if (!pods.empty() && tape.OneIn(3)) transaction.Remove(pods.front());
  }
  if (tape.OneIn(3)) transaction.RollbackTo(mark);
}

// What Decide does when a gang fits.
void Admit(Cluster& cluster, Tape& tape) {
  const auto gang = SomeGang(cluster, tape);
  if (!gang || cluster.nodes().empty()) return;
  const auto count = static_cast<std::uint32_t>(cluster.nodes().size());
  Transaction transaction(cluster);
  const std::vector<PodId> pods = Placeable(cluster, *gang);
  for (const PodId pod : pods) {
    transaction.Place(std::span(&pod, 1), cluster.nodes()[tape.Below(count)]);
  }
  transaction.Commit({.gang = *gang, .pods = pods, .charges = {}, .now = Ticks{7}});
}

// What Decide does when a member has lost its node; now and then it thinks better of it.
void Move(Cluster& cluster, Tape& tape) {
  for (const auto& [id, entry] : cluster.entries()) {
    for (const EntryRow::Member& member : entry.members) {
      const auto pod = cluster.FindPod(member.pod);
      const bool held = pod && cluster.record(*pod) == Record::kReserved &&
                        cluster.pod(*pod).entry == id && entry.state == EntryState::kBind;
      if (!held || cluster.nodes().empty() || tape.OneIn(2)) continue;
      const auto count = static_cast<std::uint32_t>(cluster.nodes().size());
      const NodeId node = cluster.nodes()[tape.Below(count)];
      if (node == cluster.node_of(*pod)) continue;
      const std::string before = cluster.Snapshot();
      {
        Transaction transaction(cluster, id);
        transaction.Place(std::span(&*pod, 1), node);
        const Transaction::Change change{.replaces = member.pod, .pod = *pod};
        if (!tape.OneIn(3)) return transaction.Amend({&change, 1});
      }
      RC_ASSERT(cluster.Snapshot() == before);
    }
  }
}

RC_GTEST_PROP(Cluster, AnyEventsKeepTheBooks, ()) {
  Tape tape = AnyTape();
  Cluster cluster;
  while (!tape.empty()) {
    if (tape.OneIn(8)) {
      Admit(cluster, tape);
    } else if (tape.OneIn(8)) {
      Move(cluster, tape);
    } else {
      cluster.Apply(RandomEvent(tape));
    }
    RC_ASSERT(cluster.Audit() == "");
    if (tape.OneIn(6)) cluster.ClearTouched();
  }
}

RC_GTEST_PROP(Cluster, ItsSnapshotIsTheWholeOfIt, ()) {
  Tape tape = AnyTape();
  Cluster cluster;
  while (!tape.empty()) {
    if (tape.OneIn(8)) {
      Admit(cluster, tape);
    } else if (tape.OneIn(8)) {
      Move(cluster, tape);
    } else {
      const Event event = RandomEvent(tape);
      Result<Cluster> copy = Cluster::FromSnapshot(cluster.Snapshot());
      RC_ASSERT(copy.ok());
      RC_ASSERT(copy.value().Audit() == "");
      RC_ASSERT(copy.value().Snapshot() == cluster.Snapshot());
      cluster.Apply(event);
      copy.value().Apply(event);
      RC_ASSERT(copy.value().Snapshot() == cluster.Snapshot());
    }
  }
}

RC_GTEST_PROP(Cluster, AFactSeenTwiceChangesNothing, ()) {
  Tape tape = AnyTape();
  Cluster cluster;
  while (!tape.empty()) {
    const Event event = RandomEvent(tape);
    cluster.Apply(event);
    const std::string once = cluster.Snapshot();
    cluster.ClearTouched();
    cluster.Apply(event);
    RC_ASSERT(cluster.Snapshot() == once);
    RC_ASSERT(cluster.touched().empty());
  }
}

// What a list shows; "" = it is in none.
struct Listed {
  std::string operator()(const PodSeen& e) const { return "pod " + e.uid; }
  std::string operator()(const NodeSeen& e) const { return "node " + e.name; }
  std::string operator()(const GangSeen& e) const { return "gang " + e.key.ns + "/" + e.key.name; }
  std::string operator()(const QueueSeen& e) const { return "queue " + e.name; }
  std::string operator()(const NamespaceSeen& e) const { return "namespace " + e.name; }
  std::string operator()(const auto& /*other*/) const { return ""; }
};

// What a leader finds: one fact of each object in any order, behind them the open entries.
struct World {
  std::vector<Event> list, entries;

  explicit World(Tape& tape) {
    std::map<std::string, Event> objects;
    while (!tape.empty()) {
      const Event event = RandomEvent(tape);
      const std::string object = std::visit(Listed{}, event);
      if (!object.empty()) objects.emplace(object, event);
      if (std::holds_alternative<EntrySeen>(event)) entries.push_back(event);
    }
    for (const auto& [name, event] : objects) list.push_back(event);
  }
  [[nodiscard]] std::string Found() const {
    Cluster cluster;
    for (const Event& event : list) cluster.Apply(event);
    for (const Event& event : entries) cluster.Apply(event);
    cluster.Apply(Synced{});
    return cluster.Snapshot();
  }
};

// Who pays for what is not a matter of what was listed first.
RC_GTEST_PROP(Cluster, AListInAnyOrderIsTheSameTakeOver, ()) {
  const auto number = rc::gen::inRange<std::uint32_t>(0, 1'000'000);
  Tape tape(*rc::gen::container<std::vector<std::uint32_t>>(600, number));
  World world(tape);
  const std::string found = world.Found();
  const std::size_t size = world.list.size();
  const auto draws = *rc::gen::container<std::vector<std::uint32_t>>(size, number);
  for (std::size_t i = 0; i < size; ++i) {
    std::swap(world.list[i], world.list[i + draws[i] % (size - i)]);
  }
  RC_ASSERT(world.Found() == found);
}

RC_GTEST_PROP(Transaction, RolledBackLeavesNoTrace, ()) {
  Tape tape = AnyTape();
  Cluster cluster;
  while (!tape.empty()) {
    cluster.Apply(RandomEvent(tape));
    if (!tape.OneIn(4)) continue;
    const std::string before = cluster.Snapshot();
    {
      Transaction transaction(cluster);
      for (std::uint32_t i = tape.Below(4); i > 0; --i) Scribble(cluster, transaction, tape);
      RC_ASSERT(cluster.Audit() == "");
    }
    RC_ASSERT(cluster.Snapshot() == before);
    RC_ASSERT(cluster.Audit() == "");
  }
}

}  // namespace
}  // namespace muster::scheduler
