#include <map>
#include <string>
#include <vector>

#include "e2e/sim/canaries.h"
#include "e2e/sim/plant.h"
#include "e2e/sim/stage.h"

namespace muster::e2e {
namespace {

using Serve = Stage::Serve;
using Violations = std::vector<std::string>;

// Gang b waits for a, which holds both nodes, while a node comes that is too small for it.
Violations WaitForANode(Stage& stage) {
  stage.CheckReasons();
  stage.TwoNodes();
  stage.Start("m");
  stage.Gang({.name = "a", .min = 2, .members = 2, .gpus = 8, .run_seconds = 200});
  stage.Gang({.name = "b", .min = 2, .members = 2, .gpus = 8});
  stage.Run(100'000);
  stage.Node("node-2", 4);
  return stage.End();
}

// Of each PodGroup the status before the last one is stored.
Violations OneEventOld(Stage& stage, bool planted) {
  struct Told {
    std::string last, before;
  };
  std::map<std::string, Told> told;  // By path.
  stage.SetTap([&](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
    if (!planted || !IsGroupStatus(request)) return serve();
    Told& of = told[request.path];
    if (of.last != request.body) of = {.last = request.body, .before = of.last};
    if (of.before.empty()) return serve();
    HttpRequest old = request;
    old.body = of.before;
    return stage.Act(old);
  });
  return WaitForANode(stage);
}

// No status is stored.
Violations NeverTold(Stage& stage, bool planted) {
  stage.SetTap(
      [planted](const std::string& /*who*/, const HttpRequest& request, const Serve& serve) {
        return planted && IsGroupStatus(request) ? AsWritten(request) : serve();
      });
  return WaitForANode(stage);
}

}  // namespace

std::vector<Canary> ReasonCanaries(const std::string& crds_folder) {
  return {
      OnStage(crds_folder,
              {"reason-one-event-old",
               R"(reason (5): gang b is told "Insufficient nvidia.com/gpu" is 2, it is 3)",
               OneEventOld}),
      OnStage(crds_folder, {"reason-never-told", "reason (5): gang a is told nothing", NeverTold})};
}

}  // namespace muster::e2e
