// A cursor over JSON text that knows where it is. Reading fills a struct by a table of fields
// (below), once through the text and without a tree; fields that no table names are skipped, and
// null is the same as absent. The first error ends the reading; it reads
// "spec.minMember: expected an integer". A JsonReader serves one text; the parser behind it and its
// buffer belong to the thread, so only one reader of a thread is in use at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "crds/meta.h"
#include "scheduler/base/result.h"

namespace muster::crds {

class JsonReader;
using JsonValue = simdjson::ondemand::value;
using JsonObject = simdjson::ondemand::object;

// One field of the JSON object that fills a T. `read` is false once an error is set.
template <class T>
struct JsonField {
  std::string_view name;
  bool (*read)(JsonReader& reader, JsonValue& value, T& out) = nullptr;
  // Appends the paths below this field, each after `prefix`; nullptr for a leaf.
  void (*list)(const std::string& prefix, std::vector<std::string>& out) = nullptr;
  bool optional = false;  // May be absent in an exact object, too.
};

// kOpen: any field may be absent or null, unknown ones are skipped. kExact: all that are not
// optional are there, and no other. kEnvelope: as kOpen, and bytes that no JSON text has (no UTF-8,
// control characters) read as '?' or as a space: they may be in an object that is none of ours.
enum class Form : std::uint8_t { kOpen, kExact, kEnvelope };

class JsonReader {
 public:
  // The whole text as a T.
  template <class T>
  [[nodiscard]] Result<T> Decode(std::string_view json, std::span<const JsonField<T>> fields,
                                 Form form) {
    T out;
    JsonObject root;
    if (!Open(json, root, form) || !Fields(root, out, fields, form) || !Close()) {
      return TakeError();
    }
    return out;
  }

  bool Read(JsonValue& value, std::string& out);
  bool Read(JsonValue& value, bool& out);
  bool Read(JsonValue& value, std::int32_t& out);
  bool Read(JsonValue& value, std::int64_t& out);
  bool Read(JsonValue& value, std::uint64_t& out);
  bool Read(JsonValue& value, std::vector<std::string>& out);
  bool Read(JsonValue& value, StringMap& out);
  // An RFC 3339 time, in milliseconds.
  bool Time(JsonValue& value, std::int64_t& out);
  // A string, or a number as it is written (quantities).
  bool Text(JsonValue& value, std::string& out);
  // The text of an object, within the text given to Open; what is in it is not looked at.
  bool Raw(JsonValue& value, std::string_view& out);

  template <class T>
  bool Object(JsonValue& value, T& out, std::span<const JsonField<T>> fields,
              Form form = Form::kOpen) {
    JsonObject object;
    return Start(value, object) && Fields(object, out, fields, form);
  }
  template <class T>
  bool Fields(JsonObject& object, T& out, std::span<const JsonField<T>> fields, Form form) {
    std::uint64_t seen = 0;  // By index in `fields`.
    for (auto item : object) {
      simdjson::ondemand::field member;
      if (std::move(item).get(member) != simdjson::SUCCESS) return Broken();
      const JsonField<T>* field = Find(member.key(), fields);
      if (field == nullptr) {
        if (form != Form::kExact) continue;
        return Fail("unknown field", Key(member));
      }
      if (form != Form::kExact && IsNull(member.value())) continue;
      if (!field->read(*this, member.value(), out)) return Within(field->name);
      seen |= std::uint64_t{1} << static_cast<std::size_t>(field - fields.data());
    }
    return form != Form::kExact || AllSeen(seen, fields);
  }
  // Calls each(key, value) for every member of an object that is used as a map.
  template <class F>
  bool Members(JsonValue& value, F each) {
    JsonObject object;
    if (!Start(value, object)) return false;
    for (auto item : object) {
      simdjson::ondemand::field member;
      if (std::move(item).get(member) != simdjson::SUCCESS) return Broken();
      std::string_view key;
      if (member.unescaped_key().get(key) != simdjson::SUCCESS) return Broken();
      if (!each(key, member.value())) return WithinKey(key);
    }
    return true;
  }
  // Calls each(value) for every element.
  template <class F>
  bool Array(JsonValue& value, F each) {
    simdjson::ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return Expected("an array");
    std::size_t index = 0;
    for (auto item : array) {
      JsonValue element;
      if (std::move(item).get(element) != simdjson::SUCCESS) return Broken();
      if (!each(element)) return WithinIndex(index);
      ++index;
    }
    return true;
  }
  template <class T>
  bool List(JsonValue& value, std::vector<T>& out, std::span<const JsonField<T>> fields,
            Form form = Form::kOpen) {
    out.clear();
    return Array(value, [&](JsonValue& element) {
      return Object(element, out.emplace_back(), fields, form);
    });
  }

  // Sets the error; always false. `segment` is what the path ends with, if not the present place.
  bool Fail(std::string what, std::string segment = {});
  bool Expected(std::string_view what) { return Fail("expected " + std::string(what)); }
  // Lengthen the path of the error at the front, on the way out; always false.
  bool Within(std::string_view name);
  bool WithinKey(std::string_view key);
  bool WithinIndex(std::size_t index);

  // The start and end of a text. Decode does both.
  bool Open(std::string_view json, JsonObject& root, Form form);
  bool Close();
  [[nodiscard]] Error TakeError();

 private:
  bool Start(JsonValue& value, JsonObject& object);
  bool Broken() { return Fail("not valid JSON"); }
  // A broken null is found by who reads on.
  static bool IsNull(JsonValue& value) {
    bool null = false;
    return value.is_null().get(null) == simdjson::SUCCESS && null;
  }
  static std::string Key(simdjson::ondemand::field& member);
  template <class T>
  bool AllSeen(std::uint64_t seen, std::span<const JsonField<T>> fields) {
    for (const JsonField<T>& field : fields) {
      if ((seen & 1U) == 0 && !field.optional)
        return Fail("missing", "." + std::string(field.name));
      seen >>= 1U;
    }
    return true;
  }
  template <class T>
  static const JsonField<T>* Find(simdjson::ondemand::raw_json_string key,
                                  std::span<const JsonField<T>> fields) {
    for (const JsonField<T>& field : fields) {
      if (key.unsafe_is_equal(field.name)) return &field;
    }
    return nullptr;
  }

  simdjson::ondemand::document document_;
  std::string_view text_;  // As given to Open.
  const char* copy_ = nullptr;
  std::string path_, what_;
};

}  // namespace muster::crds
