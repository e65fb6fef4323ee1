#include "e2e/hostile/apply.h"

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "e2e/suites/stand.h"
#include "operator/http_client.h"

namespace muster::e2e {
namespace {

constexpr std::size_t kApplyBatch = 500;
constexpr std::size_t kApplyWrongMax = 10;
const std::string kHealthyPods = "/api/v1/namespaces/default/pods";
const std::string kHealthyGroups = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups";
const std::string kQueues = "/apis/muster.dev/v1alpha1/queues";

// The value is a list, and each of its elements passes.
bool AllOf(const Json& list, const std::function<bool(const Json&)>& passes) {
  return list.is_array() && std::ranges::all_of(list, passes);
}

const Json* ConditionOf(const Json& object, const std::string& type) {
  const Json* conditions = Find(object, {"status", "conditions"});
  if (conditions == nullptr) return nullptr;
  for (const Json& condition : *conditions) {
    if (StringAt(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

bool Says(const Json& object, const std::string& type) {
  const Json* condition = ConditionOf(object, type);
  return condition != nullptr && !StringAt(*condition, {"reason"}).empty();
}

// Waits, and it is Muster that has to say why.
bool IsToBeTold(const Json& pod) {
  const std::string& phase = StringAt(pod, {"status", "phase"});
  return StringAt(pod, {"spec", "schedulerName"}) == "muster" &&
         StringAt(pod, {"spec", "nodeName"}).empty() && phase != "Succeeded" && phase != "Failed" &&
         Find(pod, {"metadata", "deletionTimestamp"}) == nullptr;
}

Json HealthyPod(const std::string& name, const std::string& gang, const std::string& resource) {
  return {{"metadata",
           {{"name", name},
            {"labels", {{"muster.dev/pod-group", gang}}},
            {"annotations", {{"sim.muster.dev/run-seconds", "36000"}}}}},
          {"spec",
           {{"schedulerName", "muster"},
            {"nodeSelector", {{"stand", "healthy"}}},
            {"containers",
             {{{"name", "main"},
               {"image", "train"},
               {"resources", {{"limits", {{resource, "4"}}}}}}}}}}};
}

class ApplyStage {
 public:
  ApplyStage(const HostileObjects& objects, const ApplyRun& run) : objects_(objects), run_(run) {}

  HostileVerdict Play() {
    auto stand = Stand::Start("hostile", "e2e/hostile/testdata/cluster.yaml");
    if (!stand.ok()) {
      Wrong(stand.error().message);
      return std::move(verdict_);
    }
    stand_ = std::move(stand).value();
    api_ = std::make_unique<app::HttpConnection>(
        app::Endpoint{"127.0.0.1", stand_->local().port, "muster-local"}, app::HttpTimeouts{});
    explain_ = std::make_unique<app::HttpConnection>(
        app::Endpoint{"127.0.0.1", stand_->muster().port, ""}, app::HttpTimeouts{});
    StartGang("steady");
    const std::string steady = Steady();
    if (run_.no_operator) stand_->muster().child.Signal(SIGKILL);
    const std::size_t end = run_.first + run_.count;
    for (std::size_t first = run_.first; first < end && GoesOn(); first += kApplyBatch) {
      PlayBatch(first, std::min(end, first + kApplyBatch));
    }
    if (Steady() != steady) Wrong("the gang that ran is not what it was");
    return std::move(verdict_);
  }

 private:
  [[nodiscard]] bool GoesOn() const { return verdict_.wrong.size() < kApplyWrongMax; }
  void Wrong(const std::string& what) { verdict_.wrong.push_back(what); }
  bool Await(const std::function<bool()>& done) const {
    const std::int64_t end_ms = SteadyMs() + run_.patience_ms;
    while (!done()) {
      if (SteadyMs() > end_ms || !GoesOn()) return false;
      SleepMs(50);
    }
    return true;
  }

  Result<app::HttpReply> Send(const std::string& method, const std::string& path,
                              const std::string& type, const std::string& body) {
    return api_->Send({.method = method, .target = path, .content_type = type, .body = body});
  }
  void Make(const std::string& path, const Json& object) {
    const auto reply = Send("POST", path, "application/json", Dump(object));
    if (!reply.ok()) return Wrong(path + ": " + reply.error().message);
    if (reply.value().status != 201) Wrong(path + ": " + reply.value().body);
  }
  void Delete(const std::string& path) {
    (void)Send("DELETE", path, "application/json", R"({"gracePeriodSeconds":0})");
  }
  Json Get(const std::string& path) {
    const auto reply = Send("GET", path, "", "");
    std::optional<Json> read;
    if (reply.ok()) read = Parse(reply.value().body);
    if (!read) Wrong(path + ": " + (reply.ok() ? "cannot be read" : reply.error().message));
    return read.value_or(Json());
  }
  Json Items(const std::string& path) {
    const Json list = Get(path);
    const Json* items = Find(list, {"items"});
    return items != nullptr ? *items : Json();
  }

  void StartGang(const std::string& gang) {
    Make(kHealthyGroups, {{"apiVersion", "muster.dev/v1alpha1"},
                          {"kind", "PodGroup"},
                          {"metadata", {{"name", gang}}},
                          {"spec", {{"queue", "healthy"}, {"minMember", 2}}}});
    for (const char* member : {"-0", "-1"}) {
      Make(kHealthyPods, HealthyPod(gang + member, gang, "nvidia.com/gpu"));
    }
    const bool runs = Await([&] {
      return StringAt(Get(kHealthyGroups + "/" + gang), {"status", "phase"}) == "Running";
    });
    if (!runs) return Wrong("the healthy gang " + gang + " does not start");
    ++verdict_.ends["healthy gangs that started"];
  }
  void EndGang(const std::string& gang) {
    for (const char* member : {"-0", "-1"}) Delete(kHealthyPods + "/" + gang + member);
    Delete(kHealthyGroups + "/" + gang);
  }
  std::string Steady() {
    std::string text;
    for (const char* name : {"/steady-0", "/steady-1"}) {
      const Json pod = Get(kHealthyPods + name);
      text += StringAt(pod, {"metadata", "uid"}) + " on " + StringAt(pod, {"spec", "nodeName"}) +
              " is " + StringAt(pod, {"status", "phase"}) + "; ";
    }
    return text;
  }
  // What Muster says of a pod that fits nowhere: in its first attempt it looks at every node that
  // it knows.
  std::string VerdictOfProbe() {
    const std::string name = "probe-" + std::to_string(++probes_);
    Json probe = HealthyPod(name, "", "cpu");
    probe["metadata"]["labels"] = {{"muster.dev/queue", "healthy"}};
    probe["spec"]["nodeSelector"] = {{"stand", "nowhere"}};
    Make(kHealthyPods, probe);
    std::string verdict;
    for (int i = 0; i < 20 && verdict.empty(); ++i) {
      SleepMs(50);
      const auto reply = explain_->Send({.method = "GET",
                                         .target = "/explain/default/pods/" + name,
                                         .content_type = "",
                                         .body = ""});
      const Json page = reply.ok() ? Parse(reply.value().body).value_or(Json()) : Json();
      verdict = StringAt(page, {"message"});
    }
    Delete(kHealthyPods + "/" + name);
    return verdict;
  }

  void PlayBatch(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end && GoesOn(); ++i)
      Apply(objects_.Make(i, HostileForm::kSent));
    if (!GoesOn()) return;
    StartGang("gang-" + std::to_string(first));
    AllAreTold();
    AllNodesCount();
    EndGang("gang-" + std::to_string(first));
    TidyUp();
    for (Server* server : {&stand_->local(), &stand_->muster()}) {
      if (server->child.ended()) Wrong("a process has ended");
    }
  }

  // Every other object is there before, whole, and is changed.
  void Apply(const Hostile& hostile) {
    const std::string collection(PlaceOf(hostile.kind).collection);
    if (hostile.number % 2 == 0)
      return Judge(hostile, Send("POST", collection, "application/json", hostile.text));
    Make(collection, objects_.Whole(hostile.kind, hostile.number, HostileForm::kSent));
    const bool core = hostile.kind == HostileKind::kPod || hostile.kind == HostileKind::kNode;
    const char* type =
        core ? "application/strategic-merge-patch+json" : "application/merge-patch+json";
    Judge(hostile, Send("PATCH", collection + "/" + hostile.name, type, hostile.text));
  }
  void Judge(const Hostile& hostile, Result<app::HttpReply> reply) {
    if (!reply.ok()) return Wrong(hostile.what + ": no answer: " + reply.error().message);
    if (std::exchange(error_due_, false)) reply.value().status = 500;
    const std::int32_t code = reply.value().status;
    ++verdict_.ends["apply: answered " + std::to_string(code)];
    if (code >= 200 && code < 300) return;
    const Json status = Parse(reply.value().body).value_or(Json());
    const bool told =
        StringAt(status, {"kind"}) == "Status" && !StringAt(status, {"message"}).empty();
    if (code < 400 || code >= 500 || !told) {
      Wrong(hostile.what + ": answered " + std::to_string(code) + " " +
            reply.value().body.substr(0, 200));
    }
  }

  void AllAreTold() {
    AwaitAll(HostileKind::kPodGroup, [](const Json& group) {
      return !StringAt(group, {"status", "phase"}).empty() && Says(group, "Admitted");
    });
    AwaitAll(HostileKind::kQueue, [](const Json& queue) { return Says(queue, "Active"); });
    AwaitAll(HostileKind::kPod,
             [](const Json& pod) { return !IsToBeTold(pod) || Says(pod, "PodScheduled"); });
  }
  void AwaitAll(HostileKind kind, const std::function<bool(const Json&)>& told) {
    const std::string path(PlaceOf(kind).collection);
    Json items;
    const bool done = Await([&] {
      items = Items(path);
      return AllOf(items, told);
    });
    verdict_.ends["told why, or at work: " + std::string(PlaceOf(kind).plural)] +=
        static_cast<std::int64_t>(items.size());
    if (done) return;
    const auto untold = std::ranges::find_if_not(items, told);
    Wrong("no condition on " + (untold == items.end() ? path : Dump(*untold)));
  }
  // What the server has taken, Muster has read.
  void AllNodesCount() {
    std::size_t nodes = 0;
    std::string verdict;
    const bool all = Await([&] {
      nodes = Items("/api/v1/nodes").size();
      verdict = VerdictOfProbe();
      return verdict.starts_with("0/" + std::to_string(nodes) + " nodes are available: ");
    });
    verdict_.ends["counted: nodes"] += static_cast<std::int64_t>(nodes);
    if (!all) Wrong("of " + std::to_string(nodes) + " nodes, Muster says: " + verdict);
  }

  void TidyUp() {
    for (const HostileKind kind :
         {HostileKind::kPod, HostileKind::kPodGroup, HostileKind::kBindingJournal}) {
      Delete(std::string(PlaceOf(kind).collection));
    }
    for (const std::string& path : {std::string("/api/v1/nodes"), kQueues}) {
      for (const Json& one : Items(path)) {
        const std::string& name = StringAt(one, {"metadata", "name"});
        if (!name.starts_with("healthy") && name != "hostile") Delete(path + "/" + name);
      }
    }
  }

  const HostileObjects& objects_;
  const ApplyRun& run_;
  HostileVerdict verdict_;
  bool error_due_ = run_.server_error;
  int probes_ = 0;
  std::unique_ptr<Stand> stand_;
  std::unique_ptr<app::HttpConnection> api_, explain_;
};

}  // namespace

HostileVerdict PlayApply(const HostileObjects& objects, const ApplyRun& run) {
  return ApplyStage(objects, run).Play();
}

}  // namespace muster::e2e
