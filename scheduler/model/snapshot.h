// The cluster as canonical text, and back. Sorted by names and uids, so it does not depend on the
// order in which rows came. Lines that start with "=" are derived: written for comparison and for
// readers, skipped when read.
#pragma once

#include <string>
#include <string_view>

#include "scheduler/base/result.h"
#include "scheduler/model/tables.h"

namespace muster::scheduler {

[[nodiscard]] std::string WriteSnapshot(const Tables& t);
// Into empty tables. A line that does not read is an Error; a text that no cluster has written may
// break a CHECK.
[[nodiscard]] Result<void> ReadSnapshot(Tables& t, std::string_view text);

}  // namespace muster::scheduler
