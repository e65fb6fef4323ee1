// Users and programs that act at the worst moment: while a gang is being bound. They look at what
// of the operator takes effect, and act a few milliseconds later, by requests alone. What they
// break they mend as people do, some seconds later.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "crds/binding_journal.h"
#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server.h"
#include "e2e/sim/excuses.h"
#include "e2e/sim/faults.h"
#include "e2e/sim/kubelet.h"
#include "e2e/sim/owner.h"
#include "e2e/sim/prng.h"
#include "e2e/sim/shadow.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/wire.h"

namespace muster::e2e {

class Meddlers {
 public:
  struct World {
    SimLoop& loop;
    Prng& prng;
    ApiServer& server;
    const Shadow& shadow;
    Kubelets& kubelets;
    Owner& owner;
    Weather& weather;
    Excuses& excuses;
  };
  explicit Meddlers(World world) : world_(world) {}

  // While trouble lasts.
  void OnArrival(const Arrival& arrival);
  // The API server was restored to an older state: what was mended since may be broken again.
  void OnRestored();

 private:
  void OnBound(const std::string& pod);
  void OnPage();
  void Soon(std::function<void()> act);
  void DeleteGroup(const std::string& group);
  void MakeBudget(const std::string& group);
  void EditLabels(const crds::Pod& pod);
  void BindAsOthers(const crds::Pod& pod);
  void DeleteSoon(const crds::Pod& pod);
  [[nodiscard]] std::string NodeToTake(const crds::Pod& pod);
  void PatchPod(const crds::Pod& pod, const Json& labels);
  void MendLabels(const Shadow::Name& pod);
  // A pod that some page names, is to be bound, and is not yet.
  [[nodiscard]] std::optional<crds::Pod> AnyPlannedPod();
  HttpResponse Send(const HttpRequest& request) { return world_.server.Handle(request); }

  World world_;
  std::map<std::string, std::string> group_of_;  // Of pods that were given to nobody, by uid.
};

}  // namespace muster::e2e
