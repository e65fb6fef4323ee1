// The faults that come once a second: nodes that go and come back, kubelets that stand still, users
// who delete things, a watch history that is forgotten. It makes the nodes in the first place, and
// mends them when peace begins.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server.h"
#include "e2e/sim/excuses.h"
#include "e2e/sim/faults.h"
#include "e2e/sim/kubelet.h"
#include "e2e/sim/prng.h"
#include "e2e/sim/shadow.h"
#include "e2e/sim/sim_loop.h"

namespace muster::e2e {

struct NodePlan {
  std::string name;
  std::int64_t gpus = 8;
  std::string rack = {};  // All racks are in one block; "" = it has neither label.
};

class Trouble {
 public:
  struct World {
    SimLoop& loop;
    Prng& prng;
    ApiServer& server;
    const Shadow& shadow;
    Kubelets& kubelets;
    Weather& weather;
    Excuses& excuses;
    const std::vector<NodePlan>& nodes;
  };
  explicit Trouble(World world) : world_(world) {}

  void MakeNodes();
  // Those that an older state of the API server lacks.
  void MakeMissingNodes();
  // The faults of one second.
  void Second(bool with_lease);
  // All nodes are there, whole, and not cordoned.
  void Mend();

 private:
  HttpResponse Send(const HttpRequest& request) { return world_.server.Handle(request); }
  void Patch(const std::string& path, const Json& patch);
  [[nodiscard]] const NodePlan& AnyNode() {
    return world_.nodes[world_.prng.Below(world_.nodes.size())];
  }
  // One that is made again has lost its images.
  bool Make(const NodePlan& node, const Json& images = Json::array());
  bool LoseNode(std::int64_t least_ms, std::int64_t most_ms);
  bool Cordon();
  void SetCordoned(const std::string& node, bool on);
  bool LoseDevices();
  void SetDevices(const std::string& node, std::int64_t gpus);
  bool StopKubelet();
  bool DeletePod();
  bool DeleteLease();
  bool DeletePage();

  World world_;
};

}  // namespace muster::e2e
