// muster.dev/v1alpha1 Queue: spec and the status that Muster writes. The fields are documented in
// queues.yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crds/meta.h"
#include "crds/pod.h"

namespace muster::crds {

struct LabelSelector {
  StringMap match_labels;
  std::vector<SelectorRequirement> match_expressions;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

struct QueueResource {
  std::string name;
  std::string nominal_quota = "0";             // As written; its value may not fit (Misconfigured).
  std::optional<std::string> borrowing_limit;  // As written.
  friend bool operator==(const QueueResource&, const QueueResource&) = default;
};

struct QueueResourceStatus {
  std::string name, nominal, used;  // Quantities.
  friend bool operator==(const QueueResourceStatus&, const QueueResourceStatus&) = default;
};

struct QueueStatus {
  std::vector<Condition> conditions;  // Sorted by type.
  std::int32_t pending_gangs = 0, admitted_gangs = 0;
  std::vector<QueueResourceStatus> resources;
  std::string usage_summary;
  std::int64_t observed_generation = 0;
  std::optional<std::int64_t> last_update_ms;
  friend bool operator==(const QueueStatus&, const QueueStatus&) = default;
};

struct Queue {
  ObjectMeta meta;
  std::vector<QueueResource> resources;
  std::optional<LabelSelector> namespace_selector;
  std::string stop_policy = "None";  // None | Hold.
  std::optional<QueueStatus> status;
  friend bool operator==(const Queue&, const Queue&) = default;
};

}  // namespace muster::crds
