// Whatever is placed, looked at and taken back: the cluster is as it was, byte for byte, and its
// sums are right.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "e2e/fuzz/fuzz.h"
#include "scheduler/base/check.h"
#include "scheduler/model/transaction.h"
#include "scheduler/testing/builders_cluster.h"

namespace muster::e2e {
namespace {

using scheduler::Cluster;
using scheduler::NodeId;
using scheduler::PodId;
using scheduler::Transaction;

constexpr int kNodes = 3;
constexpr int kPods = 6;

struct World {
  World() {
    using namespace scheduler::testing;
    for (int i = 0; i < kNodes; ++i) {
      cluster.Apply(MakeNode("n" + std::to_string(i), Gpus("8")));
      nodes.push_back(*cluster.FindNode("n" + std::to_string(i)));
    }
    cluster.Apply(MakeQueue("q", Gpus("16")));
    cluster.Apply(MakeGang("g", "q", kPods));
    cluster.Apply(MakeForeign("f", "n1", Gpus("2")));
    for (int i = 0; i < kPods; ++i) {
      cluster.Apply(MakeMember("g", i, Gpus("2")));
      pods.push_back(*cluster.FindPod("uid-g-" + std::to_string(i)));
    }
  }
  Cluster cluster;
  std::vector<NodeId> nodes;
  std::vector<PodId> pods;
};

// Steps of one Transaction; marks are left in the reverse order, or not at all.
void Play(World& world, Bytes& bytes) {
  const std::string before = world.cluster.Snapshot();
  std::vector<std::pair<std::size_t, std::string>> marks;
  {
    Transaction t(world.cluster);
    for (int step = 0; step < 24 && !bytes.empty(); ++step) {
      const PodId pod = world.pods[bytes.Below(world.pods.size())];
      const NodeId node = world.nodes[bytes.Below(world.nodes.size())];
      const bool pending = world.cluster.record(pod) == scheduler::Record::kPending;
      switch (bytes.Below(5)) {
        case 0:
          if (pending) t.Place(std::span(&pod, 1), node);
          break;
        case 1:
          t.Set({scheduler::Column::kPodPick, pod.value}, static_cast<std::int64_t>(step));
          break;
        case 2:
          marks.emplace_back(t.mark(), world.cluster.Snapshot());
          break;
        case 3:
          if (marks.empty()) break;
          if (!Planted()) t.RollbackTo(marks.back().first);
          MUSTER_CHECK(world.cluster.Snapshot() == marks.back().second);
          marks.pop_back();
          break;
        default:
          if (world.cluster.record(pod) != scheduler::Record::kGone) t.Remove(pod);
      }
    }
  }
  MUSTER_CHECK(world.cluster.Snapshot() == before);
  MUSTER_CHECK(world.cluster.Audit().empty());
}

}  // namespace
}  // namespace muster::e2e

int muster::e2e::FuzzTransaction(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  static e2e::World world;  // Every Transaction leaves it as it was.
  e2e::Bytes bytes(e2e::TextOf(data, size));
  while (!bytes.empty()) e2e::Play(world, bytes);
  return 0;
}
