#include "e2e/demo/timeline.h"

#include <algorithm>

namespace muster::e2e {
namespace {

struct Gang {
  std::map<std::string, bool> bound;  // By the pod's name: its live members.
  [[nodiscard]] std::int64_t Bound() const {
    return std::count_if(bound.begin(), bound.end(), [](const auto& pod) { return pod.second; });
  }
};

void Follow(const Seen& event, std::map<std::string, Gang>& gangs) {
  if (event.group.empty()) return;
  Gang& gang = gangs[event.group];
  if (event.type == "DELETED") {
    gang.bound.erase(event.name);
  } else {
    gang.bound[event.name] = !event.node.empty();
  }
}

void AddRests(const std::map<std::string, Gang>& gangs, std::int64_t ms, std::vector<Rest>& rests) {
  for (const auto& [name, gang] : gangs) {
    const auto members = static_cast<std::int64_t>(gang.bound.size());
    const std::int64_t bound = gang.Bound();
    if (bound == 0 || bound == members) continue;
    rests.push_back({.gang = name, .bound = bound, .members = members, .ms = ms});
  }
}

}  // namespace

void Timeline::Add(const std::string& kind, const Json& frame, std::int64_t at_ms) {
  const std::string& type = StringAt(frame, {"type"});
  if (type != "ADDED" && type != "MODIFIED" && type != "DELETED") return;
  Seen seen{.at_ms = at_ms,
            .kind = kind,
            .type = type,
            .name = StringAt(frame, {"object", "metadata", "name"}),
            .uid = StringAt(frame, {"object", "metadata", "uid"}),
            .node = StringAt(frame, {"object", "spec", "nodeName"}),
            .phase = StringAt(frame, {"object", "status", "phase"}),
            .group = StringAt(frame, {"object", "metadata", "labels", "muster.dev/pod-group"})};
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(seen));
}

std::vector<Seen> Timeline::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

std::int64_t Timeline::pod_events() const {
  const std::vector<Seen> all = events();
  return std::count_if(all.begin(), all.end(), [](const Seen& e) { return e.kind == "Pod"; });
}

template <class Match>
std::optional<std::int64_t> Timeline::First(const Match& match) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(events_.begin(), events_.end(), match);
  if (found == events_.end()) return std::nullopt;
  return found->at_ms;
}

std::optional<std::int64_t> Timeline::PodMade(const std::string& name) const {
  return First([&](const Seen& e) { return e.kind == "Pod" && e.name == name; });
}

std::optional<std::int64_t> Timeline::PodBound(const std::string& name) const {
  return First([&](const Seen& e) { return e.kind == "Pod" && e.name == name && !e.node.empty(); });
}

std::optional<std::int64_t> Timeline::PodReached(const std::string& name,
                                                 const std::string& phase) const {
  return First(
      [&](const Seen& e) { return e.kind == "Pod" && e.name == name && e.phase == phase; });
}

std::optional<std::int64_t> Timeline::NodeMade(const std::string& name) const {
  return First([&](const Seen& e) { return e.kind == "Node" && e.name == name; });
}

std::int64_t Timeline::Deleted(const std::string& gang) const {
  const std::vector<Seen> all = events();
  return std::count_if(all.begin(), all.end(), [&](const Seen& e) {
    return e.kind == "Pod" && e.group == gang && e.type == "DELETED";
  });
}

bool Timeline::HalfBound() const {
  std::map<std::string, Gang> gangs;
  for (const Seen& event : events()) {
    if (event.kind == "Pod") Follow(event, gangs);
  }
  std::vector<Rest> halves;
  AddRests(gangs, 0, halves);
  return !halves.empty();
}

std::vector<Rest> Timeline::Rests(std::int64_t rest_ms, std::int64_t now_ms,
                                  const Window& except) const {
  std::vector<Rest> rests;
  std::map<std::string, Gang> gangs;
  std::optional<std::int64_t> last_ms;
  const auto look = [&](std::int64_t until_ms) {
    const std::int64_t from_ms = last_ms.value_or(until_ms);
    const bool excepted = from_ms <= except.to && until_ms >= except.from;
    if (until_ms - from_ms >= rest_ms && !excepted) AddRests(gangs, until_ms - from_ms, rests);
  };
  for (const Seen& event : events()) {
    if (event.kind != "Pod") continue;
    look(event.at_ms);
    last_ms = event.at_ms;
    Follow(event, gangs);
  }
  look(now_ms);
  return rests;
}

}  // namespace muster::e2e
