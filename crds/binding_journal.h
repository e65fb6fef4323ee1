// muster.dev/v1alpha1 BindingJournal: one page of the durable intent. `entries` travels as one
// compact JSON string (bindingjournals.yaml says its form).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crds/meta.h"
#include "scheduler/base/result.h"

namespace muster::crds {

struct JournalEntry {
  struct Pod {
    std::string name, uid, resource_version;
    std::string sub_group{};  // "" = of none.
    friend bool operator==(const Pod&, const Pod&) = default;
  };
  struct Node {
    std::string name, uid;
    std::vector<Pod> pods;
    friend bool operator==(const Node&, const Node&) = default;
  };
  std::uint64_t id = 0;
  bool abandon = false;                   // State Abandon; else Bind.
  std::string why;                        // Reason of an Abandon.
  std::string ns, group_name, group_uid;  // group_* empty for a single pod.
  std::string queue;
  std::vector<std::pair<std::string, std::int64_t>> charges;  // Resource, inner unit.
  std::int32_t min_member = 0;
  std::vector<std::pair<std::string, std::int32_t>> sub_groups{};  // Name, its part of `min`.
  // A gang that no page can hold stands in several parts of one id, each on a page of its own, 1 to
  // `parts`. All but the nodes is in each of them.
  std::int32_t part = 1, parts = 1;
  std::int64_t timeout_seconds = 300;
  std::vector<Node> nodes;
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

struct BindingJournal {
  ObjectMeta meta;
  std::string holder;
  std::int64_t sequence = 0;
  std::vector<JournalEntry> entries;
  friend bool operator==(const BindingJournal&, const BindingJournal&) = default;
};

// The compact JSON of `spec.entries`. Decode refuses an unknown version or a malformed entry with
// the path of the field.
[[nodiscard]] std::string EncodeEntries(const std::vector<JournalEntry>& entries);
[[nodiscard]] Result<std::vector<JournalEntry>> DecodeEntries(std::string_view json);

}  // namespace muster::crds
