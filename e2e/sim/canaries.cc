#include "e2e/sim/canaries.h"

#include <memory>
#include <string_view>
#include <utility>

#include "e2e/apiserver/json.h"
#include "e2e/sim/seeds.h"
#include "scheduler/base/check.h"
#include "scheduler/framework/policy.h"

namespace muster::e2e {
namespace {

using Serve = std::function<HttpResponse()>;

bool IsBinding(const HttpRequest& request, std::string_view gang) {
  return request.method == "POST" && request.path.ends_with("/binding") &&
         request.path.find("/" + std::string(gang) + "-") != std::string::npos;
}

// A touch, or any other write of conditions: each moves the pod's resourceVersion.
bool IsPodStatus(const HttpRequest& request) {
  return request.method == "PATCH" && request.path.ends_with("/status") &&
         request.path.find("/pods/") != std::string::npos;
}

HttpResponse NoAnswer() {
  HttpResponse response;
  response.status = 504;
  response.content_type = "text/plain";
  response.body = "timeout";
  return response;
}

HttpResponse Created() {
  HttpResponse response;
  response.status = 201;
  response.body = R"({"kind":"Status","apiVersion":"v1","status":"Success","code":201})";
  return response;
}

// Two gangs of 2 x 8 GPUs on two nodes: first one, then the other.
WorldOptions TwoGangs(const std::string& crds_folder) {
  WorldOptions options;
  options.seed = 1;
  options.crds_folder = crds_folder;
  options.trouble_ms = 5'000;
  options.peace_ms = 900'000;
  options.extra = StandardObjects();
  options.nodes = {{"node-0", 8}, {"node-1", 8}};
  options.gangs = {
      {.name = "a", .min = 2, .members = 2, .gpus = 8, .timeout_seconds = 10},
      {.name = "b", .min = 2, .members = 2, .gpus = 8, .timeout_seconds = 10, .at_ms = 3'000}};
  return options;
}

Canary NeverBinds(const std::string& crds_folder) {
  Canary canary{"never-binds", "did not run to its end", TwoGangs(crds_folder)};
  canary.options.plant = [](SimLoop&) -> Tap {
    return [](const HttpRequest& request, const Serve& serve) {
      return request.path.ends_with("/binding") ? NoAnswer() : serve();
    };
  };
  return canary;
}

Canary DroppedBinding(const std::string& crds_folder) {
  Canary canary{"dropped-binding", "gang a fits and did not run to its end", TwoGangs(crds_folder)};
  canary.options.plant = [](SimLoop&) -> Tap {
    const auto dropped = std::make_shared<bool>(false);
    return [dropped](const HttpRequest& request, const Serve& serve) {
      if (!IsBinding(request, "a") || std::exchange(*dropped, true)) return serve();
      return Created();
    };
  };
  return canary;
}

Canary DoubledNode(const std::string& crds_folder) {
  Canary canary{"doubled-node", "are used after binding", TwoGangs(crds_folder)};
  canary.options.plant = [](SimLoop&) -> Tap {
    return [](const HttpRequest& request, const Serve& serve) {
      HttpResponse response = serve();
      if (request.method != "GET" || request.path != "/api/v1/nodes") return response;
      std::optional<Json> list = Parse(response.body);
      for (Json& node : (*list)["items"]) node["status"]["allocatable"][kGpu] = "16";
      response.body = Dump(*list);
      return response;
    };
  };
  return canary;
}

// What a server answers that has patched the pod: another resourceVersion.
HttpResponse AsIfPatched(const HttpRequest& request) {
  const std::optional<Json> patch = Parse(request.body);
  Json pod = {{"kind", "Pod"}, {"apiVersion", "v1"}, {"metadata", (*patch)["metadata"]}};
  pod["metadata"]["resourceVersion"] = "99999999";
  HttpResponse response;
  response.status = 200;
  response.body = Dump(pod);
  return response;
}

// The first Binding of gang a is on its way for 40 s; what the protocol does to make it harmless
// (a touch that moves the pod's resourceVersion) is answered as if done. When it arrives, gang b
// runs on the node that a gave up.
Canary GetFrees(const std::string& crds_folder) {
  Canary canary{"get-frees", "a Binding that no page names took effect", TwoGangs(crds_folder)};
  canary.options.gangs.back().run_seconds = 60;
  canary.options.plant = [](SimLoop& loop) -> Tap {
    const auto held = std::make_shared<std::string>();
    return [&loop, held](const HttpRequest& request, const Serve& serve) {
      if (IsBinding(request, "a") && held->empty()) {
        *held = request.path;
        loop.After(40'000, [serve]() { (void)serve(); });
        return NoAnswer();
      }
      if (IsBinding(request, "a") && request.path == *held) return NoAnswer();
      if (!IsPodStatus(request)) return serve();
      return AsIfPatched(request);
    };
  };
  return canary;
}

// Refuses for a minute and tells nobody when it would not any more: a wake-up that is dropped.
// Without a planted fault it permits everything.
class Sleeper final : public scheduler::Simple<Sleeper>, public scheduler::PermitPlugin {
 public:
  [[nodiscard]] std::optional<std::string> Permit(
      const scheduler::GangView& /*gang*/,
      std::span<const scheduler::Assignment> /*assignments*/) const override {
    const auto loop = Clock().lock();
    if (!loop || (*loop)->elapsed_ms() >= 60'000) return std::nullopt;
    return "a plugin sleeps";
  }
  // Of the world with the fault; it ends with that world.
  static std::weak_ptr<SimLoop*>& Clock() {
    static std::weak_ptr<SimLoop*> clock;
    return clock;
  }
};

constexpr scheduler::PluginDescriptor kSleeper = scheduler::DescribePlugin<Sleeper>("Sleeper");

Canary LostWakeup(const std::string& crds_folder) {
  Canary canary{"lost-wakeup", "a wake-up was lost", TwoGangs(crds_folder)};
  MUSTER_CHECK(canary.options.policy.Enable({.plugin = &kSleeper, .args = {}}).ok());
  canary.options.plant = [](SimLoop& loop) -> Tap {
    const auto clock = std::make_shared<SimLoop*>(&loop);
    Sleeper::Clock() = clock;
    return [clock](const HttpRequest& /*request*/, const Serve& serve) { return serve(); };
  };
  return canary;
}

}  // namespace

std::vector<Canary> Canaries(const std::string& crds_folder) {
  return {NeverBinds(crds_folder), DroppedBinding(crds_folder), DoubledNode(crds_folder),
          GetFrees(crds_folder), LostWakeup(crds_folder)};
}

}  // namespace muster::e2e
