#include "controllers/queue_writer.h"

#include <algorithm>
#include <utility>

#include "controllers/queue_reconciler.h"
#include "controllers/write_answer.h"
#include "crds/encode.h"

namespace muster::controllers {
namespace {

constexpr std::int64_t kQueueQuietMs = 1'000;  // What is admitted in one go is one write.
constexpr std::int64_t kPerQueueMs = 5'000;
constexpr std::int64_t kSpacingMs = 50;  // 20 a second.

}  // namespace

QueueWriter::QueueWriter(ports::Loop& loop, Send send, const Stores& stores, View view)
    : loop_(loop),
      send_(std::move(send)),
      stores_(stores),
      view_(std::move(view)),
      due_(loop, [this](const std::string& queue) { Look(queue); }) {}

void QueueWriter::Changed(const std::string& queue) {
  due_.SetNotAfter(queue, loop_.now().mono.ms + kQueueQuietMs);
}

void QueueWriter::Stored(const std::string& queue) {
  const crds::Queue* object = stores_.queue(queue);
  const auto it = sent_.find(queue);
  const bool echo = object != nullptr && it != sent_.end() && it->second.uid == object->meta.uid &&
                    object->status == it->second.status;
  if (!echo) Changed(queue);
}

void QueueWriter::Look(const std::string& queue) {
  const crds::Queue* object = stores_.queue(queue);
  const auto status = view_(queue);
  // Deleted, or not yet with the core: the event that brings it comes here again.
  if (object == nullptr || !status.has_value()) {
    sent_.erase(queue);
    return;
  }
  const std::int64_t now_ms = loop_.now().mono.ms;
  const auto it = sent_.find(queue);
  // Within these 5 s the watch shows what was sent, so that it is not sent twice.
  const bool recent = it != sent_.end() && it->second.uid == object->meta.uid &&
                      now_ms < it->second.at_ms + kPerQueueMs;
  if (recent || now_ms < next_ms_) {
    due_.Set(queue, std::max(next_ms_, recent ? it->second.at_ms + kPerQueueMs : 0));
    return;
  }
  const auto wanted = ReconcileQueue(*status, *object, loop_.now().wall);
  if (!wanted.has_value()) return;
  next_ms_ = now_ms + kSpacingMs;
  Patch(*object, *wanted);
}

void QueueWriter::Patch(const crds::Queue& queue, const crds::QueueStatus& status) {
  const std::string& name = queue.meta.name;
  sent_[name] = {queue.meta.uid, status, loop_.now().mono.ms};
  ports::Request request;
  request.verb = ports::Verb::kPatch;
  request.resource = {"muster.dev", "v1alpha1", "queues"};
  request.name = name;
  request.subresource = "status";
  request.query = kFieldManager;
  request.content_type = crds::kJsonPatch;
  request.body = crds::EncodeQueueStatus(queue.meta.uid, status);
  send_(std::move(request), [this, name](const Result<ports::Response>& answer) {
    if (AnswerOf(answer) == WriteAnswer::kFailed) {
      due_.SetNotAfter(name, loop_.now().mono.ms + kWriteRetryMs);
    }
  });
}

}  // namespace muster::controllers
