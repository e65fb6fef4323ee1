// The columns of `kubectl get`, by kind: those of k8s.io/kubernetes/pkg/printers/internalversion
// for built-in kinds, additionalPrinterColumns for custom ones. The server writes the cells, ages
// included; kubectl only lays them out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/kinds.h"

namespace muster::e2e {

struct ColumnDefinition {
  std::string name, type, format, description;
  std::int64_t priority = 0;  // Above 0: with -o wide only.
};

[[nodiscard]] std::vector<ColumnDefinition> ColumnsOf(const Kind& kind);
// One cell per column, in order. `object` is in the stored form.
[[nodiscard]] Json CellsOf(const Kind& kind, const Json& object, std::int64_t now_ms);

}  // namespace muster::e2e
