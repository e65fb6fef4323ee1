#include "operator/explain_json.h"

#include <nlohmann/json.hpp>

namespace muster::app {
namespace {

// Fields come out in the order in which they are written here.
using Json = nlohmann::ordered_json;

Json ScoresOf(const scheduler::Explanation& explanation) {
  Json scores = Json::array();
  for (const auto& score : explanation.scores) {
    Json plugins = Json::object();
    for (const auto& [plugin, value] : score.plugins) plugins[plugin] = value;
    scores.push_back(
        {{"node", score.node}, {"total", score.total}, {"plugins", std::move(plugins)}});
  }
  return scores;
}

}  // namespace

std::string ExplainJson(const scheduler::Explanation& explanation, std::int64_t decision_us) {
  const scheduler::GangStatus& status = explanation.status;
  Json nodes = Json::array();
  for (const auto& node : explanation.nodes) {
    nodes.push_back({{"name", node.node}, {"reason", node.reason}});
  }
  Json placed = Json::array();
  for (const auto& [pod, node] : explanation.placed) {
    placed.push_back({{"pod", pod}, {"node", node}});
  }
  const Json json = {
      {"gang", status.key.ns + "/" + status.key.name},
      {"phase", scheduler::PhaseName(status.phase)},
      {"reason", status.reason},
      {"message", status.message},
      {"attempt", status.attempts},
      {"wokenBy", explanation.woken_by},
      {"decisionMicroseconds", decision_us},
      {"queuePosition", explanation.queue_position},
      {"nodes", std::move(nodes)},
      {"scores", ScoresOf(explanation)},
      {"placed", std::move(placed)},
  };
  // A text that is no UTF-8 (a label of a node, say) shall not stop the answer.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace muster::app
