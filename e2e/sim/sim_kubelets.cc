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

void FollowCluster(const ClusterParts& parts, ApiServer& server, const SimLoop& loop) {
  FollowCluster(parts.kubelets, server, loop);
  for (const std::string& path : WatchedPaths()) {
    WatchAll(server, path, [&controllers = parts.controllers, &loop](const std::string& frame) {
      controllers.OnFrame(frame, loop.wall_ms());
    });
  }
}

void TellAll(ClusterControllers& controllers, ApiServer& server, const SimLoop& loop) {
  for (const std::string& path : WatchedPaths()) {
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    request.query = {{"watch", "1"}};
    const ApiServer::Subscription all = server.Subscribe(
        request,
        [&controllers, &loop](const std::string& frame) {
          controllers.OnFrame(frame, loop.wall_ms());
        },
        []() {});
    server.Unsubscribe(all.id);
  }
}

void Beat(const ClusterParts& parts, SimLoop& loop) {
  parts.kubelets.Run(loop.wall_ms());
  parts.controllers.Run(loop.wall_ms());
  loop.After(kBeatMs, [parts, &loop]() { Beat(parts, loop); });
}

void Beat(Kubelets& kubelets, SimLoop& loop) {
  kubelets.Run(loop.wall_ms());
  loop.After(kBeatMs, [&]() { Beat(kubelets, loop); });
}

}  // namespace muster::e2e
