#include "e2e/apiserver/event_view.h"

#include <array>
#include <utility>

namespace muster::e2e {
namespace {

struct FieldPair {
  const char* core = "";
  const char* newer = "";
};
// Fields with the same name in both APIs are not listed: they stay as they are.
constexpr std::array<FieldPair, 7> kPairs = {{{"involvedObject", "regarding"},
                                              {"message", "note"},
                                              {"reportingComponent", "reportingController"},
                                              {"source", "deprecatedSource"},
                                              {"firstTimestamp", "deprecatedFirstTimestamp"},
                                              {"lastTimestamp", "deprecatedLastTimestamp"},
                                              {"count", "deprecatedCount"}}};

void Rename(Json& object, const char* from, const char* to) {
  const auto found = object.find(from);
  if (found == object.end()) return;
  Json value = std::move(*found);
  object.erase(found);
  object[to] = std::move(value);
}

}  // namespace

bool HasOwnView(const Kind& kind) {
  return kind.builtin == Builtin::kEvent && !kind.group.empty();
}

Json ToView(const Kind& kind, const Json& stored) {
  Json shown = stored;
  if (!HasOwnView(kind)) return shown;
  for (const FieldPair& pair : kPairs) Rename(shown, pair.core, pair.newer);
  shown["apiVersion"] = kind.api_version();
  return shown;
}

Json FromView(const Kind& kind, Json shown) {
  if (!HasOwnView(kind)) return shown;
  for (const FieldPair& pair : kPairs) Rename(shown, pair.newer, pair.core);
  shown["apiVersion"] = "v1";
  return shown;
}

std::string TextOf(const Kind& kind, const Version& version) {
  return HasOwnView(kind) ? Dump(ToView(kind, version.object)) : version.text;
}

}  // namespace muster::e2e
