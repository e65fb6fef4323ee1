#include "operator/ready_page.h"

namespace muster::app {

Readiness ReadinessOf(const controllers::Manager* manager, const std::string& server) {
  if (manager == nullptr) return {.text = "no answer of the API server " + server};
  // As kube-scheduler: a standby is ready, to take over.
  if (!manager->leading()) {
    const std::string holder = manager->leader();
    if (holder.empty()) return {.text = "the lease is not held by anybody"};
    return {.ready = true, .text = "standing by: the lease is held by " + holder};
  }
  if (!manager->synced()) return {.text = "a list is not complete, or a watch is cut off"};
  return {.ready = true, .decides = true, .text = {}};
}

HttpAnswer ReadyPage(const Readiness& readiness) {
  if (!readiness.ready) return {.status = 503, .body = "not ready: " + readiness.text + "\n"};
  return {.body = readiness.decides ? "ok\n" : "ok, " + readiness.text + "\n"};
}

}  // namespace muster::app
