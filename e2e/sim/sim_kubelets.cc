#include "e2e/sim/sim_kubelets.h"

#include <string>

#include "e2e/sim/shadow.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kBeatMs = 100;

}  // namespace

void FollowCluster(Kubelets& kubelets, ApiServer& server, const SimLoop& loop) {
  WatchAll(server, "/api/v1/nodes",
           [&](const std::string& frame) { kubelets.OnNode(frame, loop.wall_ms()); });
  WatchAll(server, "/api/v1/pods",
           [&](const std::string& frame) { kubelets.OnPod(frame, loop.wall_ms()); });
}

void Beat(Kubelets& kubelets, SimLoop& loop) {
  kubelets.Run(loop.wall_ms());
  loop.After(kBeatMs, [&]() { Beat(kubelets, loop); });
}

}  // namespace muster::e2e
