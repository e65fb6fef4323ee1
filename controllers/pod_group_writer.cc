#include "controllers/pod_group_writer.h"

#include <utility>

#include "controllers/pod_group_reconciler.h"
#include "controllers/write_answer.h"
#include "crds/encode.h"

namespace muster::controllers {
namespace {

// Counts and texts of a busy gang change all the time.
constexpr std::int64_t kGroupNumbersMs = 5'000;
// A reason is at most so old while Bindings go out.
constexpr std::int64_t kDeferMs = 5'000;
// So long a write is trusted to be what the watch will show.
constexpr std::int64_t kEchoMs = 5'000;
constexpr std::int64_t kBusyMs = 1'000;

}  // namespace

PodGroupWriter::PodGroupWriter(Send send, Again again)
    : send_(std::move(send)), again_(std::move(again)) {}

std::optional<std::int64_t> PodGroupWriter::Look(const scheduler::GangStatus& gang,
                                                 const crds::PodGroup& group, const Turn& turn) {
  const std::int64_t now_ms = turn.now.mono.ms;
  const auto known = sent_.find(gang.key);
  const Sent* sent =
      known == sent_.end() || known->second.uid != group.meta.uid ? nullptr : &known->second;
  // Two at once could arrive in the other order.
  if (sent != nullptr && sent->unanswered) return now_ms + kBusyMs;

  // What the API server holds: the stored object, or what was just sent to it.
  crds::PodGroup base = group;
  if (sent != nullptr && sent->unseen && now_ms < sent->at_ms + kEchoMs) base.status = sent->status;
  const auto wanted = ReconcilePodGroup(gang, base, turn.now.wall);
  if (!wanted.has_value()) return std::nullopt;
  // Refused for what it is (a schema that is older than this program): not sent in a loop.
  if (sent != nullptr && sent->refused && sent->resource_version == group.meta.resource_version) {
    return std::nullopt;
  }

  const bool numbers_alone = base.status.has_value() && DifferInNumbersAlone(*base.status, *wanted);
  if (numbers_alone && sent != nullptr && now_ms < sent->at_ms + kGroupNumbersMs) {
    return sent->at_ms + kGroupNumbersMs;
  }
  if (turn.bindings_waiting && now_ms < turn.since_ms + kDeferMs) return turn.since_ms + kDeferMs;
  Patch(group, *wanted, turn.now);
  return std::nullopt;
}

bool PodGroupWriter::Stored(const crds::PodGroup& group) {
  const auto it = sent_.find({group.meta.ns, group.meta.name});
  if (it == sent_.end() || it->second.uid != group.meta.uid) return true;
  if (!group.status.has_value() || *group.status != it->second.status) return true;
  it->second.unseen = false;
  return false;
}

void PodGroupWriter::Patch(const crds::PodGroup& group, const crds::PodGroupStatus& status,
                           const Now& now) {
  const scheduler::Key key{group.meta.ns, group.meta.name};
  sent_[key] = {.uid = group.meta.uid,
                .resource_version = group.meta.resource_version,
                .status = status,
                .at_ms = now.mono.ms,
                .unanswered = true,
                .unseen = true};
  ports::Request request;
  request.verb = ports::Verb::kPatch;
  request.resource = {"muster.dev", "v1alpha1", "podgroups"};
  request.ns = key.ns;
  request.name = key.name;
  request.subresource = "status";
  request.query = kFieldManager;
  request.content_type = crds::kJsonPatch;
  request.body = crds::EncodePodGroupStatus(group.meta.uid, status);
  send_(std::move(request), [this, key, uid = group.meta.uid](const Result<ports::Response>& r) {
    Answered(key, uid, r);
  });
}

void PodGroupWriter::Answered(const scheduler::Key& gang, const scheduler::Uid& uid,
                              const Result<ports::Response>& answer) {
  const auto it = sent_.find(gang);
  if (it == sent_.end() || it->second.uid != uid) return;
  it->second.unanswered = false;
  const WriteAnswer kind = AnswerOf(answer);
  if (kind == WriteAnswer::kTaken) return;
  it->second.unseen = false;
  it->second.refused = kind == WriteAnswer::kStale;
  if (kind == WriteAnswer::kFailed) again_(gang, kWriteRetryMs);
}

}  // namespace muster::controllers
