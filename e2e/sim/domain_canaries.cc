#include "e2e/sim/canaries.h"
#include "e2e/sim/seeds.h"
#include "e2e/sim/world.h"
#include "scheduler/base/check.h"
#include "scheduler/framework/policy.h"

namespace muster::e2e {
namespace {

// Of three nodes the last two are in one rack; the gang needs both.
WorldOptions TwoRacks(const std::string& crds_folder) {
  WorldOptions options;
  options.seed = 1;
  options.crds_folder = crds_folder;
  options.trouble_ms = 5'000;
  options.peace_ms = 900'000;
  options.extra = StandardObjects();
  options.nodes = {{"node-0", 8, "rack-0"}, {"node-1", 8, "rack-1"}, {"node-2", 8, "rack-1"}};
  options.gangs = {{.name = "a", .required = "rack", .min = 2, .members = 2, .gpus = 8}};
  return options;
}

// It takes the block for the rack.
Canary WrongLabel(const std::string& crds_folder) {
  return {"wrong-level", "domain (10): gang a has members in rack-", [crds_folder](bool planted) {
            WorldOptions options = TwoRacks(crds_folder);
            if (planted) MUSTER_CHECK(options.policy.SetLevels({{"rack", kBlockLabel}}).ok());
            return World(options).Run().violations;
          }};
}

// It finds no rack at all: the gang fits nowhere then, and is told so.
Canary NoDomains(const std::string& crds_folder) {
  return {"no-domain-fits", R"(reason (5): gang a is told "code TopologyUnsatisfiable" is 1)",
          [crds_folder](bool planted) {
            WorldOptions options = TwoRacks(crds_folder);
            if (planted) MUSTER_CHECK(options.policy.SetLevels({{"rack", "no.such/label"}}).ok());
            return World(options).Run().violations;
          }};
}

}  // namespace

std::vector<Canary> DomainCanaries(const std::string& crds_folder) {
  return {WrongLabel(crds_folder), NoDomains(crds_folder)};
}

}  // namespace muster::e2e
