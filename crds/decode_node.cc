#include "crds/decode.h"
#include "crds/decode_resources.h"
#include "crds/json_fields.h"

namespace muster::crds {
namespace {

constexpr std::array kTaintFields = {
    Field<&Taint::key>("key"),
    Field<&Taint::value>("value"),
    Field<&Taint::effect>("effect"),
};
constexpr std::array kNodeSpecFields = {
    Field<&Node::unschedulable>("unschedulable"),
    ListField<&Node::taints, kTaintFields>("taints"),
};

// A node that says nothing of itself is not ready; Unknown (no heartbeat) is not either.
bool ReadReady(JsonReader& reader, JsonValue& value, Node& out) {
  return reader.Array(value, [&](JsonValue& element) {
    Condition condition;
    if (!reader.Object<Condition>(element, condition, kConditionFields)) return false;
    if (condition.type == "Ready") out.ready = condition.status == "True";
    return true;
  });
}

constexpr std::array kNodeImageFields = {
    Field<&NodeImage::names>("names"),
    Field<&NodeImage::size_bytes>("sizeBytes"),
};
constexpr std::array kNodeStatusFields = {
    // Not capacity: the kubelet keeps a part of that for itself.
    JsonField<Node>{"allocatable",
                    [](JsonReader& reader, JsonValue& value, Node& out) {
                      return ReadResourceList(reader, value, out.allocatable);
                    }},
    JsonField<Node>{"conditions", &ReadReady, &ListInArray<kConditionFields>},
    ListField<&Node::images, kNodeImageFields>("images"),
};
constexpr std::array kNodeFields = {
    ObjectField<&Node::meta, kMetaFields>("metadata"),
    InnerField<kNodeSpecFields>("spec"),
    InnerField<kNodeStatusFields>("status"),
};

}  // namespace

Result<Node> DecodeNode(std::string_view json) {
  return DecodeBy<kNodeFields>(json);
}

std::vector<std::string> NodePaths() {
  return FieldPaths<kNodeFields>();
}

}  // namespace muster::crds
