// What the API server's watches of pods and nodes showed, with the time at which it was seen: the
// ground of everything the demo says about order and duration. From any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

struct Seen {
  std::int64_t at_ms = 0;
  std::string kind;  // Pod | Node.
  std::string type;  // ADDED | MODIFIED | DELETED.
  std::string name, uid, node, phase;
  std::string group;  // The pod's gang, "" without.
};

// A stretch of time without a pod event during which a gang had some of its members bound only.
struct Rest {
  std::string gang;
  std::int64_t bound = 0, members = 0, ms = 0;
};

class Timeline {
 public:
  void Add(const std::string& kind, const Json& frame, std::int64_t at_ms);

  [[nodiscard]] std::vector<Seen> events() const;
  [[nodiscard]] std::int64_t pod_events() const;
  // First time at which the pod was seen at all, with a node, with the phase.
  [[nodiscard]] std::optional<std::int64_t> PodMade(const std::string& name) const;
  [[nodiscard]] std::optional<std::int64_t> PodBound(const std::string& name) const;
  [[nodiscard]] std::optional<std::int64_t> PodReached(const std::string& name,
                                                       const std::string& phase) const;
  [[nodiscard]] std::optional<std::int64_t> NodeMade(const std::string& name) const;
  // Pods of the gang that were deleted.
  [[nodiscard]] std::int64_t Deleted(const std::string& gang) const;

  // A gang has some, and not all, of its members bound now.
  [[nodiscard]] bool HalfBound() const;
  // Rests of `rest_ms` or more up to `now_ms`, but for those that touch a time in [from, to].
  struct Window {
    std::int64_t from = 0, to = 0;
  };
  [[nodiscard]] std::vector<Rest> Rests(std::int64_t rest_ms, std::int64_t now_ms,
                                        const Window& except) const;

 private:
  template <class Match>
  [[nodiscard]] std::optional<std::int64_t> First(const Match& match) const;

  mutable std::mutex mutex_;
  std::vector<Seen> events_;
};

}  // namespace muster::e2e
