#include <algorithm>

#include <simdjson.h>

#include "crds/api_status.h"

namespace muster::crds {
namespace {

std::string Text(const simdjson::dom::object& object, std::string_view key) {
  std::string_view text;
  if (object[key].get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

void ReadCauses(const simdjson::dom::object& status, ApiStatus& out) {
  simdjson::dom::array causes;
  if (status["details"]["causes"].get(causes) != simdjson::SUCCESS) return;
  for (const simdjson::dom::element cause : causes) {
    simdjson::dom::object fields;
    if (cause.get(fields) != simdjson::SUCCESS) continue;
    out.causes.push_back({.reason = Text(fields, "reason"), .field = Text(fields, "field")});
  }
}

}  // namespace

bool ApiStatus::HasCause(std::string_view cause_reason) const {
  return std::ranges::any_of(causes,
                             [&](const Cause& cause) { return cause.reason == cause_reason; });
}

bool ApiStatus::HasField(std::string_view field) const {
  return std::ranges::any_of(causes, [&](const Cause& cause) { return cause.field == field; });
}

ApiStatus DecodeApiStatus(std::string_view body) {
  ApiStatus out;
  simdjson::dom::parser parser;
  simdjson::dom::object status;
  if (parser.parse(body).get(status) != simdjson::SUCCESS) return out;
  out.json = true;
  out.reason = Text(status, "reason");
  out.message = Text(status, "message");
  ReadCauses(status, out);
  return out;
}

}  // namespace muster::crds
