#include "controllers/pod_condition_writer.h"

#include <algorithm>
#include <utility>

#include "controllers/text.h"
#include "controllers/write_answer.h"
#include "crds/encode.h"

namespace muster::controllers {
namespace {

constexpr std::int64_t kPodNumbersMs = 60'000;
constexpr std::int64_t kTickMs = 100;
constexpr std::int32_t kPerTick = 10;  // 100 a second.
// Until the watch shows what changed the pod.
constexpr std::int64_t kConditionRetryMs = 1'000;

std::optional<std::int64_t> Earlier(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a.has_value() || !b.has_value()) return a.has_value() ? a : b;
  return std::min(*a, *b);
}

// A member that is placed, bound or at its end has no reason to be told.
bool Waits(const scheduler::MemberStatus& member) {
  return !member.bound && member.node.empty() && !member.reason.empty();
}

}  // namespace

PodConditionWriter::PodConditionWriter(ports::Loop& loop, Send send, const Stores& stores,
                                       PodGroupWriter::Again again, std::int64_t grace_ms)
    : loop_(loop),
      send_(std::move(send)),
      stores_(stores),
      again_(std::move(again)),
      grace_ms_(grace_ms) {}

PodConditionWriter::~PodConditionWriter() {
  if (tick_.has_value()) loop_.Cancel(*tick_);
}

std::optional<std::int64_t> PodConditionWriter::Look(const scheduler::GangStatus& gang,
                                                     std::int64_t now_ms) {
  const bool waits = std::any_of(gang.members.begin(), gang.members.end(), Waits);
  if (!waits) {
    for (const scheduler::MemberStatus& member : gang.members) Unwant(member.pod);
    Forget(gang.key);
    return std::nullopt;
  }
  const std::int64_t since_ms =
      gangs_.try_emplace(gang.key, Waiting{now_ms, {}}).first->second.since_ms;
  if (now_ms < since_ms + grace_ms_) return since_ms + grace_ms_;
  std::optional<std::int64_t> next;
  for (const scheduler::MemberStatus& member : gang.members) {
    next = Earlier(next, LookAt(gang, member, now_ms));
  }
  if (!wants_.empty()) ScheduleTick();
  return next;
}

std::optional<std::int64_t> PodConditionWriter::LookAt(const scheduler::GangStatus& gang,
                                                       const scheduler::MemberStatus& member,
                                                       std::int64_t now_ms) {
  Waiting& waiting = gangs_.at(gang.key);
  const PodRecord* pod = Waits(member) ? Writable(member.pod, member.uid) : nullptr;
  Unwant(member.pod);
  if (pod == nullptr) {
    waiting.told.erase(member.pod);
    return std::nullopt;
  }
  // What the pod says now: the condition that is stored, or the one on its way there.
  std::string reason = pod->scheduled.status == "False" ? pod->scheduled.reason : "";
  std::string message = pod->scheduled.message;
  std::int64_t told_ms = waiting.since_ms;
  const auto told = waiting.told.find(member.pod);
  if (told != waiting.told.end() && told->second.uid == member.uid) {
    told_ms = told->second.at_ms;
    // The watch shows the pod as it was when the patch left: the patch is the newer truth.
    if (told->second.at_version == pod->resource_version) {
      reason = told->second.reason;
      message = told->second.message;
    }
  }
  const std::string wanted = CutText(member.message);
  if (reason == member.reason && message == wanted) return std::nullopt;
  // Numbers change with every pod that starts or ends anywhere.
  const bool numbers_alone = reason == member.reason;
  if (numbers_alone && now_ms < told_ms + kPodNumbersMs) return told_ms + kPodNumbersMs;
  wants_[{numbers_alone, member.pod}] = {gang.key, member.uid, member.reason, wanted};
  return std::nullopt;
}

void PodConditionWriter::Unwant(const scheduler::Key& pod) {
  for (const bool numbers_alone : {false, true}) wants_.erase({numbers_alone, pod});
}

void PodConditionWriter::Forget(const scheduler::Key& gang) {
  gangs_.erase(gang);
}

void PodConditionWriter::BindingsWaiting(bool waiting) {
  bindings_waiting_ = waiting;
  if (!waiting && !wants_.empty()) ScheduleTick();
}

const PodRecord* PodConditionWriter::Writable(const scheduler::Key& pod,
                                              const scheduler::Uid& uid) const {
  const PodRecord* record = stores_.pod(pod);
  const bool writable = record != nullptr && record->uid == uid && record->node.empty() &&
                        !record->terminating && !record->terminal;
  return writable ? record : nullptr;
}

void PodConditionWriter::ScheduleTick() {
  if (tick_.has_value() || bindings_waiting_) return;
  tick_ = loop_.After(kTickMs, [this] { Tick(); });
}

void PodConditionWriter::Tick() {
  tick_.reset();
  for (std::int32_t sent = 0; sent < kPerTick && !wants_.empty() && !bindings_waiting_;) {
    const auto first = wants_.begin();
    const PodRecord* pod = Writable(first->first.second, first->second.uid);
    const Want want = std::move(first->second);
    wants_.erase(first);
    if (pod == nullptr || !gangs_.contains(want.gang)) continue;
    Patch(*pod, want);
    ++sent;
  }
  if (!wants_.empty()) ScheduleTick();
}

void PodConditionWriter::Patch(const PodRecord& pod, const Want& want) {
  const Now now = loop_.now();
  gangs_.at(want.gang).told[pod.key] = {pod.uid, pod.resource_version, want.reason, want.message,
                                        now.mono.ms};
  // With the resourceVersion that was seen: a pod that is bound meanwhile refuses the patch.
  crds::ObjectMeta meta;
  meta.uid = pod.uid;
  meta.resource_version = pod.resource_version;
  meta.generation = pod.generation;
  crds::PodConditionPatch patch =
      crds::PodUnscheduled(meta, want.reason, want.message, now.wall.ms);
  // It was False before: nothing but the text changes.
  if (pod.scheduled.status == "False") {
    patch.condition.last_transition_ms = pod.scheduled.last_transition_ms;
  }
  ports::Request request;
  request.verb = ports::Verb::kPatch;
  request.resource = {"", "v1", "pods"};
  request.ns = pod.key.ns;
  request.name = pod.key.name;
  request.subresource = "status";
  request.query = kFieldManager;
  request.content_type = crds::kStrategicMergePatch;
  request.body = crds::EncodePodCondition(patch);
  send_(std::move(request),
        [this, gang = want.gang, key = pod.key](const Result<ports::Response>& answer) {
          const WriteAnswer kind = AnswerOf(answer);
          const auto waiting = gangs_.find(gang);
          if (kind == WriteAnswer::kTaken || waiting == gangs_.end()) return;
          // Refused since the pod changed: this one is dropped for good; whether the pod as it is
          // now needs another is seen anew.
          waiting->second.told.erase(key);
          again_(gang, kind == WriteAnswer::kStale ? kConditionRetryMs : kWriteRetryMs);
        });
}

}  // namespace muster::controllers
