#include "crds/json_fields.h"
#include "crds/list.h"

namespace muster::crds {
namespace {

constexpr std::array kListMetaFields = {
    Field<&ListPage::resource_version>("resourceVersion"),
    Field<&ListPage::continue_token>("continue"),
};
// An item is found by its brackets and looked into only when it is decoded by itself: an item that
// does not decode leaves the others readable.
constexpr std::array kListFields = {
    InnerField<kListMetaFields>("metadata"),
    JsonField<ListPage>{"items",
                        [](JsonReader& reader, JsonValue& value, ListPage& out) {
                          out.items.clear();
                          return reader.Array(value, [&](JsonValue& item) {
                            return reader.Raw(item, out.items.emplace_back());
                          });
                        }},
};
constexpr std::array kFrameFields = {
    Field<&WatchFrame::type>("type"),
    JsonField<WatchFrame>{"object", [](JsonReader& reader, JsonValue& value,
                                       WatchFrame& out) { return reader.Raw(value, out.object); }},
};

}  // namespace

Result<ListPage> SplitList(std::string_view body) {
  MUSTER_ASSIGN(ListPage page, DecodeBy<kListFields>(body, Form::kEnvelope));
  if (page.resource_version.empty()) {
    return Error{Code::kInvalidArgument, "metadata.resourceVersion: missing"};
  }
  return page;
}

Result<WatchFrame> SplitFrame(std::string_view line) {
  MUSTER_ASSIGN(WatchFrame frame, DecodeBy<kFrameFields>(line, Form::kEnvelope));
  if (frame.type.empty()) return Error{Code::kInvalidArgument, "type: missing"};
  if (frame.object.empty()) return Error{Code::kInvalidArgument, "object: missing"};
  return frame;
}

}  // namespace muster::crds
