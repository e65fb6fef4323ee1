#include "controllers/stray_touch.h"

#include <utility>

#include "controllers/api_calls.h"
#include "controllers/backoff.h"
#include "crds/decode.h"

namespace muster::controllers {

void StrayTouch::Start(const std::map<scheduler::Key, Pod>& pods) {
  for (const auto& [key, pod] : pods) open_[key] = {.pod = pod};
  if (open_.empty()) return world_.loop.Post([this] { world_.done(); });
  for (const auto& [key, pod] : pods) Touch(key);
}

void StrayTouch::Touch(const scheduler::Key& key) {
  const Open& open = open_.at(key);
  crds::ObjectMeta meta;
  meta.uid = open.pod.uid;
  meta.resource_version = open.pod.version;
  const std::string message = "the binding journal was lost; a Binding may have been under way (" +
                              world_.holder + ", try " + std::to_string(open.attempt + 1) + ")";
  world_.writer.Submit(PatchPodCondition(key, crds::PodUnscheduled(meta, "BindFailed", message,
                                                                   world_.loop.now().wall.ms)),
                       [this, key](const Answer& answer) { OnTouched(key, answer); });
}

void StrayTouch::OnTouched(const scheduler::Key& key, const Answer& answer) {
  const Outcome outcome = Judge(answer).outcome;
  if (outcome == Outcome::kGone) return Finish(key);
  if (outcome == Outcome::kDone) return Look(key, answer.value().body);
  if (outcome == Outcome::kConflict) return Read(key);
  Later(key, &StrayTouch::Read);
}

void StrayTouch::Read(const scheduler::Key& key) {
  world_.writer.Submit(GetPod(key, ports::Lane::kRemoval),
                       [this, key](const Answer& answer) { OnRead(key, answer); });
}

void StrayTouch::OnRead(const scheduler::Key& key, const Answer& answer) {
  const Verdict verdict = Judge(answer);
  if (verdict.outcome == Outcome::kGone) return Finish(key);
  if (verdict.outcome != Outcome::kDone) return Later(key, &StrayTouch::Read);
  Look(key, answer.value().body);
}

void StrayTouch::Look(const scheduler::Key& key, const std::string& body) {
  const auto pod = crds::DecodePod(body);
  if (!pod.ok()) return Later(key, &StrayTouch::Read);
  const Pod& listed = open_.at(key).pod;
  const bool moved = pod.value().meta.resource_version != listed.version;
  if (moved || pod.value().meta.uid != listed.uid) return Finish(key);
  Later(key, &StrayTouch::Touch);
}

void StrayTouch::Later(const scheduler::Key& key, void (StrayTouch::*step)(const scheduler::Key&)) {
  world_.loop.After(BackoffMs(world_.loop, open_.at(key).attempt++),
                    [this, key, step] { (this->*step)(key); });
}

void StrayTouch::Finish(const scheduler::Key& key) {
  open_.erase(key);
  if (open_.empty()) world_.done();
}

}  // namespace muster::controllers
