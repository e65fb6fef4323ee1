#include "e2e/apiserver/quantities.h"

#include <string>
#include <vector>

#include "crds/quantity.h"
#include "scheduler/base/units.h"

namespace muster::e2e {
namespace {

Json* FieldOf(Json& object, const char* field) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(field);
  return found == object.end() ? nullptr : &*found;
}

Refusal TakeList(Json* list) {
  if (list == nullptr || list->is_null()) return std::nullopt;
  if (!list->is_object()) return BadRequest("a list of resources is not an object");
  for (Json& value : *list) {
    if (value.is_number()) value = Dump(value);
    if (value.is_string() &&
        crds::ParseQuantity(value.get_ref<const std::string&>(), Unit::kWhole).ok()) {
      continue;
    }
    return BadRequest(
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  return std::nullopt;
}

Refusal TakeResources(Json* resources) {
  if (resources == nullptr) return std::nullopt;
  for (const char* field : {"requests", "limits"}) {
    if (Refusal refusal = TakeList(FieldOf(*resources, field))) return refusal;
  }
  return std::nullopt;
}

}  // namespace

Refusal TakePodQuantities(Json& pod) {
  Json* spec = FieldOf(pod, "spec");
  if (spec == nullptr) return std::nullopt;
  if (Refusal refusal = TakeList(FieldOf(*spec, "overhead"))) return refusal;
  if (Refusal refusal = TakeResources(FieldOf(*spec, "resources"))) return refusal;
  for (const char* field : {"containers", "initContainers"}) {
    Json* containers = FieldOf(*spec, field);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : *containers) {
      if (Refusal refusal = TakeResources(FieldOf(container, "resources"))) return refusal;
    }
  }
  return std::nullopt;
}

Refusal TakeNodeQuantities(Json& node) {
  Json* status = FieldOf(node, "status");
  if (status == nullptr) return std::nullopt;
  for (const char* field : {"capacity", "allocatable"}) {
    if (Refusal refusal = TakeList(FieldOf(*status, field))) return refusal;
  }
  return std::nullopt;
}

}  // namespace muster::e2e
