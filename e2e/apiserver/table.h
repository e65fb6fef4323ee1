// meta.k8s.io/v1 Table: what kubectl asks for instead of objects when it prints a list or follows a
// watch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/list.h"

namespace muster::e2e {

struct TableOptions {
  std::int64_t now_ms = 0;     // For ages.
  std::string include_object;  // None, Metadata (also ""), Object.
};
[[nodiscard]] std::string TableText(const Kind& kind, const Page& page,
                                    const TableOptions& options);

}  // namespace muster::e2e
