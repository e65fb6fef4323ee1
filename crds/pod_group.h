// muster.dev/v1alpha1 PodGroup: spec and the status that Muster writes. The fields are documented
// in podgroups.yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crds/meta.h"

namespace muster::crds {

struct PodGroupAdmission {
  struct Charge {
    std::string resource;
    std::int64_t amount = 0;  // Inner unit.
    friend bool operator==(const Charge&, const Charge&) = default;
  };
  std::string queue;
  std::int64_t time_ms = 0;
  std::vector<Charge> charges;
  friend bool operator==(const PodGroupAdmission&, const PodGroupAdmission&) = default;
};

struct PodGroupMembers {
  std::int32_t total = 0, bound = 0, running = 0, succeeded = 0, failed = 0;
  friend bool operator==(const PodGroupMembers&, const PodGroupMembers&) = default;
};

struct PodGroupStatus {
  std::string phase, reason, message, queue, summary;
  std::int32_t priority = 0, attempts = 0;
  std::optional<PodGroupAdmission> admission;
  PodGroupMembers members;
  std::optional<std::int64_t> start_ms, completion_ms;
  std::vector<Condition> conditions;  // Sorted by type.
  std::int64_t observed_generation = 0;
  friend bool operator==(const PodGroupStatus&, const PodGroupStatus&) = default;
};

struct PodGroup {
  struct SubGroup {
    std::string name;
    std::int32_t min_member = 1;
    friend bool operator==(const SubGroup&, const SubGroup&) = default;
  };
  struct Topology {
    std::string required, preferred;  // Levels; "" = unset.
    friend bool operator==(const Topology&, const Topology&) = default;
  };
  ObjectMeta meta;
  std::string queue;  // "" = unset.
  std::int32_t min_member = 1;
  std::vector<SubGroup> sub_groups;  // As declared.
  Topology topology;
  std::string priority_class_name;
  std::int32_t schedule_timeout_seconds = 300;
  std::optional<PodGroupStatus> status;
  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

}  // namespace muster::crds
