// JSON trees of the encoders. Pure functions, from any thread.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace muster::crds {

// Keeps the order in which keys are set, so that a body reads like the API's own examples.
using Json = nlohmann::ordered_json;

// Compact; bytes that are no UTF-8 become U+FFFD.
inline std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// An empty string would be a precondition of its own to the API server, or a value.
inline void SetIfNotEmpty(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

}  // namespace muster::crds
