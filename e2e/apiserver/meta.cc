#include "e2e/apiserver/meta.h"

#include <algorithm>
#include <array>
#include <utility>

#include "e2e/apiserver/field_types.h"

namespace muster::e2e {
namespace {

constexpr std::string_view kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

bool LowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool ValidName(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  char before = '.';
  for (const char c : name) {
    if (!LowerOrDigit(c) && c != '-' && c != '.') return false;
    if (c != '-' && !LowerOrDigit(c) && !LowerOrDigit(before)) return false;
    if (c == '-' && before == '.') return false;
    before = c;
  }
  return LowerOrDigit(before);
}

// Fields of metadata that only the server writes.
constexpr std::array kServerFields = {
    "uid",  "creationTimestamp",          "namespace",  "deletionTimestamp",
    "name", "deletionGracePeriodSeconds", "generation", "generateName"};

void CopyField(const Json& from, Json& to, const char* field) {
  const auto found = from.find(field);
  if (found == from.end()) {
    to.erase(field);
  } else {
    to[field] = *found;
  }
}

Refusal CheckName(Backend& backend, const Target& target, Json& object) {
  Json& meta = object["metadata"];
  const std::string prefix = StringAt(meta, {"generateName"});
  std::string name = StringAt(meta, {"name"});
  if (name.empty() && !prefix.empty()) {
    name = prefix + backend.NewSuffix();
    while (backend.Find(*target.kind, target.ns, name) != nullptr) {
      name = prefix + backend.NewSuffix();
    }
    meta["name"] = name;
  }
  if (name.empty()) {
    return Invalid(*target.kind, "",
                   {RequiredValue("metadata.name", "name or generateName is required")});
  }
  if (!ValidName(name)) {
    return Invalid(*target.kind, name,
                   {InvalidValue("metadata.name", name, std::string(kSubdomain))});
  }
  return std::nullopt;
}

}  // namespace

Refusal CheckTexts(const Json& meta) {
  for (const char* field : {"labels", "annotations"}) {
    const Json* map = Find(meta, {field});
    if (map == nullptr) continue;
    const bool texts =
        map->is_object() && std::ranges::all_of(*map, [](const Json& v) { return v.is_string(); });
    if (!texts) {
      return BadRequest(std::string("json: cannot unmarshal a value of ObjectMeta.metadata.") +
                        field + " into Go type string");
    }
  }
  return std::nullopt;
}

// TotalAnnotationSizeLimitB of k8s.io/apimachinery/pkg/api/validation.
Refusal CheckAnnotationsSize(const Kind& kind, const Json& object) {
  constexpr std::size_t kMost = std::size_t{256} << 10U;
  const Json* annotations = Find(object, {"metadata", "annotations"});
  if (annotations == nullptr) return std::nullopt;
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations->items()) {
    bytes += key.size() + value.get_ref<const std::string&>().size();
  }
  if (bytes <= kMost) return std::nullopt;
  return Invalid(kind, StringAt(object, {"metadata", "name"}),
                 {{"metadata.annotations", "FieldValueTooLong",
                   "Too long: may not be more than " + std::to_string(kMost) + " bytes"}});
}

Refusal CheckType(const Kind& kind, Json& object) {
  const std::string& version = StringAt(object, {"apiVersion"});
  const std::string& name = StringAt(object, {"kind"});
  if (kind.custom() && name.empty()) {
    return BadRequest("Object 'Kind' is missing in '" + Dump(object).substr(0, 200) + "'");
  }
  if (!version.empty() && version != kind.api_version()) {
    return BadRequest("the API version in the data (" + version +
                      ") does not match the expected API version (" + kind.api_version() + ")");
  }
  if (!name.empty() && name != kind.kind) {
    return BadRequest(name + " in version \"" + kind.version + "\" cannot be handled as a " +
                      kind.kind);
  }
  object["apiVersion"] = kind.api_version();
  object["kind"] = kind.kind;
  const Json* meta = Find(object, {"metadata"});
  if (meta != nullptr && !meta->is_object()) {
    return BadRequest("metadata: expected an object");
  }
  if (Refusal refusal = CheckTexts(ObjectAt(object, "metadata"))) return refusal;
  return TakeTypedFields(kind, object);
}

Refusal CheckNamespace(const Backend& backend, const Kind& kind, const std::string& ns,
                       const std::string& name) {
  if (!kind.namespaced) return std::nullopt;
  const Kind& namespaces = backend.kinds.Get(Builtin::kNamespace);
  const VersionPtr found = backend.Find(namespaces, "", ns);
  if (found == nullptr) return NotFound(namespaces, ns);
  if (Find(found->object, {"metadata", "deletionTimestamp"}) == nullptr) return std::nullopt;
  ApiError error = Forbidden(
      kind.resource(), name,
      "unable to create new content in namespace " + ns + " because it is being terminated");
  error.details["causes"] = {{{"reason", "NamespaceTerminating"},
                              {"message", "namespace " + ns + " is being terminated"},
                              {"field", "metadata.namespace"}}};
  return error;
}

Refusal StampNew(Backend& backend, const Target& target, Json& object) {
  Json& meta = object["metadata"];
  if (!StringAt(meta, {"resourceVersion"}).empty()) {
    return BadRequest("resourceVersion should not be set on objects to be created");
  }
  const std::string& ns = StringAt(meta, {"namespace"});
  if (!ns.empty() && ns != target.ns) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  for (const char* field : {"managedFields", "selfLink", "deletionTimestamp", "generation",
                            "deletionGracePeriodSeconds", "resourceVersion"}) {
    meta.erase(field);
  }
  if (!target.ns.empty()) meta["namespace"] = target.ns;
  if (Refusal refusal = CheckName(backend, target, object)) return refusal;
  meta["uid"] = backend.NewUid();
  meta["creationTimestamp"] = backend.Now();
  if (target.kind->counts_generation) meta["generation"] = 1;
  return std::nullopt;
}

ApiError PreconditionFailed(const Kind& kind, const Json& object, const std::string& text) {
  const std::string& ns = StringAt(object, {"metadata", "namespace"});
  const std::string& name = StringAt(object, {"metadata", "name"});
  const std::string prefix = kind.group.empty() ? kind.plural : kind.group + "/" + kind.plural;
  return Conflict(
      kind.resource(), name,
      "StorageError: invalid object, Code: 4, Key: /registry/" + prefix + "/" + KeyOf(ns, name) +
          ", ResourceVersion: 0, AdditionalErrorMsg: " + "Precondition failed: " + text);
}

Refusal CheckIdentity(const Kind& kind, const Json& old, const Json& next,
                      const UpdateRules& rules) {
  const std::string& name = StringAt(old, {"metadata", "name"});
  const std::string& next_name = StringAt(next, {"metadata", "name"});
  if (!next_name.empty() && next_name != name) {
    return BadRequest("the name of the object (" + next_name +
                      ") does not match the name on the URL (" + name + ")");
  }
  const std::string& ns = StringAt(next, {"metadata", "namespace"});
  if (!ns.empty() && ns != StringAt(old, {"metadata", "namespace"})) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  const std::string& uid = StringAt(old, {"metadata", "uid"});
  const std::string& next_uid = StringAt(next, {"metadata", "uid"});
  const bool other_uid = !next_uid.empty() && next_uid != uid;
  if (other_uid && !rules.patch) {
    return PreconditionFailed(kind, old,
                              "UID in precondition: " + next_uid + ", UID in object meta: " + uid);
  }
  const std::string& version = StringAt(next, {"metadata", "resourceVersion"});
  if (version.empty() && !rules.patch && !kind.unconditional_update) {
    return Invalid(
        kind, name,
        {InvalidValue("metadata.resourceVersion", 0, "must be specified for an update")});
  }
  if (!version.empty() && version != StringAt(old, {"metadata", "resourceVersion"})) {
    return StaleObject(kind, name);
  }
  // The status endpoint of a custom kind takes all metadata from the stored object first.
  const bool guarded = !kind.custom() || rules.subresource.empty();
  if (other_uid && guarded) {
    const FieldError error = InvalidValue("metadata.uid", next_uid, "field is immutable");
    return Invalid(kind, name, {error, error});
  }
  return std::nullopt;
}

void KeepWhatIsFixed(const Kind& kind, const Json& old, Json& next, const UpdateRules& rules) {
  const Json& old_meta = old["metadata"];
  if (rules.subresource.empty()) {
    if (kind.has_status) CopyField(old, next, "status");
  } else {
    Json result = old;
    CopyField(next, result, "status");
    if (!kind.custom()) result["metadata"] = std::move(ObjectAt(next, "metadata"));
    next = std::move(result);
  }
  Json& meta = ObjectAt(next, "metadata");
  for (const char* field : kServerFields) CopyField(old_meta, meta, field);
  meta["resourceVersion"] = old_meta["resourceVersion"];
  meta.erase("managedFields");
  meta.erase("selfLink");
}

void CountGeneration(const Kind& kind, const Json& old, Json& next) {
  if (!kind.counts_generation) return;
  const auto differs = [&](const Json& a, const Json& b) {
    return std::ranges::any_of(a.items(), [&](const auto& item) {
      if (item.key() == "metadata" || item.key() == "status") return false;
      const auto other = b.find(item.key());
      return other == b.end() || *other != item.value();
    });
  };
  if (!differs(old, next) && !differs(next, old)) return;
  next["metadata"]["generation"] = IntAt(old, {"metadata", "generation"}).value_or(0) + 1;
}

bool HasFinalizers(const Json& object) {
  const Json* finalizers = Find(object, {"metadata", "finalizers"});
  return finalizers != nullptr && finalizers->is_array() && !finalizers->empty();
}

}  // namespace muster::e2e
