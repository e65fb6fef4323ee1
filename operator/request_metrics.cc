#include "operator/request_metrics.h"

#include <utility>

namespace muster::app {

HttpObserver CountRequests(Metrics& metrics, std::string host) {
  return [&metrics, server = std::move(host)](const HttpSent& sent) {
    const std::string code = sent.status == 0 ? "<error>" : std::to_string(sent.status);
    metrics.Count("requests", 1, {{"code", code}, {"method", sent.method}, {"host", server}});
    if (!sent.micros) return;
    metrics.Observe("request_us", *sent.micros, {{"verb", sent.method}, {"host", server}});
  };
}

}  // namespace muster::app
