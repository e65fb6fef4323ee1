#include "crds/json_reader.h"

#include <cstring>
#include <limits>
#include <span>

#include "crds/time.h"
#include "scheduler/base/check.h"

namespace muster::crds {
namespace {

// What a thread keeps between two texts: the index of the parser and the padded copy. Both grow to
// the largest text that the thread has seen.
struct Scratch {
  simdjson::ondemand::parser parser;
  std::vector<char> buffer;
};

Scratch& OfThisThread() {
  static thread_local Scratch scratch;
  return scratch;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// Each byte stays where it was, for Raw.
void BlankOddBytes(std::span<char> text) {
  constexpr unsigned char kAsciiEnd = 0x80;
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ') c = ' ';
    if (byte >= kAsciiEnd) c = '?';
  }
}

bool IsOfOddBytes(simdjson::error_code error) {
  return error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS;
}

}  // namespace

bool JsonReader::Open(std::string_view json, JsonObject& root, Form form) {
  Scratch& scratch = OfThisThread();
  // The parser reads whole vectors past the end, and takes what it finds there for nothing only if
  // it is no bracket.
  const std::size_t need = json.size() + simdjson::SIMDJSON_PADDING;
  if (scratch.buffer.size() < need) scratch.buffer.resize(need);
  if (!json.empty()) std::memcpy(scratch.buffer.data(), json.data(), json.size());
  std::memset(scratch.buffer.data() + json.size(), ' ', simdjson::SIMDJSON_PADDING);
  text_ = json;
  copy_ = scratch.buffer.data();
  const simdjson::padded_string_view padded(copy_, json.size(), need);
  auto error = scratch.parser.iterate(padded).get(document_);
  if (form == Form::kEnvelope && IsOfOddBytes(error)) {
    BlankOddBytes(std::span(scratch.buffer.data(), json.size()));
    error = scratch.parser.iterate(padded).get(document_);
  }
  if (error != simdjson::SUCCESS) return Broken();
  error = document_.get_object().get(root);
  if (error == simdjson::INCORRECT_TYPE) return Expected("an object");
  return error == simdjson::SUCCESS || Broken();
}

// The parser stops behind the last bracket: what follows there has not been seen yet.
bool JsonReader::Close() {
  const char* next = nullptr;
  const bool at_end = document_.current_location().get(next) == simdjson::OUT_OF_BOUNDS;
  return at_end || Broken();
}

Error JsonReader::TakeError() {
  MUSTER_CHECK(!what_.empty());
  if (path_.starts_with('.')) path_.erase(0, 1);
  std::string text = path_.empty() ? std::move(what_) : path_ + ": " + what_;
  return {Code::kInvalidArgument, std::move(text)};
}

bool JsonReader::Start(JsonValue& value, JsonObject& object) {
  const auto error = value.get_object().get(object);
  if (error == simdjson::SUCCESS) return true;
  return error == simdjson::INCORRECT_TYPE ? Expected("an object") : Broken();
}

bool JsonReader::Read(JsonValue& value, std::string& out) {
  std::string_view text;
  const auto error = value.get_string().get(text);
  if (error == simdjson::INCORRECT_TYPE) return Expected("a string");
  if (error != simdjson::SUCCESS) return Broken();
  out.assign(text);
  return true;
}

bool JsonReader::Read(JsonValue& value, bool& out) {
  return value.get_bool().get(out) == simdjson::SUCCESS || Expected("true or false");
}

bool JsonReader::Read(JsonValue& value, std::int32_t& out) {
  std::int64_t wide = 0;
  if (!Read(value, wide)) return false;
  if (wide < std::numeric_limits<std::int32_t>::min() ||
      wide > std::numeric_limits<std::int32_t>::max()) {
    return Expected("an integer of 32 bits");
  }
  out = static_cast<std::int32_t>(wide);
  return true;
}

bool JsonReader::Read(JsonValue& value, std::int64_t& out) {
  return value.get_int64().get(out) == simdjson::SUCCESS || Expected("an integer");
}

bool JsonReader::Read(JsonValue& value, std::uint64_t& out) {
  return value.get_uint64().get(out) == simdjson::SUCCESS || Expected("an integer, 0 or more");
}

bool JsonReader::Read(JsonValue& value, std::vector<std::string>& out) {
  out.clear();
  return Array(value, [&](JsonValue& element) { return Read(element, out.emplace_back()); });
}

// A null in a map is an empty string, as Go reads it.
bool JsonReader::Read(JsonValue& value, StringMap& out) {
  out.clear();
  return Members(value, [&](std::string_view key, JsonValue& member) {
    std::string& text = out.try_emplace(std::string(key)).first->second;
    return IsNull(member) || Read(member, text);
  });
}

bool JsonReader::Time(JsonValue& value, std::int64_t& out) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return Expected("a time (RFC 3339)");
  const Result<std::int64_t> ms = ParseTime(text);
  if (!ms.ok()) return Fail(ms.error().message);
  out = ms.value();
  return true;
}

bool JsonReader::Text(JsonValue& value, std::string& out) {
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return Broken();
  if (type != simdjson::ondemand::json_type::number) return Read(value, out);
  out.assign(Trimmed(value.raw_json_token()));
  // The token is only read by its kind: a number must be well formed as such, too.
  double number = 0;
  return value.get_double().get(number) == simdjson::SUCCESS || Expected("a number");
}

bool JsonReader::Raw(JsonValue& value, std::string_view& out) {
  JsonObject object;
  if (!Start(value, object)) return false;
  std::string_view raw;
  if (object.raw_json().get(raw) != simdjson::SUCCESS) return Broken();
  raw = Trimmed(raw);
  // From the padded copy to the text of the caller, which outlives this reader.
  const auto offset = static_cast<std::size_t>(raw.data() - copy_);
  MUSTER_CHECK(offset + raw.size() <= text_.size());
  out = text_.substr(offset, raw.size());
  return true;
}

bool JsonReader::Fail(std::string what, std::string segment) {
  what_ = std::move(what);
  path_ = std::move(segment);
  return false;
}

bool JsonReader::Within(std::string_view name) {
  path_.insert(0, "." + std::string(name));
  return false;
}

bool JsonReader::WithinKey(std::string_view key) {
  path_.insert(0, "[" + std::string(key) + "]");
  return false;
}

bool JsonReader::WithinIndex(std::size_t index) {
  path_.insert(0, "[" + std::to_string(index) + "]");
  return false;
}

std::string JsonReader::Key(simdjson::ondemand::field& member) {
  std::string_view key;
  if (member.unescaped_key().get(key) != simdjson::SUCCESS) return {};
  return "." + std::string(key);
}

}  // namespace muster::crds
