#include "e2e/apiserver/patch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "e2e/apiserver/request.h"
#include "e2e/apiserver/strategic.h"

namespace muster::e2e {
namespace {

constexpr std::size_t kMaxOperations = 10'000;
// jsonpatch.AccumulatedCopySizeLimit, as kube-apiserver sets it.
constexpr std::size_t kMaxCopiedBytes = std::size_t{3} << 20U;

constexpr std::string_view kJson = "application/json-patch+json";
constexpr std::string_view kMerge = "application/merge-patch+json";
constexpr std::string_view kStrategic = "application/strategic-merge-patch+json";

std::string PatchType(const HttpRequest& request) {
  return request.content_type.substr(0, request.content_type.find(';'));
}

ApiError Unprocessable() {
  return Plain(422, "Invalid", "the server rejected our request due to an error in our request");
}

// What the operation puts at its path, or nullptr.
const Json* Brought(const Json& object, const Json& operation) {
  const std::string& verb = StringAt(operation, {"op"});
  if (verb != "copy" && verb != "move") return Find(operation, {"value"});
  return &object.at(Json::json_pointer(StringAt(operation, {"from"})));
}

// Each operation may put one part of the object into another, so a short patch could make an object
// of any depth and size.
bool Outgrows(const Json& object, const Json& operation, std::size_t& copied_bytes) {
  const Json* brought = Brought(object, operation);
  if (brought == nullptr) return false;
  const auto levels = std::ranges::count(StringAt(operation, {"path"}), '/');
  if (levels + DepthOf(*brought) > kMaxObjectDepth) return true;
  if (StringAt(operation, {"op"}) == "copy") copied_bytes += Dump(*brought).size();
  return copied_bytes > kMaxCopiedBytes;
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
    Json result = object;
    std::size_t copied_bytes = 0;
    for (const Json& operation : patch) {
      if (Outgrows(result, operation, copied_bytes)) return Unprocessable();
      result.patch_inplace(Json::array({operation}));
    }
    return result;
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
  if (Refusal refusal = CheckBodySize(request)) return *std::move(refusal);
  std::optional<Json> patch = ParseSent(request.body);
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
