// What the manager says of itself and of the core when it is asked.
#include <optional>
#include <string>

#include "controllers/manager.h"
#include "controllers/manager_state.h"

namespace muster::controllers {

void Manager::ShowTotals() const {
  if (!state_->loop.started()) return;  // The core was not told of the cluster.
  ShowPending(state_->ports.telemetry, state_->core.Pending());
  ShowCapacity(state_->ports.telemetry, state_->core.cluster());
}

bool Manager::leading() const {
  return !state_->failed && (!state_->elector || state_->elector->leading());
}

std::string Manager::leader() const {
  return state_->elector ? state_->elector->holder() : "";
}

bool Manager::synced() const {
  return state_->synced();
}

std::optional<scheduler::Explanation> Manager::Explain(const scheduler::Key& key) const {
  if (!key.single_pod) return state_->core.Explain(key);
  const PodRecord* pod = state_->stores.pod({key.ns, key.name});
  if (pod == nullptr) return std::nullopt;
  return state_->core.ExplainPod(pod->uid);
}

std::int64_t Manager::DecisionMicros(const scheduler::Key& gang) const {
  const auto found = state_->micros.find(gang);
  return found == state_->micros.end() ? 0 : found->second;
}

}  // namespace muster::controllers
