#include "e2e/sim/seeds.h"

#include <algorithm>
#include <map>

#include "e2e/apiserver/json.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kMembersMax = 16;  // Of one gang.
constexpr const char* kQueueLine = "/apis/muster.dev/v1alpha1/queues ";

std::string QueueObject(const std::string& name, const Json& resources) {
  return kQueueLine +
         Dump({{"apiVersion", "muster.dev/v1alpha1"},
               {"kind", "Queue"},
               {"metadata", {{"name", name}}},
               {"spec", {{"namespaceSelector", Json::object()}, {"resources", resources}}}});
}

std::int64_t PowerOfTwo(Prng& prng, std::int64_t highest) {
  return std::int64_t{1} << prng.Between(0, highest);
}

// How many members of this size the whole cluster takes.
std::int64_t Slots(const std::vector<NodePlan>& nodes, std::int64_t gpus) {
  std::int64_t slots = 0;
  for (const auto& node : nodes) slots += node.gpus / gpus;
  return slots;
}

struct Size {
  std::int64_t nodes = 0, gangs = 0, members = 0;  // Members: at most, of one gang.
};

// Most runs are small, so that many are played; a few are as large as a run can be checked.
Size DrawSize(Prng& prng) {
  const std::int64_t roll = prng.Between(1, 100);
  Size size;
  if (roll <= 80) {
    size.nodes = prng.Between(3, 8);
    size.gangs = prng.Between(1, 14);
    size.members = 6;
  } else if (roll <= 96) {
    size.nodes = prng.Between(5, 20);
    size.gangs = prng.Between(10, 30);
    size.members = 10;
  } else {
    size.nodes = prng.Between(20, 40);
    size.gangs = prng.Between(30, 60);
    size.members = 16;
  }
  return size;
}

// Some give up soon, so that they give up often.
std::int64_t DrawTimeout(Prng& prng) {
  return prng.Chance(200) ? prng.Between(2, 9) : prng.Between(10, 90);
}

GangPlan DrawGang(Prng& prng, const WorldOptions& world, const Size& size, int number) {
  const std::vector<NodePlan>& nodes = world.nodes;
  GangPlan gang;
  gang.name = "g" + std::to_string(number);
  gang.single = prng.Chance(200);
  gang.gpus = PowerOfTwo(prng, 3);
  gang.at_ms = prng.Between(0, 100'000);
  gang.run_seconds = prng.Between(3, 40);
  gang.timeout_seconds = DrawTimeout(prng);
  gang.queue = prng.Chance(300) ? "small" : "";
  if (prng.Chance(200)) gang.priority_class = "urgent";
  if (gang.single) {
    gang.feasible = Slots(nodes, gang.gpus) >= 1;
    return gang;
  }
  if (prng.Chance(400)) gang.maker = GangPlan::Maker::kJob;
  gang.min = prng.Between(1, size.members);
  gang.members = gang.min + (prng.Chance(300) ? prng.Between(1, 3) : 0);
  gang.members = std::min(gang.members, std::max<std::int64_t>(gang.min, kMembersMax));
  gang.feasible = Slots(nodes, gang.gpus) >= gang.min;
  // The queue "small" takes 16 GPUs and no more.
  if (gang.queue == "small" && gang.gpus * gang.min > 16) gang.queue.clear();
  return gang;
}

// Two or three racks; one node in ten is in none.
void DrawRacks(Prng& prng, WorldOptions& world) {
  const std::int64_t racks = prng.Between(2, 3);
  for (NodePlan& node : world.nodes) {
    if (!prng.Chance(100)) node.rack = "rack-" + std::to_string(prng.Between(0, racks - 1));
  }
}

// Of the rack that takes most; 0: there is none.
std::int64_t SlotsOfARack(const std::vector<NodePlan>& nodes, std::int64_t gpus) {
  std::map<std::string, std::int64_t> slots;
  std::int64_t most = 0;
  for (const NodePlan& node : nodes) {
    if (node.rack.empty()) continue;
    std::int64_t& here = slots[node.rack];
    here += node.gpus / gpus;
    most = std::max(most, here);
  }
  return most;
}

void DrawTopology(Prng& prng, const WorldOptions& world, GangPlan& gang) {
  if (gang.single || !prng.Chance(350)) return;
  if (prng.Chance(400)) {
    gang.preferred = prng.Chance(700) ? "rack" : "block";
    return;
  }
  gang.required = "rack";
  gang.feasible = gang.feasible && SlotsOfARack(world.nodes, gang.gpus) >= gang.min;
}

// Each is wrong in its own way; none may stop the others.
std::vector<GangPlan> WrongGangs() {
  GangPlan nowhere{.name = "wrong-queue", .feasible = false, .queue = "nowhere"};
  GangPlan huge{.name = "wrong-size", .feasible = false, .gpus = 4096};
  GangPlan unfinished{.name = "wrong-count", .feasible = false, .min = 3, .members = 2};
  GangPlan broken{.name = "wrong-quota", .feasible = false, .queue = "broken"};
  GangPlan lost{.name = "wrong-level", .feasible = false, .required = "shelf"};
  return {nowhere, huge, unfinished, broken, lost};
}

// Its pods hold no GPU and run for ever.
GangPlan Service(Prng& prng) {
  return {.name = "service",
          .maker = GangPlan::Maker::kReplicaSet,
          .single = true,
          .members = prng.Between(1, 3),
          .gpus = 0,
          .run_seconds = 0,
          .at_ms = prng.Between(0, 60'000)};
}

}  // namespace

std::vector<std::string> StandardObjects() {
  const Json sixteen = {{{"name", kGpu}, {"nominalQuota", 16}, {"borrowingLimit", 0}}};
  const Json absurd = {{{"name", kGpu}, {"nominalQuota", "1e30"}}};
  const Json urgent = {{"apiVersion", "scheduling.k8s.io/v1"},
                       {"kind", "PriorityClass"},
                       {"metadata", {{"name", "urgent"}}},
                       {"value", 1000}};
  return {QueueObject("default", Json::array()), QueueObject("small", sixteen),
          QueueObject("broken", absurd),
          "/apis/scheduling.k8s.io/v1/priorityclasses " + Dump(urgent)};
}

WorldOptions OptionsOfSeed(std::uint64_t seed, const std::string& crds_folder) {
  Prng prng(seed);
  WorldOptions options;
  options.seed = seed;
  options.crds_folder = crds_folder;
  options.faults = Swarm(prng);
  options.operators = prng.Chance(500) ? 2 : 1;
  options.extra = StandardObjects();
  const Size size = DrawSize(prng);
  for (std::int64_t i = 0; i < size.nodes; ++i) {
    options.nodes.push_back({"node-" + std::to_string(i), PowerOfTwo(prng, 3)});
  }
  for (int i = 0; i < size.gangs; ++i) {
    options.gangs.push_back(DrawGang(prng, options, size, i));
  }
  // A generator of its own: what else a seed draws does not depend on it.
  Prng topology(seed ^ 0x7261636bU);
  if (topology.Chance(750)) {
    DrawRacks(topology, options);
    for (GangPlan& gang : options.gangs) DrawTopology(topology, options, gang);
  }
  options.peace_ms += size.gangs * kMinute;
  for (const GangPlan& gang : WrongGangs()) options.gangs.push_back(gang);
  options.gangs.push_back(Service(prng));
  return options;
}

}  // namespace muster::e2e
