#include "e2e/bench/decisions.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "e2e/bench/measure.h"
#include "e2e/sim/prng.h"
#include "scheduler/base/check.h"
#include "scheduler/framework/policy.h"
#include "scheduler/model/event.h"
#include "scheduler/solve/scheduler.h"

namespace muster::e2e {
namespace {

using scheduler::Decision;
using scheduler::Scheduler;

constexpr std::int64_t kMilli = 1000;
constexpr int kGroups = 4;
constexpr const char* kGpu = "nvidia.com/gpu";

std::string NodeName(int i) {
  std::string digits = std::to_string(i);
  return "node-" + std::string(6 - digits.size(), '0') + digits;
}
std::string GroupName(int group) {
  return "pool-" + std::to_string(group);
}

scheduler::NodeSeen NodeAt(int i) {
  const std::string group = GroupName(i % kGroups);
  scheduler::NodeSeen node;
  node.name = NodeName(i);
  node.uid = "uid-" + node.name;
  node.allocatable = {{"cpu", 128 * kMilli}, {kGpu, 8 * kMilli}, {"pods", 110}};
  node.ready = true;
  // 64 nodes in a rack, 16 racks in a block.
  node.labels = {{"pool", group},
                 {"topology.muster.dev/block", std::to_string(i / 1024)},
                 {"topology.muster.dev/rack", std::to_string(i / 64)}};
  node.taints = {{"pool", group, scheduler::TaintEffect::kNoSchedule}};
  return node;
}

// A pod of another scheduler that fills its node.
scheduler::PodSeen Filler(int node) {
  scheduler::PodSeen pod;
  pod.uid = "filler-" + std::to_string(node);
  pod.key = {"other", pod.uid};
  pod.shape.requests = {{kGpu, 8 * kMilli}};
  pod.state = scheduler::PodState::kBound;
  pod.node = NodeName(node);
  return pod;
}

scheduler::PodSeen Member(const std::string& gang, int rank, std::int64_t gpus) {
  const std::string group = GroupName(0);
  scheduler::PodSeen pod;
  pod.uid = gang + "-" + std::to_string(rank);
  pod.key = {"team", pod.uid};
  pod.gang = {"team", gang};
  pod.shape.requests = {{"cpu", 4 * kMilli}, {kGpu, gpus * kMilli}};
  pod.shape.node_selector = {{"pool", group}};
  pod.shape.tolerations = {{.key = "pool", .value = group, .any_effect = true}};
  pod.ours = true;
  pod.rank = rank;
  return pod;
}

// `level`: of the topology, in one domain of which it has to be; "" = anywhere.
scheduler::GangSeen Gang(const std::string& name, int members, const std::string& level = "") {
  scheduler::GangSeen gang;
  gang.uid = "uid-" + name;
  gang.key = {"team", name};
  gang.queue = "default";
  gang.min_member = members;
  gang.topology.required = level;
  return gang;
}

// Half of the nodes are full, which ones is drawn from a fixed seed.
Scheduler HalfFull(int nodes) {
  Scheduler core(scheduler::DefaultPolicy());
  scheduler::QueueSeen queue;
  queue.name = "default";
  queue.uid = "uid-default";
  queue.has_selector = true;
  core.Apply(queue);
  core.Apply(scheduler::NamespaceSeen{"team", {}});
  Prng prng(42);
  for (int i = 0; i < nodes; ++i) {
    core.Apply(NodeAt(i));
    if (prng.Chance(500)) core.Apply(Filler(i));
  }
  core.Apply(scheduler::Synced{});
  (void)core.Decide(Now{{1}, {1}}, {});
  return core;
}

void Submit(Scheduler& core, const scheduler::GangSeen& gang, std::int64_t gpus) {
  core.Apply(gang);
  for (int i = 0; i < gang.min_member; ++i) core.Apply(Member(gang.key.name, i, gpus));
}

Decision Place(Scheduler& core, std::int64_t at_ms, double& micros) {
  Decision decision;
  micros = Micros([&]() { decision = core.Decide(Now{{at_ms}, {at_ms}}, {}); });
  return decision;
}

// As if every member was bound, ran and went.
void Finish(Scheduler& core, const Decision& decision) {
  for (const Decision::Admit& admit : decision.admits) {
    for (const Decision::Bind& bind : admit.pods) {
      core.Apply(scheduler::BindAnswered{bind.pod, bind.node, scheduler::Answer::kDone});
    }
    core.Apply(scheduler::EntryClosed{admit.gang_uid, admit.id});
    for (const Decision::Bind& bind : admit.pods) core.Apply(scheduler::PodGone{bind.pod});
    core.Apply(scheduler::GangGone{admit.gang});
  }
}

void CheckPlaced(const Decision& decision, std::size_t members) {
  MUSTER_CHECK(decision.admits.size() == 1);
  MUSTER_CHECK(decision.admits.front().pods.size() == members);
}

constexpr int kGang = 512;
constexpr int kNodes = 5000;

// Milliseconds, when the index is there.
double WarmMs(int members, const std::string& level) {
  Scheduler core = HalfFull(kNodes);
  std::vector<double> samples;
  for (int run = -1; run < kRuns; ++run) {
    Submit(core, Gang("train" + std::to_string(run + 1), members, level), 8);
    double micros = 0;
    const Decision decision = Place(core, 10 + run, micros);
    CheckPlaced(decision, static_cast<std::size_t>(members));
    Finish(core, decision);
    if (run >= 0) samples.push_back(micros);
  }
  return Median(samples) / 1000;
}

void WarmGang() {
  const double ms = WarmMs(kGang, "");
  Print({"gang of 512 x 8 GPUs, 5,000 nodes half full, warm", ms, "ms", "under 5 ms", ms < 5});
}

// A rack has 16 nodes of the pool, a block 256, of which half are full.
void GangInDomain() {
  const auto row = [](int members, const std::string& level) {
    const double free = WarmMs(members, "");
    const double bound = WarmMs(members, level);
    const std::string what = "gang of " + std::to_string(members) + " x 8 GPUs, warm";
    Print({what + ", anywhere", free, "ms", "", true});
    Print({what + ", in one " + level, bound, "ms", "within 2x of anywhere", bound <= 2 * free});
  };
  row(6, "rack");
  row(96, "block");
}

void ColdGang() {
  std::vector<double> samples;
  for (int run = 0; run < kRuns; ++run) {
    Scheduler core = HalfFull(kNodes);
    Submit(core, Gang("train", kGang), 8);
    double micros = 0;
    CheckPlaced(Place(core, 10, micros), kGang);
    samples.push_back(micros);
  }
  const double ms = Median(samples) / 1000;
  Print({"gang of 512 x 8 GPUs, 5,000 nodes half full, cold", ms, "ms", "under 5 ms", ms < 5});
}

struct EventCosts {
  double bound = 0, ended = 0, node = 0, group = 0;  // Microseconds: Apply and the Decide after it.
};

EventCosts CostsAt(int nodes) {
  Scheduler core = HalfFull(nodes);
  // Something waits, so that a change has somebody to wake.
  Submit(core, Gang("waits", 2), 16);
  (void)core.Decide(Now{{2}, {2}}, {});
  std::vector<double> bound;
  std::vector<double> ended;
  std::vector<double> node;
  std::vector<double> group;
  std::int64_t at_ms = 10;
  const auto timed = [&](const scheduler::Event& event) {
    ++at_ms;
    return Micros([&]() {
      core.Apply(event);
      (void)core.Decide(Now{{at_ms}, {at_ms}}, {});
    });
  };
  for (int run = 0; run < kRuns * 10; ++run) {
    const int at = (run * 37) % nodes;
    scheduler::PodSeen pod = Filler(at);
    pod.uid = "extra-" + std::to_string(run);
    pod.key.name = pod.uid;
    bound.push_back(timed(pod));
    ended.push_back(timed(scheduler::PodGone{pod.uid}));
    scheduler::NodeSeen seen = NodeAt(at);
    seen.labels.emplace_back("x-run", std::to_string(run));
    node.push_back(timed(seen));
    group.push_back(timed(Gang("idle" + std::to_string(run), 4)));
  }
  return {Median(bound), Median(ended), Median(node), Median(group)};
}

void Events() {
  const EventCosts small = CostsAt(500);
  const EventCosts large = CostsAt(50'000);
  const auto row = [](const std::string& what, double few, double many) {
    Print({what + ", 500 nodes", few, "us", "", true});
    Print({what + ", 50,000 nodes", many, "us", "within 2x of 500", many <= 2 * few});
  };
  row("pod bound", small.bound, large.bound);
  row("pod ended", small.ended, large.ended);
  row("node changed", small.node, large.node);
  row("PodGroup added", small.group, large.group);
}

}  // namespace

void DecisionBench() {
  WarmGang();
  ColdGang();
  GangInDomain();
  Events();
}

}  // namespace muster::e2e
