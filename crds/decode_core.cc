#include <algorithm>
#include <utility>

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

Error Unusable(std::string_view field, std::string_view what) {
  std::string text = "metadata.";
  text.append(field).append(": ").append(what);
  return {Code::kInvalidArgument, std::move(text)};
}

}  // namespace

Result<Namespace> DecodeNamespace(std::string_view json) {
  return DecodeBy<kNamespaceFields>(json);
}

Result<PriorityClass> DecodePriorityClass(std::string_view json) {
  return DecodeBy<kPriorityClassFields>(json);
}

Result<ObjectMeta> DecodeMeta(std::string_view json) {
  // A Namespace is nothing but its metadata.
  MUSTER_ASSIGN(Namespace object, DecodeBy<kNamespaceFields>(json, Form::kEnvelope));
  return std::move(object.meta);
}

// Every name that Kubernetes takes for the kinds of this program is made of these.
bool IsName(std::string_view text) {
  constexpr std::size_t kLongest = 253;
  return !text.empty() && text.size() <= kLongest && text != "." && text != ".." &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '.' || c == '_' || c == ':';
         });
}

Result<void> CheckMeta(const ObjectMeta& meta) {
  if (meta.name.empty()) return Unusable("name", "missing");
  if (!IsName(meta.name)) return Unusable("name", "expected a name");
  if (!meta.ns.empty() && !IsName(meta.ns)) return Unusable("namespace", "expected a name");
  if (meta.uid.empty()) return Unusable("uid", "missing");
  if (meta.resource_version.empty()) return Unusable("resourceVersion", "missing");
  return {};
}

Result<ApiStatus> DecodeStatus(std::string_view json) {
  return DecodeBy<kCoreStatusFields>(json);
}

}  // namespace muster::crds
