#include <memory>
#include <string_view>
#include <utility>

#include "e2e/sim/canaries.h"
#include "e2e/sim/plant.h"
#include "e2e/sim/seeds.h"
#include "e2e/sim/world.h"
#include "scheduler/base/check.h"
#include "scheduler/framework/policy.h"

namespace muster::e2e {
namespace {

using Serve = std::function<HttpResponse()>;
using Plant = std::function<Tap(SimLoop&)>;

// Two gangs of 2 x 8 GPUs on two nodes: first one, then the other.
WorldOptions TwoGangs(const std::string& crds_folder) {
  WorldOptions options;
  options.seed = 1;
  options.crds_folder = crds_folder;
  options.trouble_ms = 5'000;
  options.peace_ms = 900'000;
  options.extra = StandardObjects();
  options.nodes = {{"node-0", 8}, {"node-1", 8}};
  options.gangs = {
      {.name = "a", .min = 2, .members = 2, .gpus = 8, .timeout_seconds = 10},
      {.name = "b", .min = 2, .members = 2, .gpus = 8, .timeout_seconds = 10, .at_ms = 3'000}};
  return options;
}

// The schedule in a world, with the fault or without.
Canary InWorld(const std::string& name, const std::string& says, WorldOptions options,
               Plant plant) {
  return {name, says, [options = std::move(options), plant = std::move(plant)](bool planted) {
            WorldOptions now = options;
            if (planted) now.plant = plant;
            return World(now).Run().violations;
          }};
}

Canary NeverBinds(const std::string& crds_folder) {
  return InWorld("never-binds", "liveness (9): gang a fits and did not run to its end",
                 TwoGangs(crds_folder), [](SimLoop&) -> Tap {
                   return [](const HttpRequest& request, const Serve& serve) {
                     return request.path.ends_with("/binding") ? NoAnswer() : serve();
                   };
                 });
}

// A Binding is answered as if it had acted: gang b is told that a holds what nobody holds.
Canary DroppedBinding(const std::string& crds_folder) {
  return InWorld("dropped-binding", R"(reason (5): gang b is told "fit" is 0)",
                 TwoGangs(crds_folder), [](SimLoop&) -> Tap {
                   const auto dropped = std::make_shared<bool>(false);
                   return [dropped](const HttpRequest& request, const Serve& serve) {
                     if (!IsBinding(request, "a") || std::exchange(*dropped, true)) return serve();
                     return Created();
                   };
                 });
}

// One gang is never let in, and nobody else is held up by it.
class Starver final : public scheduler::Simple<Starver>, public scheduler::PermitPlugin {
 public:
  [[nodiscard]] std::optional<std::string> Permit(
      const scheduler::GangView& gang,
      std::span<const scheduler::Assignment> /*assignments*/) const override {
    if (gang.cluster.gang(gang.gang).key.name != "b") return std::nullopt;
    return "a plugin does not like it";
  }
};

constexpr scheduler::PluginDescriptor kStarver = scheduler::DescribePlugin<Starver>("Starver");

Canary Starves(const std::string& crds_folder) {
  return {"starves-one-gang", "liveness (9): gang b fits and did not run to its end",
          [crds_folder](bool planted) {
            WorldOptions options = TwoGangs(crds_folder);
            if (planted) {
              MUSTER_CHECK(options.policy.Enable({.plugin = &kStarver, .args = {}}).ok());
            }
            return World(options).Run().violations;
          }};
}

// Nobody is let in while one gang names a queue that does not exist.
class Sulker final : public scheduler::Simple<Sulker>, public scheduler::PermitPlugin {
 public:
  [[nodiscard]] std::optional<std::string> Permit(
      const scheduler::GangView& gang,
      std::span<const scheduler::Assignment> /*assignments*/) const override {
    for (std::uint32_t i = 0; i < gang.cluster.gang_rows(); ++i) {
      const scheduler::GangRow& row = gang.cluster.gang(scheduler::GangId{i});
      if (row.live && !gang.cluster.queue(row.queue).exists) return row.key.name + " is wrong";
    }
    return std::nullopt;
  }
};

constexpr scheduler::PluginDescriptor kSulker = scheduler::DescribePlugin<Sulker>("Sulker");

Canary OneStopsAll(const std::string& crds_folder) {
  return {"one-wrong-gang-stops-all", "liveness (9): gang a fits and did not run to its end",
          [crds_folder](bool planted) {
            WorldOptions options = TwoGangs(crds_folder);
            options.gangs.push_back({.name = "wrong", .feasible = false, .queue = "nowhere"});
            if (planted) {
              MUSTER_CHECK(options.policy.Enable({.plugin = &kSulker, .args = {}}).ok());
            }
            return World(options).Run().violations;
          }};
}

void Garble(Json& list) {
  const Json page = {{"metadata", {{"name", "p-00"}}}, {"spec", {{"entries", "{"}}}};
  list["items"] = Json::array({page});
}

// A page that holds what nobody can read: the operator stops, and says so.
Canary UnreadablePage(const std::string& crds_folder) {
  return InWorld("unreadable-page", "others (8): error logged", TwoGangs(crds_folder),
                 [](SimLoop&) -> Tap {
                   return [](const HttpRequest& request, const Serve& serve) {
                     return IsPageList(request) ? Changed(serve(), Garble) : serve();
                   };
                 });
}

// What the operator reads at `path` has more than there is.
Tap Doubled(const std::string& path, std::function<void(Json& object)> twice) {
  return [path, twice = std::move(twice)](const HttpRequest& request, const Serve& serve) {
    if (request.method != "GET" || request.path != path) return serve();
    return Changed(serve(), [&twice](Json& list) {
      for (Json& object : list["items"]) twice(object);
    });
  };
}

Canary DoubledNode(const std::string& crds_folder) {
  return InWorld("doubled-node", "room (1): node node-0 has 8000 of nvidia.com/gpu, 16000 are used",
                 TwoGangs(crds_folder), [](SimLoop&) {
                   return Doubled("/api/v1/nodes",
                                  [](Json& node) { node["status"]["allocatable"][kGpu] = "16"; });
                 });
}

// Both gangs at once, on nodes enough for both, in a queue that takes one.
Canary DoubledQuota(const std::string& crds_folder) {
  WorldOptions options = TwoGangs(crds_folder);
  options.nodes.push_back({"node-2", 8});
  options.nodes.push_back({"node-3", 8});
  for (GangPlan& gang : options.gangs) {
    gang.queue = "small";
    gang.at_ms = 0;
  }
  return InWorld("doubled-quota",
                 "quota (3): queue small may use 16000 of nvidia.com/gpu, and uses", options,
                 [](SimLoop&) {
                   return Doubled("/apis/muster.dev/v1alpha1/queues", [](Json& queue) {
                     if (StringAt(queue, {"metadata", "name"}) != "small") return;
                     queue["spec"]["resources"][0]["nominalQuota"] = 32;
                   });
                 });
}

// The first Binding of gang a is on its way for 40 s; what the protocol does to make it harmless
// (a touch that moves the pod's resourceVersion) is answered as if done. When it arrives, gang b
// runs on the node that a gave up.
Tap FreedByAGet(SimLoop& loop) {
  const auto held = std::make_shared<std::string>();
  return [&loop, held](const HttpRequest& request, const Serve& serve) {
    const bool binding = IsBinding(request, "a");
    if (binding && request.path == *held) return NoAnswer();
    if (!binding || !held->empty()) return IsPodStatus(request) ? AsPatched(request) : serve();
    *held = request.path;
    loop.After(40'000, [serve]() { (void)serve(); });
    return NoAnswer();
  };
}

Canary GetFrees(const std::string& crds_folder) {
  WorldOptions options = TwoGangs(crds_folder);
  options.gangs.back().run_seconds = 60;
  return InWorld("get-frees", "journal (6): a Binding that no page names took effect", options,
                 FreedByAGet);
}

// Refuses for a minute and tells nobody when it would not any more: a wake-up that is dropped.
// Without a planted fault it permits everything.
class Sleeper final : public scheduler::Simple<Sleeper>, public scheduler::PermitPlugin {
 public:
  [[nodiscard]] std::optional<std::string> Permit(
      const scheduler::GangView& /*gang*/,
      std::span<const scheduler::Assignment> /*assignments*/) const override {
    const auto loop = Clock().lock();
    if (!loop || (*loop)->elapsed_ms() >= 60'000) return std::nullopt;
    return "a plugin sleeps";
  }
  // Of the world with the fault; it ends with that world.
  static std::weak_ptr<SimLoop*>& Clock() {
    static std::weak_ptr<SimLoop*> clock;
    return clock;
  }
};

constexpr scheduler::PluginDescriptor kSleeper = scheduler::DescribePlugin<Sleeper>("Sleeper");

Canary LostWakeup(const std::string& crds_folder) {
  WorldOptions options = TwoGangs(crds_folder);
  MUSTER_CHECK(options.policy.Enable({.plugin = &kSleeper, .args = {}}).ok());
  return InWorld(
      "lost-wakeup", "liveness (9): a wake-up was lost", options, [](SimLoop& loop) -> Tap {
        const auto clock = std::make_shared<SimLoop*>(&loop);
        Sleeper::Clock() = clock;
        return [clock](const HttpRequest& /*request*/, const Serve& serve) { return serve(); };
      });
}

}  // namespace

std::vector<Canary> ProgressCanaries(const std::string& crds_folder) {
  return {NeverBinds(crds_folder),   DroppedBinding(crds_folder), Starves(crds_folder),
          OneStopsAll(crds_folder),  UnreadablePage(crds_folder), DoubledNode(crds_folder),
          DoubledQuota(crds_folder), GetFrees(crds_folder),       LostWakeup(crds_folder)};
}

}  // namespace muster::e2e
