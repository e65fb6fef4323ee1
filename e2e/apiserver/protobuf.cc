#include "e2e/apiserver/protobuf.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::e2e {
namespace {

// The field of a message: a number, or bytes (a text, or a message again).
struct Field {
  std::uint64_t tag = 0;
  std::uint64_t number = 0;
  std::string_view bytes;
  [[nodiscard]] bool empty() const { return number == 0 && bytes.empty(); }
};
using WireFields = std::vector<Field>;

std::optional<std::uint64_t> TakeVarint(std::string_view& rest) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// Go's encoder writes zero values too: whoever asks looks at `empty`.
std::optional<WireFields> FieldsOf(std::string_view message) {
  WireFields fields;
  while (!message.empty()) {
    const auto key = TakeVarint(message);
    const auto value = TakeVarint(message);
    if (!key || !value) return std::nullopt;
    const std::uint64_t form = *key & 7U;
    if (form == 0) {
      fields.push_back({.tag = *key >> 3U, .number = *value, .bytes = {}});
    } else if (form == 2 && *value <= message.size()) {
      fields.push_back({.tag = *key >> 3U, .number = 0, .bytes = message.substr(0, *value)});
      message.remove_prefix(*value);
    } else {
      return std::nullopt;
    }
  }
  return fields;
}

// The bytes of a field that may be left out; nullopt: the message has others beside these tags.
std::optional<std::vector<std::string_view>> Take(std::string_view message,
                                                  const std::vector<std::uint64_t>& tags) {
  const auto fields = FieldsOf(message);
  if (!fields) return std::nullopt;
  std::vector<std::string_view> taken(tags.size());
  for (const Field& field : *fields) {
    if (field.empty()) continue;
    const auto tag = std::ranges::find(tags, field.tag);
    if (tag == tags.end() || field.number != 0) return std::nullopt;
    taken[static_cast<std::size_t>(tag - tags.begin())] = field.bytes;
  }
  return taken;
}

bool PutText(Json& text, const Field& field) {
  text = std::string(field.bytes);
  return field.number == 0;
}

// Of a map of texts: a message of key and value.
bool PutEntry(Json& map, const Field& field) {
  const auto entry = Take(field.bytes, {1, 2});
  if (!entry || field.number != 0) return false;
  map[std::string(entry->front())] = std::string(entry->back());
  return true;
}

// metadata, k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto. False: it is none that is read.
bool PutMeta(Json& meta, const Field& field) {
  constexpr std::uint64_t kName = 1;
  constexpr std::uint64_t kGenerateName = 2;
  constexpr std::uint64_t kLabels = 11;
  constexpr std::uint64_t kAnnotations = 12;
  switch (field.tag) {
    case kName:
      return PutText(meta["name"], field);
    case kGenerateName:
      return PutText(meta["generateName"], field);
    case kLabels:
      return PutEntry(meta["labels"], field);
    case kAnnotations:
      return PutEntry(meta["annotations"], field);
    default:
      return false;
  }
}

std::optional<Json> MetaOf(std::string_view message) {
  const auto fields = FieldsOf(message);
  if (!fields) return std::nullopt;
  Json meta = Json::object();
  for (const Field& field : *fields) {
    if (!field.empty() && !PutMeta(meta, field)) return std::nullopt;
  }
  return meta;
}

}  // namespace

std::optional<Json> NamespaceFromProtobuf(std::string_view body) {
  constexpr std::string_view kMagic("k8s\0", 4);
  if (!body.starts_with(kMagic)) return std::nullopt;
  // runtime.Unknown: its TypeMeta, and the object as bytes.
  const auto unknown = Take(body.substr(kMagic.size()), {1, 2});
  if (!unknown) return std::nullopt;
  const auto type = Take(unknown->front(), {1, 2});
  const bool is_namespace = type && type->front() == "v1" && type->back() == "Namespace";
  if (!is_namespace) return std::nullopt;
  // Namespace: metadata, spec, status. The last two are the server's to fill.
  const auto object = Take(unknown->back(), {1, 2, 3});
  if (!object) return std::nullopt;
  if (!Take((*object)[1], {}) || !Take((*object)[2], {})) return std::nullopt;
  auto meta = MetaOf(object->front());
  if (!meta) return std::nullopt;
  return Json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", *std::move(meta)}};
}

}  // namespace muster::e2e
