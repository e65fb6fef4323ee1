#include "scheduler/model/resources.h"

#include "scheduler/base/check.h"

namespace muster::scheduler {

// Row 0 has no name and is in no index: nothing can be looked up as unknown.
ResourceTable::ResourceTable() : names_{""} {
  const ResourceId pods = Intern("pods");
  MUSTER_CHECK(pods == kPodsResource);
}

ResourceId ResourceTable::Intern(std::string_view name) {
  if (const auto found = Find(name)) return *found;
  const auto row = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  index_.Insert(HashText(name), row);
  return ResourceId{row};
}

std::optional<ResourceId> ResourceTable::Find(std::string_view name) const {
  const auto row = index_.Find(HashText(name), [&](std::uint32_t r) { return names_[r] == name; });
  if (!row) return std::nullopt;
  return ResourceId{*row};
}

ResourceId ResourceTable::FindOrUnknown(std::string_view name) const {
  return Find(name).value_or(kUnknownResource);
}

const std::string& ResourceTable::name(ResourceId id) const {
  MUSTER_CHECK(id.value < names_.size());
  return names_[id.value];
}

}  // namespace muster::scheduler
