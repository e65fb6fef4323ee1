// core/v1 Pod, the fields that Muster reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crds/meta.h"

namespace muster::crds {

// By resource name, sorted; inner units (milli for cpu and devices, else whole), clipped to
// [0, 2^56).
using ResourceList = std::vector<std::pair<std::string, std::int64_t>>;

struct Container {
  std::string name;
  std::string image{};          // As it is written.
  ResourceList requests;        // A missing request takes the limit of the same name.
  bool restart_always = false;  // On an init container: a sidecar.
  friend bool operator==(const Container&, const Container&) = default;
};

struct Toleration {
  std::string key, op, value, effect;  // op "" = Equal; effect "" = all.
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

struct SelectorRequirement {
  std::string key, op;  // In NotIn Exists DoesNotExist Gt Lt.
  std::vector<std::string> values;
  friend bool operator==(const SelectorRequirement&, const SelectorRequirement&) = default;
};

struct NodeSelectorTerm {
  std::vector<SelectorRequirement> expressions, fields;
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

// A term that a node had better match, from 1 to 100.
struct PreferredTerm {
  std::int64_t weight = 0;
  NodeSelectorTerm term;
  friend bool operator==(const PreferredTerm&, const PreferredTerm&) = default;
};

// What status says of a container's resources (in-place resize), init containers included. It
// counts for bound pods only.
struct ContainerResources {
  std::string name;
  ResourceList allocated, actual;
  friend bool operator==(const ContainerResources&, const ContainerResources&) = default;
};

struct Pod {
  ObjectMeta meta;
  std::string scheduler_name, node_name, priority_class_name;
  std::int32_t priority = 0;
  std::vector<Container> containers, init_containers;
  ResourceList overhead;
  std::optional<ResourceList> pod_requests;  // spec.resources.requests: cpu, memory, hugepages.
  StringMap node_selector;
  std::optional<std::vector<NodeSelectorTerm>> required_affinity;
  std::vector<PreferredTerm> preferred_affinity;
  std::vector<Toleration> tolerations;
  std::int32_t scheduling_gates = 0;  // How many.
  std::int64_t grace_seconds = 30;    // terminationGracePeriodSeconds.

  std::string phase;  // Pending Running Succeeded Failed Unknown.
  std::vector<Condition> conditions;
  std::vector<ContainerResources> container_statuses;  // Of those that state their resources.
  ResourceList pod_allocated, pod_actual;              // The same of pod_requests.
  bool resize_infeasible = false;  // PodResizePending, reason Infeasible: spec is not counted.
  friend bool operator==(const Pod&, const Pod&) = default;
};

}  // namespace muster::crds
