#include "e2e/apiserver/patch.h"

#include <string>
#include <utility>

#include "e2e/apiserver/strategic.h"

namespace muster::e2e {
namespace {

constexpr std::size_t kMaxOperations = 10'000;

constexpr std::string_view kJson = "application/json-patch+json";
constexpr std::string_view kMerge = "application/merge-patch+json";
constexpr std::string_view kStrategic = "application/strategic-merge-patch+json";

std::string PatchType(const HttpRequest& request) {
  return request.content_type.substr(0, request.content_type.find(';'));
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

Refusal CheckPatchType(const Kind& kind, const HttpRequest& request) {
  const std::string type = PatchType(request);
  if (type == kJson || type == kMerge || (type == kStrategic && !kind.custom())) {
    return std::nullopt;
  }
  std::string text = type.starts_with("application/apply-patch")
                         ? "this server does not apply on the server's side"
                         : "the body of the request was in an unknown format";
  text.append(" - accepted media types include: ").append(kJson).append(", ").append(kMerge);
  if (!kind.custom()) text.append(", ").append(kStrategic);
  return UnsupportedMediaType(std::move(text));
}

Outcome<Json> ApplyPatch(const Json& object, const HttpRequest& request) {
  const std::string type = PatchType(request);
  std::optional<Json> patch = Parse(request.body);
  if (!patch) return BadRequest("the body of the request is not JSON");
  if (type == kJson) {
    auto patched = JsonPatch(object, *patch);
    if (patched.ok() && !patched.value().is_object()) return Unprocessable();
    return patched;
  }
  if (!patch->is_object()) return BadRequest("the patch is not a JSON object");
  Json result = object;
  if (type == kMerge) {
    result.merge_patch(*patch);
    return result;
  }
  if (std::string error = StrategicMerge(result, *patch); !error.empty()) {
    return BadRequest(std::move(error));
  }
  return result;
}

}  // namespace muster::e2e
