// Recomputes everything derived from pods, nodes and entries, by scans that share no code with the
// incremental updates, and compares.
#pragma once

#include <string>

#include "scheduler/model/tables.h"

namespace muster::scheduler {

// Empty, or the first difference.
[[nodiscard]] std::string AuditTables(const Tables& t);

}  // namespace muster::scheduler
