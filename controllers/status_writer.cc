#include "controllers/status_writer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "controllers/due_queue.h"
#include "controllers/gang_events.h"
#include "controllers/pod_condition_writer.h"
#include "controllers/pod_group_writer.h"
#include "controllers/queue_writer.h"
#include "controllers/text_refresh.h"

namespace muster::controllers {
namespace {

// A gang that is bound within this time gets one write in all.
constexpr std::int64_t kStatusQuietMs = 1'000;
// One that is never quiet is looked at all the same.
constexpr std::int64_t kPatienceMs = 5'000;

// It, or some member, is told why it waits.
bool GangWaits(const scheduler::GangStatus& gang) {
  if (!gang.attempted) return false;
  return !gang.reason.empty() ||
         std::any_of(gang.members.begin(), gang.members.end(),
                     [](const auto& member) { return !member.reason.empty(); });
}

}  // namespace

struct StatusWriter::Parts {
  explicit Parts(World w)
      : world(std::move(w)),
        groups(world.send, [this](const auto& gang, auto delay_ms) { Again(gang, delay_ms); }),
        pods(
            world.loop, world.send, world.stores,
            [this](const auto& gang, auto delay_ms) { Again(gang, delay_ms); }, world.pod_grace_ms),
        events(world.recorder, world.stores),
        queues(world.loop, world.send, world.stores, world.core.queue),
        due(world.loop, [this](const scheduler::Key& gang) { Look(gang); }),
        refresh(world.loop, [this](const scheduler::Key& gang) { Reread(gang); }) {}

  [[nodiscard]] std::int64_t now_ms() const { return world.loop.now().mono.ms; }

  // Something about the gang changed: wait until it is quiet, but not for ever.
  void Changed(const scheduler::Key& gang) {
    const std::int64_t since_ms = since.try_emplace(gang, now_ms()).first->second;
    due.Set(gang, std::min(now_ms() + kStatusQuietMs, since_ms + kPatienceMs));
  }
  void Again(const scheduler::Key& gang, std::int64_t delay_ms) {
    due.SetNotAfter(gang, now_ms() + delay_ms);
  }
  void Look(const scheduler::Key& gang);
  void Reread(const scheduler::Key& gang);
  void Write(const scheduler::GangStatus& status, const crds::PodGroup* group, const Turn& turn);

  World world;
  PodGroupWriter groups;
  PodConditionWriter pods;
  GangEvents events;
  QueueWriter queues;
  std::map<scheduler::Key, std::int64_t> since;  // Of changes whose status is not yet written.
  std::set<scheduler::Key> deferred;             // Wait for the Bindings.
  bool bindings_waiting = false;
  DueQueue<scheduler::Key> due;
  TextRefresh refresh;
};

void StatusWriter::Parts::Look(const scheduler::Key& gang) {
  const auto status = world.core.gang(gang);
  // Whatever this look leaves undone is noted anew below.
  const auto started = since.find(gang);
  const Turn turn{world.loop.now(), started == since.end() ? now_ms() : started->second,
                  bindings_waiting};
  since.erase(gang);
  deferred.erase(gang);
  if (!status.has_value()) {
    groups.Forget(gang);
    pods.Forget(gang);
    events.Forget(gang);
    refresh.SetWaiting(gang, false);
    return;
  }
  const crds::PodGroup* group = gang.single_pod ? nullptr : world.stores.group(gang);
  // Events before the status: a status that is stored says that its text was told.
  events.Look(*status, group, turn.now.mono.ms);
  Write(*status, group, turn);
}

// The same without events: of a text that changes every few seconds the first is told, and the
// status has the rest.
void StatusWriter::Parts::Reread(const scheduler::Key& gang) {
  if (since.contains(gang)) return;  // Its look is near.
  const auto status = world.core.gang(gang);
  if (!status.has_value()) return;  // So is the look that forgets it.
  const crds::PodGroup* group = gang.single_pod ? nullptr : world.stores.group(gang);
  Write(*status, group, Turn{world.loop.now(), now_ms(), bindings_waiting});
}

void StatusWriter::Parts::Write(const scheduler::GangStatus& status, const crds::PodGroup* group,
                                const Turn& turn) {
  const scheduler::Key& gang = status.key;
  refresh.SetWaiting(gang, GangWaits(status));
  if (const auto next_ms = pods.Look(status, turn.now.mono.ms)) due.SetNotAfter(gang, *next_ms);
  if (group == nullptr) return;
  const auto next_ms = groups.Look(status, *group, turn);
  if (!next_ms.has_value()) return;
  if (bindings_waiting) {
    since.emplace(gang, turn.since_ms);
    deferred.insert(gang);
  }
  due.SetNotAfter(gang, *next_ms);
}

StatusWriter::StatusWriter(World world) : parts_(std::make_unique<Parts>(std::move(world))) {}

StatusWriter::~StatusWriter() = default;

void StatusWriter::OnDecision(const scheduler::Decision& decision) {
  // A PodGroup's status remembers what was told of it; a single pod has none.
  for (const scheduler::Decision::Admit& admit : decision.admits) {
    if (admit.gang.single_pod) parts_->events.Admitted(admit.gang, admit.gang_uid);
  }
  for (const scheduler::Key& gang : decision.changed_gangs) parts_->Changed(gang);
  for (const std::string& queue : decision.changed_queues) parts_->queues.Changed(queue);
  parts_->refresh.Changed();
}

void StatusWriter::BindingsWaiting(bool waiting) {
  if (waiting == parts_->bindings_waiting) return;
  parts_->bindings_waiting = waiting;
  parts_->pods.BindingsWaiting(waiting);
  if (waiting) return;
  for (const scheduler::Key& gang : parts_->deferred) parts_->Again(gang, 0);
}

void StatusWriter::GroupStored(const scheduler::Key& gang) {
  const crds::PodGroup* group = parts_->world.stores.group(gang);
  if (group != nullptr && parts_->groups.Stored(*group)) parts_->Changed(gang);
}

void StatusWriter::QueueStored(const std::string& name) {
  parts_->queues.Stored(name);
}

}  // namespace muster::controllers
