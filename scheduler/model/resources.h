// Interned resource names: the row width of nodes and queues. Only nodes and queues intern, so that
// no pod can widen every row; a name that neither knows maps to kUnknownResource, of which every
// node has 0 and which is never counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/row_index.h"

namespace muster::scheduler {

inline constexpr ResourceId kUnknownResource{0};
inline constexpr ResourceId kPodsResource{1};  // "pods": each pod takes one.

class ResourceTable {
 public:
  ResourceTable();

  ResourceId Intern(std::string_view name);
  [[nodiscard]] std::optional<ResourceId> Find(std::string_view name) const;
  [[nodiscard]] ResourceId FindOrUnknown(std::string_view name) const;
  [[nodiscard]] const std::string& name(ResourceId id) const;
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }

 private:
  std::vector<std::string> names_;
  RowIndex index_;
};

}  // namespace muster::scheduler
