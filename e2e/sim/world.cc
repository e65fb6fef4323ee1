#include "e2e/sim/world.h"

#include <algorithm>
#include <utility>

#include "e2e/apiserver/json.h"
#include "e2e/sim/sim_kubelets.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

constexpr const char* kLease =
    "/apis/coordination.k8s.io/v1/namespaces/muster-system/leases/muster";
// A life is killed at most so often: the last one has to get somewhere.
constexpr std::int64_t kLivesMax = 6;

Json Meta(const std::string& name) {
  return {{"name", name}};
}

void Load(ApiServer& server, const std::string& folder) {
  const std::string error = server.LoadCrds(folder);
  MUSTER_CHECK(error.empty());
}

ApiServer::Options ServerOptions(std::uint64_t seed) {
  ApiServer::Options options;
  options.uid_seed = seed;
  return options;
}

}  // namespace

World::World(WorldOptions options)
    : options_(std::move(options)),
      prng_(options_.seed),
      server_(ServerOptions(options_.seed), [this]() { return loop_.wall_ms(); }),
      shadow_((Load(server_, options_.crds_folder), server_)),
      checkers_(loop_, shadow_),
      wire_(loop_, server_, options_.seed ^ 0x77697265U, WireHooks()),
      kubelets_({.lease_ms = 10'000}, [this](const HttpRequest& request) { return Send(request); }),
      controllers_({.jobs = {.backoff_ms = 1'000, .max_backoff_ms = 8'000}},
                   [this](const HttpRequest& request) { return Send(request); }),
      owner_(loop_, shadow_, options_.seed ^ 0x6f776e72U,
             [this](const HttpRequest& request) { return Send(request); }) {
  shadow_.set_on_pod([this](const crds::Pod* before, const crds::Pod& now, bool deleted) {
    checkers_.OnPod(before, now, deleted);
    owner_.OnPod(before, now, deleted);
  });
  wire_.set_faults(options_.faults);
}

Wire::Hooks World::WireHooks() {
  return {.arrived = [this](const Arrival& arrival) { checkers_.OnArrival(arrival); },
          .moved =
              [this]() {
                if (troubled_ && lives_ < kLivesMax * options_.operators &&
                    prng_.Chance(wire_.faults().kill)) {
                  instances_[prng_.Below(instances_.size())].ending = true;
                }
              },
          .tap = options_.plant ? options_.plant(loop_) : Tap()};
}

HttpResponse World::Send(const HttpRequest& request) {
  return server_.Handle(request);
}

void World::MakeNode(const WorldOptions::NodePlan& node) {
  const Json amounts = {
      {kGpu, std::to_string(node.gpus)}, {"cpu", "64"}, {"pods", "110"}, {"memory", "512Gi"}};
  const Json object = {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", Meta(node.name)},
      {"status",
       {{"allocatable", amounts},
        {"capacity", amounts},
        {"conditions", {{{"type", "Ready"}, {"status", "True"}, {"reason", "KubeletReady"}}}}}}};
  (void)Send(Post("/api/v1/nodes", Dump(object)));
}

void World::Populate() {
  for (const char* name : {"default", "muster-system"}) {
    const Json space = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Meta(name)}};
    (void)Send(Post("/api/v1/namespaces", Dump(space)));
  }
  for (const WorldOptions::NodePlan& node : options_.nodes) MakeNode(node);
  for (const std::string& line : options_.extra) {
    const std::size_t space = line.find(' ');
    const HttpResponse made = Send(Post(line.substr(0, space), line.substr(space + 1)));
    MUSTER_CHECK(made.status == 201);
  }
  FollowCluster(ClusterParts{kubelets_, controllers_}, server_, loop_);
  for (const GangPlan& gang : options_.gangs) owner_.Plan(gang);
}

void World::StartLife(std::size_t index) {
  ++lives_;
  Instance& instance = instances_[index];
  ++instance.lives;
  // Every other life goes on under the identity of the one before, as a restarted container does.
  const std::string holder =
      "muster-" + std::to_string(index) + "-" + std::to_string((instance.lives + 1) / 2);
  Life::Events events;
  events.fatal = [this, index](const std::string& why) { OnFatal(index, why); };
  events.error_logged = [this](const std::string& line) { checkers_.OnErrorLogged(line); };
  events.counted = [this](std::string_view counter) { checkers_.OnCounted(counter); };
  const bool election = instances_.size() > 1;
  instance.twin = std::make_unique<TwinCore>(
      options_.policy, [this](const std::string& what) { checkers_.Fail(what); });
  instance.life = std::make_unique<Life>(loop_, wire_,
                                         Life::Self{.seed = prng_.Next(),
                                                    .holder = holder,
                                                    .election = election,
                                                    .policy = options_.policy,
                                                    .observer = instance.twin->Observer()},
                                         std::move(events));
  if (options_.log) {
    instance.life->set_log([this, holder](const std::string& line) {
      options_.log(std::to_string(loop_.elapsed_ms()) + " " + holder + ": " + line);
    });
  }
  instance.life->Start();
}

void World::EndLife(std::size_t index) {
  Instance& instance = instances_[index];
  instance.ending = false;
  if (!instance.life) return;
  instance.life.reset();
  loop_.After(prng_.Between(100, 20'000), [this, index]() { StartLife(index); });
}

// Of two, one may lose the lease or find that the other has written a page. Of one nothing may.
void World::OnFatal(std::size_t index, const std::string& why) {
  const bool lost = why.starts_with("the lease ");
  const bool deposed = why.starts_with("deposed: ");
  if (instances_.size() == 1 || (!lost && !deposed)) {
    return checkers_.Fail("the operator gave up: " + why);
  }
  checkers_.Mark(lost ? "lease lost" : "deposed");
  instances_[index].ending = true;
}

std::int64_t World::LeadingSince() {
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    if (!instance.life || !instance.life->manager().leading()) continue;
    const std::pair<std::size_t, std::int64_t> leader{i, instance.lives};
    if (leader != std::exchange(leader_, leader)) leading_since_ms_ = loop_.elapsed_ms();
    return leading_since_ms_;
  }
  leader_ = {};
  return loop_.elapsed_ms();
}

void World::Tick() {
  checkers_.Tick(LeadingSince());
  owner_.Tick();
  if (loop_.elapsed_ms() / kSecond % 30 == 0) server_.Bookmark();
  if (troubled_) Trouble();
  loop_.After(kSecond, [this]() { Tick(); });
}

void World::Trouble() {
  const Faults& faults = wire_.faults();
  if (prng_.Chance(faults.compact)) server_.Compact();
  if (prng_.Chance(faults.node_deleted)) DeleteNode();
  if (prng_.Chance(faults.node_cordon)) CordonNode();
  if (prng_.Chance(faults.pod_deleted)) DeletePod();
  if (prng_.Chance(faults.kubelet_stopped)) StopKubelet();
  if (instances_.size() == 1) return;
  if (prng_.Chance(faults.lease_deleted)) (void)Send(DeleteAt(kLease));
  if (prng_.Chance(faults.wall_jump)) JumpClock();
}

void World::JumpClock() {
  Instance& instance = instances_[prng_.Below(instances_.size())];
  const std::int64_t ms = prng_.Between(-3'600'000, 3'600'000);
  if (instance.life) instance.life->JumpWall(ms);
}

void World::DeleteNode() {
  const auto& node = options_.nodes[prng_.Below(options_.nodes.size())];
  (void)Send(DeleteAt("/api/v1/nodes/" + node.name));
  loop_.After(prng_.Between(5'000, 40'000), [this, node]() { MakeNode(node); });
}

void World::Cordon(const std::string& node, bool on) {
  HttpRequest request;
  request.method = "PATCH";
  request.path = "/api/v1/nodes/" + node;
  request.content_type = "application/merge-patch+json";
  request.body = on ? R"({"spec":{"unschedulable":true}})" : R"({"spec":{"unschedulable":null}})";
  (void)Send(request);
}

void World::CordonNode() {
  const auto& node = options_.nodes[prng_.Below(options_.nodes.size())];
  Cordon(node.name, true);
  loop_.After(prng_.Between(5'000, 40'000), [this, name = node.name]() { Cordon(name, false); });
}

void World::StopKubelet() {
  const auto& node = options_.nodes[static_cast<std::size_t>(
      prng_.Between(0, static_cast<std::int64_t>(options_.nodes.size()) - 1))];
  kubelets_.SetStopped(node.name, true);
  loop_.After(prng_.Between(20'000, 120'000),
              [this, name = node.name]() { kubelets_.SetStopped(name, false); });
}

void World::DeletePod() {
  std::vector<std::string> names;
  for (const auto& [name, pod] : shadow_.pods()) {
    if (!IsTerminal(pod) && !pod.meta.deletion_ms.has_value()) names.push_back(name.second);
  }
  if (names.empty()) return;
  (void)Send(DeleteAt("/api/v1/namespaces/default/pods/" + names[prng_.Below(names.size())]));
}

void World::Restore() {
  for (const WorldOptions::NodePlan& node : options_.nodes) {
    kubelets_.SetStopped(node.name, false);
    if (shadow_.nodes().contains(node.name)) {
      Cordon(node.name, false);
    } else {
      MakeNode(node);
    }
  }
}

void World::RunUntil(std::int64_t end_ms, const std::function<bool()>& done) {
  while (checkers_.violations().empty() && loop_.Step(end_ms)) {
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      if (instances_[i].ending) EndLife(i);
    }
    if (done()) return;
  }
}

WorldResult World::Run() {
  Populate();
  Beat(ClusterParts{kubelets_, controllers_}, loop_);
  instances_.resize(static_cast<std::size_t>(options_.operators));
  Tick();
  for (std::size_t i = 0; i < instances_.size(); ++i) StartLife(i);
  RunUntil(options_.trouble_ms, []() { return false; });
  troubled_ = false;
  wire_.set_faults({});
  Restore();
  checkers_.SetCalm();
  const auto finished = [this]() { return owner_.Unfinished().empty(); };
  RunUntil(options_.trouble_ms + options_.peace_ms, finished);
  if (checkers_.violations().empty()) {
    for (const std::string& gang : owner_.Unfinished()) {
      checkers_.Fail("liveness (9): gang " + gang + " fits and did not run to its end" +
                     shadow_.Tell(gang));
    }
    // Requests of dead lives may take 60 s; a settled entry leaves after 5 s of quiet. And all that
    // still waits is looked at once more.
    RunUntil(loop_.elapsed_ms() + 310'000, []() { return false; });
    checkers_.AtRest();
  }
  return {.violations = checkers_.violations(),
          .marks = checkers_.marks(),
          .hash = checkers_.hash(),
          .bindings = checkers_.bindings(),
          .lives = lives_,
          .elapsed_ms = loop_.elapsed_ms(),
          .steps = loop_.steps()};
}

}  // namespace muster::e2e
