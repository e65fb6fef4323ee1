// A CustomResourceDefinition as what the server needs of it: the kind, its schema, its columns.
// What the server could not honour is an error at load, never a silent difference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/json_path.h"
#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/request.h"
#include "e2e/apiserver/schema.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

struct PrinterColumn {
  std::string name, type, format, description;
  std::int64_t priority = 0;
  JsonPath path;
};

struct CrdVersion {
  Schema schema;
  std::vector<PrinterColumn> columns;
  Json open_api;  // openAPIV3Schema, for /openapi/v3.
};

// The served version of a definition. One version per definition.
[[nodiscard]] Result<Kind> KindOfCrd(const Json& definition);

// What the API server makes of a new or changed custom object: prune, default, validate. `old` is
// null for a new one. Unknown fields are refused, warned of or dropped, as `fields` says.
struct CustomWrite {
  const Json* old = nullptr;
  WriteOptions::Fields fields{};
};
[[nodiscard]] Refusal AdmitCustom(const Kind& kind, Json& object, const CustomWrite& write,
                                  std::vector<std::string>& warnings);

}  // namespace muster::e2e
