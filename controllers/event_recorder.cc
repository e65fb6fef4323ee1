#include "controllers/event_recorder.h"

#include <algorithm>
#include <utility>

#include "controllers/text.h"
#include "crds/encode.h"

namespace muster::controllers {
namespace {

// In thousandths of a token, so that a bucket fills exactly at any step of the clock.
constexpr std::int64_t kTokenMilli = 1000;
constexpr std::int64_t kBurstMilli = 100 * kTokenMilli;
constexpr std::int64_t kMilliPerMs = 10;  // 10 events a second.

// The numbers of client-go's event broadcaster: a series is closed after 6 minutes without a
// repeat, and while it goes on its count is written every 30 minutes.
constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kSeriesEndMs = 6 * kMinuteMs;
constexpr std::int64_t kSeriesRefreshMs = 30 * kMinuteMs;
constexpr std::int64_t kSweepMs = kMinuteMs;

ports::Resource Events() {
  return {"events.k8s.io", "v1", "events"};
}

}  // namespace

ObjectRef ObjectRef::Pod(const scheduler::Key& key, const scheduler::Uid& uid) {
  return {"v1", "Pod", {key.ns, key.name}, uid};
}

ObjectRef ObjectRef::PodGroup(const scheduler::Key& key, const scheduler::Uid& uid) {
  return {"muster.dev/v1alpha1", "PodGroup", {key.ns, key.name}, uid};
}

EventRecorder::EventRecorder(ports::Loop& loop, Send send, std::string instance,
                             std::function<void()> dropped)
    : loop_(loop),
      send_(std::move(send)),
      instance_(std::move(instance)),
      dropped_(std::move(dropped)),
      tokens_milli_(kBurstMilli),
      filled_ms_(loop.now().mono.ms) {}

void EventRecorder::Emit(const Note& note) {
  const Now now = loop_.now();
  const auto known =
      series_.find({note.regarding, note.warning, note.reason, note.action, note.text});
  if (known != series_.end()) {
    Series& series = known->second;
    ++series.count;
    series.seen_ms = now.mono.ms;
    series.seen_wall_ms = now.wall.ms;
    // The second one makes the event a series; later ones are counted here until the next refresh.
    if (series.count == 2 || now.mono.ms - series.written_ms >= kSeriesRefreshMs) {
      WriteCount(known);
    }
    return;
  }
  if (!TakeToken()) {
    dropped_();
    return;
  }
  Series series;
  series.name = crds::EventName(note.regarding.key.name, loop_.Random());
  series.written_ms = series.seen_ms = now.mono.ms;
  series.seen_wall_ms = now.wall.ms;
  Create(note, series.name);
  series_.emplace(SeriesKey{note.regarding, note.warning, note.reason, note.action, note.text},
                  std::move(series));
  ScheduleSweep();
}

bool EventRecorder::TakeToken() {
  const std::int64_t now_ms = loop_.now().mono.ms;
  // More than the whole bucket need not be counted, however long nothing happened.
  const std::int64_t idle_ms = std::min(now_ms - filled_ms_, kBurstMilli / kMilliPerMs);
  tokens_milli_ = std::min(kBurstMilli, tokens_milli_ + idle_ms * kMilliPerMs);
  filled_ms_ = now_ms;
  if (tokens_milli_ < kTokenMilli) return false;
  tokens_milli_ -= kTokenMilli;
  return true;
}

void EventRecorder::Create(const Note& note, const std::string& name) {
  crds::Event event;
  event.ns = note.regarding.key.ns;
  event.name = name;
  event.regarding = {note.regarding.api_version, note.regarding.kind, note.regarding.key.ns,
                     note.regarding.key.name, note.regarding.uid};
  // The API refuses a note of more than 1,024 bytes.
  event.type = note.warning ? "Warning" : "Normal";
  event.reason = note.reason;
  event.action = note.action;
  event.note = CutText(note.text);
  event.instance = instance_;
  event.time_ms = loop_.now().wall.ms;
  ports::Request request;
  request.verb = ports::Verb::kCreate;
  request.resource = Events();
  request.ns = event.ns;
  request.body = crds::EncodeEvent(event);
  // A refusal is final: 403 says that the namespace is being deleted, and nobody reads it there.
  send_(std::move(request), [](const Result<ports::Response>&) {});
}

void EventRecorder::WriteCount(SeriesMap::iterator it) {
  Series& series = it->second;
  if (!TakeToken()) {
    dropped_();
    return;
  }
  series.written = series.count;
  series.written_ms = loop_.now().mono.ms;
  const auto& [regarding, warning, reason, action, text] = it->first;
  ports::Request request;
  request.verb = ports::Verb::kPatch;
  request.resource = Events();
  request.ns = regarding.key.ns;
  request.name = series.name;
  request.content_type = crds::kStrategicMergePatch;
  request.body = crds::EncodeEventSeries(series.count, series.seen_wall_ms);
  const Note note{regarding, warning, reason, action, text};
  send_(std::move(request),
        [this, note, name = series.name](const Result<ports::Response>& answer) {
          // The API server forgets events after an hour: begin anew.
          constexpr std::int32_t kNotFound = 404;
          if (answer.ok() && answer.value().status == kNotFound) Create(note, name);
        });
}

void EventRecorder::ScheduleSweep() {
  if (sweeping_) return;
  sweeping_ = true;
  loop_.After(kSweepMs, [this] { Sweep(); });
}

void EventRecorder::Sweep() {
  sweeping_ = false;
  const std::int64_t now_ms = loop_.now().mono.ms;
  for (auto it = series_.begin(); it != series_.end();) {
    const auto next = std::next(it);
    // The last count is what a reader finds after the series.
    if (now_ms - it->second.seen_ms >= kSeriesEndMs) {
      if (it->second.written != it->second.count) WriteCount(it);
      series_.erase(it);
    }
    it = next;
  }
  if (!series_.empty()) ScheduleSweep();
}

}  // namespace muster::controllers
