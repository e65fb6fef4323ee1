#include "crds/decode.h"
#include "crds/json_fields.h"

namespace muster::crds {
namespace {

constexpr std::array kNamespaceFields = {
    ObjectField<&Namespace::meta, kMetaFields>("metadata"),
};
constexpr std::array kPriorityClassFields = {
    ObjectField<&PriorityClass::meta, kMetaFields>("metadata"),
    Field<&PriorityClass::value>("value"),
};

// metav1.Status. details is part of it as far as we care: its fields fill the same struct.
constexpr std::array kCauseFields = {
    Field<&ApiStatus::Cause::reason>("reason"),
    Field<&ApiStatus::Cause::message>("message"),
    Field<&ApiStatus::Cause::field>("field"),
};
constexpr std::array kDetailsFields = {
    Field<&ApiStatus::name>("name"),
    Field<&ApiStatus::kind>("kind"),
    Field<&ApiStatus::uid>("uid"),
    ListField<&ApiStatus::causes, kCauseFields>("causes"),
    Field<&ApiStatus::retry_after_seconds>("retryAfterSeconds"),
};
constexpr std::array kCoreStatusFields = {
    // "Status" tells the answer of the API server from what a proxy in between may say.
    JsonField<ApiStatus>{"kind",
                         [](JsonReader& reader, JsonValue& value, ApiStatus&) {
                           std::string kind;
                           if (!reader.Read(value, kind)) return false;
                           return kind == "Status" || reader.Expected("\"Status\"");
                         }},
    Field<&ApiStatus::status>("status"),
    Field<&ApiStatus::message>("message"),
    Field<&ApiStatus::reason>("reason"),
    Field<&ApiStatus::code>("code"),
    InnerField<kDetailsFields>("details"),
};

}  // namespace

Result<Namespace> DecodeNamespace(std::string_view json) {
  return DecodeBy<kNamespaceFields>(json);
}

Result<PriorityClass> DecodePriorityClass(std::string_view json) {
  return DecodeBy<kPriorityClassFields>(json);
}

Result<ObjectMeta> DecodeMeta(std::string_view json) {
  // A Namespace is nothing but its metadata.
  MUSTER_ASSIGN(Namespace object, DecodeNamespace(json));
  return std::move(object.meta);
}

Result<ApiStatus> DecodeStatus(std::string_view json) {
  return DecodeBy<kCoreStatusFields>(json);
}

}  // namespace muster::crds
