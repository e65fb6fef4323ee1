#include "e2e/sim/stage.h"

#include <algorithm>
#include <utility>

#include "e2e/apiserver/json.h"
#include "e2e/sim/seeds.h"
#include "e2e/sim/sim_kubelets.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

constexpr const char* kStagePods = "/api/v1/namespaces/default/pods/";
// Requests of dead operators may take so long, and a settled entry leaves after 5 s of quiet.
constexpr std::int64_t kQuietMs = 70'000;
constexpr std::int64_t kLivenessMs = 900'000;

HttpRequest MergePatch(const std::string& path, const Json& body) {
  HttpRequest request;
  request.method = "PATCH";
  request.path = path;
  request.content_type = "application/merge-patch+json";
  request.body = Dump(body);
  return request;
}

}  // namespace

Stage::Stage(const std::string& crds_folder)
    : server_({}, [this]() { return loop_.wall_ms(); }),
      shadow_((LoadCrds(server_, crds_folder), server_)),
      checkers_(loop_, shadow_),
      kubelets_({}, [this](const HttpRequest& request) { return Send(request); }),
      owner_(loop_, shadow_, 1, [this](const HttpRequest& request) { return Send(request); }) {
  shadow_.set_on_pod([this](const crds::Pod* before, const crds::Pod& now, bool deleted) {
    checkers_.OnPod(before, now, deleted);
    owner_.OnPod(before, now, deleted);
  });
  for (const char* name : {"default", "muster-system"}) {
    const Json space = {
        {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
    (void)Send(Post("/api/v1/namespaces", Dump(space)));
  }
  for (const std::string& line : StandardObjects()) {
    const std::size_t space = line.find(' ');
    const HttpResponse made = Send(Post(line.substr(0, space), line.substr(space + 1)));
    MUSTER_CHECK(made.status == 201);
  }
  FollowCluster(kubelets_, server_, loop_);
  Beat(kubelets_, loop_);
  Tick();
}

void Stage::Tick() {
  checkers_.Tick(leader_since_ms_);
  owner_.Tick();
  loop_.After(kSecond, [this]() { Tick(); });
}

void Stage::Node(const std::string& name, std::int64_t gpus) {
  const Json amounts = {{kGpu, std::to_string(gpus)}, {"cpu", "64"}, {"pods", "110"}};
  const Json ready = {{"type", "Ready"}, {"status", "True"}, {"reason", "KubeletReady"}};
  const Json node = {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", {{"name", name}}},
      {"status",
       {{"allocatable", amounts}, {"capacity", amounts}, {"conditions", Json::array({ready})}}}};
  const HttpResponse made = Send(Post("/api/v1/nodes", Dump(node)));
  MUSTER_CHECK(made.status == 201);
}

// An owner takes up to half a second for each of its objects.
void Stage::TwoNodes() {
  Node("node-0", 8);
  Node("node-1", 8);
}

void Stage::Gang(const GangPlan& plan) {
  GangPlan now = plan;
  now.at_ms = 0;
  owner_.Plan(now);
  Run(600);
}

Wire::Hooks Stage::HooksOf(const std::string& who) {
  return {.arrived = [this](const Arrival& arrival) { checkers_.OnArrival(arrival); },
          .moved = []() {},
          .tap = [this, who](
                     const HttpRequest& request,
                     const Serve& serve) { return tap_ ? tap_(who, request, serve) : serve(); }};
}

void Stage::StandBy(const std::string& who, const std::string& leader) {
  const Json lease = {{"apiVersion", "coordination.k8s.io/v1"},
                      {"kind", "Lease"},
                      {"metadata", {{"name", "muster"}, {"namespace", "muster-system"}}},
                      {"spec", {{"holderIdentity", leader}, {"leaseDurationSeconds", 15}}}};
  const HttpResponse made =
      Send(Post("/apis/coordination.k8s.io/v1/namespaces/muster-system/leases", Dump(lease)));
  MUSTER_CHECK(made.status == 201);
  Begin(who, true);
}

void Stage::LagWatches(const std::string& who, std::int64_t ms) {
  actors_.at(who).wire->set_watch_lag(ms);
}

bool Stage::IsLeading(const std::string& who) {
  const Actor& actor = actors_[who];
  return actor.life && actor.life->manager().leading();
}

void Stage::Begin(const std::string& who, bool election) {
  Actor& actor = actors_[who];
  actor.life.reset();
  if (!actor.wire) {
    actor.wire = std::make_unique<Wire>(loop_, server_, 1, HooksOf(who));
  }
  ++actor.lives;
  leader_since_ms_ = loop_.elapsed_ms();
  Life::Events events;
  events.fatal = [this, who](const std::string& why) {
    if (!why.starts_with("deposed: ")) checkers_.Fail("the operator gave up: " + why);
    loop_.After(0, [this, who]() { Kill(who); });
  };
  events.error_logged = [this](const std::string& line) { checkers_.OnErrorLogged(line); };
  events.counted = [this](std::string_view counter) { checkers_.OnCounted(counter); };
  actor.twin = std::make_unique<TwinCore>(
      policy_, [this](const std::string& what) { checkers_.Fail(what); });
  actor.life = std::make_unique<Life>(loop_, *actor.wire,
                                      Life::Self{.seed = actor.lives,
                                                 .holder = who,
                                                 .election = election,
                                                 .policy = policy_,
                                                 .observer = actor.twin->Observer()},
                                      std::move(events));
  actor.life->Start();
}

void Stage::Freeze(const std::string& who, std::int64_t ms) {
  Actor& actor = actors_[who];
  if (actor.life) actor.life->Freeze(ms, Life::Pause::kProcess);
}

HttpResponse Stage::Act(const HttpRequest& request) {
  HttpResponse response = Send(request);
  checkers_.OnArrival({request, response, loop_.elapsed_ms()});
  return response;
}

void Stage::Replace(const std::string& pod) {
  const auto before = shadow_.pods().find({"default", pod});
  MUSTER_CHECK(before != shadow_.pods().end());
  HttpRequest get;
  get.method = "GET";
  get.path = kStagePods + pod;
  Json object = Parse(Send(get).body).value_or(Json());
  HttpRequest gone = DeleteAt(kStagePods + pod);
  gone.content_type = "application/json";
  gone.body = R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0})";
  (void)Send(gone);
  const Json meta = {
      {"name", pod},
      {"labels", object["metadata"].value("labels", Json::object())},
      {"annotations",
       {{kRunSeconds, StringAt(object, {"metadata", "annotations", std::string(kRunSeconds)})}}}};
  object["metadata"] = meta;
  object["spec"].erase("nodeName");
  object.erase("status");
  const HttpResponse made = Send(Post("/api/v1/namespaces/default/pods", Dump(object)));
  MUSTER_CHECK(made.status == 201);
}

void Stage::Annotate(const std::string& pod, const std::string& value) {
  (void)Send(MergePatch(kStagePods + pod, {{"metadata", {{"annotations", {{"note", value}}}}}}));
}

void Stage::Cordon(const std::string& node, bool on) {
  (void)Send(MergePatch("/api/v1/nodes/" + node, {{"spec", {{"unschedulable", on}}}}));
}

void Stage::Run(std::int64_t ms) {
  (void)Until([]() { return false; }, ms);
}

bool Stage::Until(const std::function<bool()>& condition, std::int64_t most_ms) {
  bool late = false;
  const SimLoop::Ticket end = loop_.After(most_ms, [&late]() { late = true; });
  bool done = condition();
  while (!done && !late && checkers_.violations().empty()) {
    (void)loop_.Step(loop_.elapsed_ms() + most_ms);
    done = condition();
  }
  loop_.Cancel(end);
  return done && checkers_.violations().empty();
}

std::string Stage::NodeOf(const std::string& pod) const {
  const auto found = shadow_.pods().find({"default", pod});
  return found == shadow_.pods().end() ? "" : found->second.node_name;
}

std::string Stage::VersionOf(const std::string& pod) const {
  const auto found = shadow_.pods().find({"default", pod});
  return found == shadow_.pods().end() ? "" : found->second.meta.resource_version;
}

const crds::JournalEntry* Stage::EntryOf(const std::string& gang) const {
  for (const auto& [name, page] : shadow_.pages()) {
    const auto found = std::find_if(page.entries.begin(), page.entries.end(),
                                    [&](const auto& entry) { return entry.group_name == gang; });
    if (found != page.entries.end()) return &*found;
  }
  return nullptr;
}

std::vector<std::string> Stage::End() {
  const bool ended = Until([this]() { return owner_.Unfinished().empty(); }, kLivenessMs);
  if (!ended && checkers_.violations().empty()) {
    for (const std::string& gang : owner_.Unfinished()) {
      checkers_.Fail("liveness (9): gang " + gang + " fits and did not run to its end" +
                     shadow_.Tell(gang));
    }
  }
  Run(kQuietMs);
  if (checkers_.violations().empty()) checkers_.AtRest();
  return checkers_.violations();
}

Canary OnStage(const std::string& crds_folder, const StagePlay& play) {
  return {play.name, play.says, [crds_folder, script = play.script](bool planted) {
            Stage stage(crds_folder);
            return script(stage, planted);
          }};
}

}  // namespace muster::e2e
