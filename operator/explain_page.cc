#include "operator/explain_page.h"

#include <optional>

#include "operator/explain_json.h"

namespace muster::app {

HttpAnswer ExplainPage(const controllers::Manager* manager, const Readiness& readiness,
                       const std::vector<std::string>& parts) {
  const scheduler::Key key{
      .ns = parts.at(0), .name = parts.at(2), .single_pod = parts[1] == "pods"};
  std::optional<scheduler::Explanation> explanation;
  if (manager != nullptr) explanation = manager->Explain(key);
  if (!explanation.has_value() && !readiness.decides) {
    return {.status = 503, .body = readiness.text + "\n"};
  }
  if (!explanation.has_value()) {
    return {.status = 404,
            .body = key.single_pod ? "no such pod of Muster's\n" : "no such PodGroup\n"};
  }
  const std::int64_t micros = manager->DecisionMicros(explanation->status.key);
  return {.content_type = "application/json", .body = ExplainJson(*explanation, micros) + "\n"};
}

}  // namespace muster::app
