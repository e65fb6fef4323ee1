#include "e2e/apiserver/patch.h"

#include <string>
#include <utility>

#include "e2e/apiserver/strategic.h"

namespace muster::e2e {
namespace {

constexpr std::size_t kMaxOperations = 10'000;

ApiError UnknownFormat(const Kind& kind) {
  std::string types = "application/json-patch+json, application/merge-patch+json";
  if (!kind.custom()) types += ", application/strategic-merge-patch+json";
  return UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " + types);
}

ApiError Unprocessable() {
  return Plain(422, "Invalid", "the server rejected our request due to an error in our request");
}

Outcome<Json> JsonPatch(const Json& object, const Json& patch) {
  if (!patch.is_array()) {
    return BadRequest("json: cannot unmarshal the body into Go value of type jsonpatch.Patch");
  }
  if (patch.size() > kMaxOperations) {
    return Plain(413, "RequestEntityTooLarge",
                 "Request entity too large: The allowed maximum operations in a JSON patch is "
                 "10000, got " +
                     std::to_string(patch.size()));
  }
  try {
    return object.patch(patch);
  } catch (const Json::exception&) {
    return Unprocessable();  // A failed test, a path that is not there, an unknown operation.
  }
}

}  // namespace

Outcome<Json> ApplyPatch(const Kind& kind, const Json& object, const HttpRequest& request) {
  const std::string type = request.content_type.substr(0, request.content_type.find(';'));
  const bool json = type == "application/json-patch+json";
  const bool merge = type == "application/merge-patch+json";
  const bool strategic = type == "application/strategic-merge-patch+json" && !kind.custom();
  if (!json && !merge && !strategic) return UnknownFormat(kind);
  std::optional<Json> patch = Parse(request.body);
  if (!patch) return BadRequest("the body of the request is not JSON");
  if (json) {
    auto patched = JsonPatch(object, *patch);
    if (patched.ok() && !patched.value().is_object()) return Unprocessable();
    return patched;
  }
  if (!patch->is_object()) return BadRequest("the patch is not a JSON object");
  Json result = object;
  if (merge) {
    result.merge_patch(*patch);
    return result;
  }
  if (std::string error = StrategicMerge(result, *patch); !error.empty()) {
    return BadRequest(std::move(error));
  }
  return result;
}

}  // namespace muster::e2e
