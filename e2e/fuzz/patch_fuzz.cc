// Patches never throw, and a merge patch applied twice is applied once (RFC 7386).
#include <string>

#include "e2e/apiserver/patch.h"
#include "e2e/fuzz/fuzz.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

const Json& Pod() {
  static const Json pod =
      *Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},)"
             R"("spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"key":"k"}]},)"
             R"("status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  return pod;
}

}  // namespace
}  // namespace muster::e2e

int muster::e2e::FuzzPatch(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const std::string text(e2e::TextOf(data, size));
  e2e::HttpRequest request;
  request.method = "PATCH";
  request.path = "/api/v1/namespaces/default/pods/p";
  request.body = text;
  for (const char* type : {"application/json-patch+json", "application/strategic-merge-patch+json",
                           "application/merge-patch+json"}) {
    request.content_type = type;
    auto once = e2e::ApplyPatch(e2e::Pod(), request);
    if (!once.ok()) {
      MUSTER_CHECK(once.error().code >= 400 && !once.error().message.empty());
      continue;
    }
    if (std::string_view(type) != "application/merge-patch+json") continue;
    if (e2e::Planted()) once.value()["metadata"]["labels"].erase("a");
    auto twice = e2e::ApplyPatch(once.value(), request);
    MUSTER_CHECK(twice.ok());
    if (e2e::Planted()) twice.value()["metadata"]["labels"]["a"] = "b";
    MUSTER_CHECK(twice.value() == once.value());
  }
  return 0;
}
