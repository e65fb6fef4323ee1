#include "operator/preflight.h"

#include <algorithm>

#include "crds/decode.h"
#include "operator/watch_events.h"

namespace muster::app {
namespace {

// Short at first: server and operator are often started together.
constexpr std::int64_t kWaitMs = 200;
constexpr std::int64_t kWaitMsMax = 5'000;

}  // namespace

void Preflight::Start() {
  ports::Request request;
  request.verb = ports::Verb::kGet;
  request.resource = {.group = "", .version = "v1", .plural = "namespaces"};
  request.name = world_.ns;
  world_.api.Call(std::move(request),
                  [this](const Result<ports::Response>& answer) { OnAnswer(answer); });
}

// What waiting can heal is asked again; what only a person can heal ends the process.
void Preflight::OnAnswer(const Result<ports::Response>& answer) {
  if (!answer.ok()) {
    if (answer.error().code == Code::kInvalidArgument) return world_.fatal(answer.error().message);
    return TryAgain(answer.error().message);
  }
  const ports::Response& response = answer.value();
  const std::string text = std::to_string(response.status) + " " + RefusalText(response.body);
  switch (response.status) {
    case 200:
      return world_.ready();
    case 401:
      return world_.fatal("the API server does not accept our credentials: " + text);
    case 403:
      return world_.fatal("the API server does not allow Muster to read its namespace: " + text);
    case 404:
      // In plain text it is the path that is not served: no Kubernetes, or not up yet.
      if (!crds::DecodeStatus(response.body).ok()) return TryAgain(text);
      return world_.fatal("namespace \"" + world_.ns +
                          "\" does not exist: create it (kubectl create " + "namespace " +
                          world_.ns + ") or name another with --namespace");
    default:
      return TryAgain(text);
  }
}

void Preflight::TryAgain(const std::string& why) {
  wait_ms_ = std::clamp(wait_ms_ * 2, kWaitMs, kWaitMsMax);
  world_.telemetry.Log(ports::Level::kWarning, "waiting for the API server",
                       {{"err", why}, {"next_ms", wait_ms_}});
  world_.loop.After(wait_ms_, [this] { Start(); });
}

}  // namespace muster::app
