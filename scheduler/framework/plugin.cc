#include "scheduler/framework/plugin.h"

namespace muster::scheduler {

bool FilterPlugin::Applies(const PodView& /*pod*/) const {
  return true;
}
std::unique_ptr<Prepared> FilterPlugin::Prepare(const PodView& /*pod*/) const {
  return nullptr;
}

ScorePlugin::Normalize ScorePlugin::normalize() const {
  return Normalize::kNone;
}
bool ScorePlugin::Applies(const PodView& /*pod*/) const {
  return true;
}
std::unique_ptr<Prepared> ScorePlugin::Prepare(const PodView& /*pod*/) const {
  return nullptr;
}

}  // namespace muster::scheduler
