// Events (events.k8s.io/v1) about pods and PodGroups: one bucket for all of them, what does not fit
// is dropped and counted. A repeat within a few minutes becomes a series of the event that exists,
// as client-go's recorder does it. Best effort: no answer is waited for. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "controllers/ports/api.h"
#include "controllers/ports/loop.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

// How this file and status_writer send: ports::Api::Call, or the writer in front of it.
using Send = std::function<void(ports::Request, ports::Api::Done)>;

struct ObjectRef {
  std::string api_version, kind;  // "v1" Pod, "muster.dev/v1alpha1" PodGroup.
  scheduler::Key key;
  scheduler::Uid uid;

  [[nodiscard]] static ObjectRef Pod(const scheduler::Key& key, const scheduler::Uid& uid);
  [[nodiscard]] static ObjectRef PodGroup(const scheduler::Key& key, const scheduler::Uid& uid);
  friend auto operator<=>(const ObjectRef&, const ObjectRef&) = default;
};

class EventRecorder {
 public:
  // `dropped` counts what the bucket does not take.
  EventRecorder(ports::Loop& loop, Send send, std::string instance, std::function<void()> dropped);

  struct Note {
    ObjectRef regarding;
    bool warning = false;
    std::string reason;  // "FailedScheduling"
    std::string action;  // "Scheduling"
    std::string text;    // Cut to 1,024 bytes.
  };
  void Emit(const Note& note);

 private:
  using SeriesKey = std::tuple<ObjectRef, bool, std::string, std::string, std::string>;
  struct Series {
    std::string name;  // Of the event object.
    std::int32_t count = 1;
    std::int32_t written = 1;     // The count that was sent last, at written_ms.
    std::int64_t written_ms = 0;  // Monotonic, as seen_ms.
    std::int64_t seen_ms = 0;
    std::int64_t seen_wall_ms = 0;
  };
  using SeriesMap = std::map<SeriesKey, Series>;

  [[nodiscard]] bool TakeToken();
  void Create(const Note& note, const std::string& name);
  void WriteCount(SeriesMap::iterator it);
  void ScheduleSweep();
  void Sweep();

  ports::Loop& loop_;
  Send send_;
  std::string instance_;
  std::function<void()> dropped_;
  SeriesMap series_;
  std::int64_t tokens_milli_;
  std::int64_t filled_ms_;
  bool sweeping_ = false;
};

}  // namespace muster::controllers
