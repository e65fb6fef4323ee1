// What a life of the operator says of itself fails a run when it cannot be right.
#include "e2e/sim/life.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/apiserver/server.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/wire.h"
#include "scheduler/framework/policy.h"

namespace muster::e2e {
namespace {

TEST(Life, ANumberBelowZeroIsAnError) {
  SimLoop loop;
  ApiServer server({}, [&loop] { return loop.wall_ms(); });
  Wire wire(loop, server, 1, {.arrived = [](const Arrival&) {}, .moved = [] {}, .tap = {}});
  std::vector<std::string> errors;
  Life life(loop, wire, {.holder = "muster-0", .policy = scheduler::DefaultPolicy()},
            {.fatal = [](const std::string&) {},
             .error_logged = [&errors](const std::string& line) { errors.push_back(line); },
             .counted = [](std::string_view) {}});
  ports::Telemetry& telemetry = life;
  const auto say = [&telemetry](std::int64_t value) {
    telemetry.Count("gangs_bound", value, {});
    telemetry.Gauge("pending_gangs", value, {});
    telemetry.Observe("admission_wait_ms", value, {});
  };
  say(0);
  say(1);
  EXPECT_EQ(errors, std::vector<std::string>{});
  say(-1);
  EXPECT_EQ(errors, (std::vector<std::string>{"gangs_bound is -1", "pending_gangs is -1",
                                              "admission_wait_ms is -1"}));
}

}  // namespace
}  // namespace muster::e2e
