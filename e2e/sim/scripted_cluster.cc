#include "e2e/sim/scripted_cluster.h"

#include <algorithm>
#include <utility>

#include "e2e/sim/owner.h"
#include "e2e/sim/shadow.h"
#include "e2e/sim/sim_kubelets.h"
#include "scheduler/base/check.h"
#include "scheduler/framework/policy.h"

namespace muster::e2e {
namespace {

constexpr const char* kNodePath = "/api/v1/nodes";
constexpr const char* kPodPath = "/api/v1/namespaces/default/pods";
constexpr const char* kQueues = "/apis/muster.dev/v1alpha1/queues";
constexpr const char* kGroupPath = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups";

std::string At(const std::string& collection, const std::string& name) {
  return collection + "/" + name;
}

bool Has(const HttpRequest& request, std::string_view key) {
  return std::any_of(request.query.begin(), request.query.end(),
                     [key](const auto& parameter) { return parameter.first == key; });
}

std::string NameOf(const HttpRequest& request) {
  const std::string verb = Has(request, "watch")   ? "WATCH"
                           : Has(request, "limit") ? "LIST"
                                                   : request.method;
  return verb + " " + request.path;
}

Json Manifest(const std::string& name, const Json& labels, std::int64_t gpus) {
  const Json limits = {{kGpu, std::to_string(gpus)}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", labels}}},
          {"spec",
           {{"schedulerName", "muster"},
            {"containers",
             {{{"name", "main"}, {"image", "train"}, {"resources", {{"limits", limits}}}}}}}}};
}

ApiServer::Options OptionsOf(std::uint64_t seed) {
  ApiServer::Options options;
  options.uid_seed = seed;
  return options;
}

}  // namespace

ScriptedCluster::ScriptedCluster(const std::string& crds_folder, std::uint64_t seed,
                                 Kubelets::Options kubelets)
    : seed_(seed),
      server_(OptionsOf(seed), [this]() { return loop_.wall_ms(); }),
      wire_(loop_, server_, seed, WireHooks()),
      kubelets_(kubelets, [this](const HttpRequest& request) { return server_.Handle(request); }) {
  const std::string error = server_.LoadCrds(crds_folder);
  MUSTER_CHECK(error.empty());
  Make("/api/v1/namespaces", {{"metadata", {{"name", "muster-system"}}}});
  FollowCluster(kubelets_, server_, loop_);
  Beat(kubelets_, loop_);
}

ScriptedCluster::~ScriptedCluster() = default;

Wire::Hooks ScriptedCluster::WireHooks() {
  return {.arrived =
              [this](const Arrival& arrival) {
                answered_.push_back({loop_.elapsed_ms(), NameOf(arrival.request),
                                     arrival.request.body, arrival.response.status});
              },
          .moved = []() {},
          .tap = [this](const HttpRequest& request,
                        const Serve& serve) { return tap_ ? tap_(request, serve) : serve(); },
          .sent =
              [this](const HttpRequest& request) {
                sent_.push_back({loop_.elapsed_ms(), NameOf(request)});
              }};
}

void ScriptedCluster::Make(const std::string& path, const Json& object) {
  const HttpResponse made = server_.Handle(Post(path, Dump(object)));
  MUSTER_CHECK(made.status == 201);
}

void ScriptedCluster::Delete(const std::string& path) {
  const HttpResponse gone = server_.Handle(DeleteAt(path));
  MUSTER_CHECK(gone.status == 200);
}

void ScriptedCluster::Node(const std::string& name, std::int64_t gpus) {
  const Json amounts = {{kGpu, std::to_string(gpus)}, {"cpu", "64"}, {"pods", "110"}};
  const Json ready = {{"type", "Ready"}, {"status", "True"}, {"reason", "KubeletReady"}};
  Make(kNodePath,
       {{"metadata", {{"name", name}}},
        {"status",
         {{"allocatable", amounts}, {"capacity", amounts}, {"conditions", Json::array({ready})}}}});
}

void ScriptedCluster::Queue(const std::string& name, std::int64_t gpus) {
  const Json quota = {{"name", kGpu}, {"nominalQuota", gpus}};
  Make(kQueues,
       {{"apiVersion", "muster.dev/v1alpha1"},
        {"kind", "Queue"},
        {"metadata", {{"name", name}}},
        {"spec", {{"namespaceSelector", Json::object()}, {"resources", Json::array({quota})}}}});
}

void ScriptedCluster::Group(const std::string& name, const std::string& queue,
                            std::int64_t min_member) {
  Make(kGroupPath, {{"apiVersion", "muster.dev/v1alpha1"},
                    {"kind", "PodGroup"},
                    {"metadata", {{"name", name}, {"namespace", "default"}}},
                    {"spec", {{"queue", queue}, {"minMember", min_member}}}});
}

void ScriptedCluster::Member(const std::string& group, std::int64_t index, std::int64_t gpus) {
  Make(kPodPath, Manifest(group + "-" + std::to_string(index), {{kGroupLabel, group}}, gpus));
}

void ScriptedCluster::Gang(const std::string& name, const std::string& queue, std::int64_t count,
                           std::int64_t gpus) {
  Group(name, queue, count);
  for (std::int64_t i = 0; i < count; ++i) Member(name, i, gpus);
}

void ScriptedCluster::Pod(const std::string& name, const std::string& queue, std::int64_t gpus) {
  Make(kPodPath, Manifest(name, {{"muster.dev/queue", queue}}, gpus));
}

void ScriptedCluster::DeleteNode(const std::string& name) {
  Delete(At(kNodePath, name));
}
void ScriptedCluster::DeleteGroup(const std::string& name) {
  Delete(At(kGroupPath, name));
}
void ScriptedCluster::DeletePod(const std::string& name) {
  Delete(At(kPodPath, name));
}

void ScriptedCluster::Relabel(const std::string& pod, const std::string& group) {
  HttpRequest request;
  request.method = "PATCH";
  request.path = At(kPodPath, pod);
  request.content_type = "application/merge-patch+json";
  request.body = Dump({{"metadata", {{"labels", {{kGroupLabel, group}}}}}});
  MUSTER_CHECK(server_.Handle(request).status == 200);
}

void ScriptedCluster::StartOperator(Operator with) {
  const auto complain = [this](const std::string& what) {
    if (complaint_.empty()) complaint_ = what;
  };
  ++lives_;
  life_ = std::make_unique<Life>(loop_, wire_,
                                 Life::Self{.seed = seed_ + lives_,
                                            .holder = "muster-" + std::to_string(lives_),
                                            .policy = scheduler::DefaultPolicy(),
                                            .observer = std::move(with.observer),
                                            .gives_up = with.gives_up},
                                 Life::Events{complain, complain, [](std::string_view) {}});
  if (with.log) life_->set_log(std::move(with.log));
  life_->Start();
}

void ScriptedCluster::SetReachable(bool reachable) {
  wire_.set_reachable(reachable);
  if (!reachable && life_) life_->LoseConnections();
}

// The kubelets' beat goes on for ever, so the time always passes to its end.
void ScriptedCluster::Run(std::int64_t ms) {
  bool ended = false;
  loop_.After(ms, [&ended]() { ended = true; });
  while (!ended) (void)loop_.Step(loop_.elapsed_ms() + ms);
}

Json ScriptedCluster::Get(const std::string& path) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  const HttpResponse response = server_.Handle(request);
  return response.status == 200 ? Parse(response.body).value_or(Json()) : Json();
}

Json ScriptedCluster::PodNow(const std::string& name) {
  return Get(At(kPodPath, name));
}
Json ScriptedCluster::GroupNow(const std::string& name) {
  return Get(At(kGroupPath, name));
}
Json ScriptedCluster::QueueNow(const std::string& name) {
  return Get(At(kQueues, name));
}

std::string ScriptedCluster::NodeOf(const std::string& pod) {
  return StringAt(PodNow(pod), {"spec", "nodeName"});
}

std::string ScriptedCluster::Condition(const std::string& group, const std::string& type) {
  const Json now = GroupNow(group);
  const Json* conditions = e2e::Find(now, {"status", "conditions"});
  if (conditions == nullptr) return "";
  for (const Json& condition : *conditions) {
    if (StringAt(condition, {"type"}) != type) continue;
    return StringAt(condition, {"status"}) + " " + StringAt(condition, {"reason"});
  }
  return "";
}

std::int64_t ScriptedCluster::CountSent(std::string_view what, std::int64_t from_ms,
                                        std::int64_t to_ms) const {
  return std::count_if(sent_.begin(), sent_.end(), [&](const Sent& sent) {
    return sent.what == what && sent.at_ms >= from_ms && sent.at_ms < to_ms;
  });
}

}  // namespace muster::e2e
