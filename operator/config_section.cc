#include "operator/config_section.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

#include "controllers/text.h"
#include "operator/duration.h"
#include "operator/json_text.h"

namespace muster::app {
namespace {

using Kind = ConfigNode::Kind;

// Of what the file says, in an error.
constexpr std::size_t kShownMax = 64;

std::string Shown(const ConfigNode& node) {
  switch (node.kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kMap:
      return "a map";
    case Kind::kList:
      return "a list";
    case Kind::kScalar:
      return (node.quoted ? "the string " : "") + Quoted(node.text.substr(0, kShownMax)) +
             (node.text.size() > kShownMax ? "..." : "");
  }
  return {};
}

bool IsNumber(std::string_view text) {
  constexpr std::string_view kFirst = "+-.0123456789";
  if (text.empty() || kFirst.find(text.front()) == std::string_view::npos) return false;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

// Every reader of YAML takes it for something else than a string.
bool IsOtherThanString(const ConfigNode& node) {
  return !node.quoted && (node.text == "true" || node.text == "false" || IsNumber(node.text));
}

// "" = it is one, and nothing is wrong with it.
std::string ProblemOfString(const ConfigNode& node, ConfigSection::Check check) {
  if (node.kind != Kind::kScalar) return "expected a string, not " + Shown(node);
  if (IsOtherThanString(node)) {
    return "expected a string, not " + node.text.substr(0, kShownMax) + ": write it in quotes";
  }
  return check(node.text);
}

scheduler::ArgValue ArgOf(const ConfigNode& scalar) {
  const std::string& text = scalar.text;
  if (scalar.quoted) return text;
  if (text == "true" || text == "false") return text == "true";
  std::int64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error == std::errc() && end == last) return number;
  return text;
}

std::string Joined(const std::vector<std::string_view>& names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::string MeantText(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string_view meant = scheduler::NearestName(name, known);
  return meant.empty() ? "; known here: " + Joined(known, ", ")
                       : "; did you mean " + Quoted(meant) + "?";
}

void ConfigReport::Add(std::int32_t line, std::string text) {
  if (!text_.empty() && !of_several_ && line_ <= line) return;
  line_ = line;
  text_ = std::move(text);
  of_several_ = false;
}

void ConfigReport::AddOfSeveral(std::int32_t line, std::string text) {
  if (!text_.empty()) return;
  Add(line, std::move(text));
  of_several_ = true;
}

Result<void> ConfigReport::result() const {
  if (text_.empty()) return {};
  const std::string at = line_ == 0 ? "" : ":" + std::to_string(line_);
  return Error{Code::kInvalidArgument, file_ + at + ": " + text_};
}

void ConfigSection::ReadAll(const ConfigNode& root, ConfigReport& report, const Body& body) {
  ConfigSection(root, {"", root.line}, report).Run(body);
}

void ConfigSection::Run(const Body& body) {
  body(*this);
  RefuseUnknown();
}

void ConfigSection::String(std::string_view key, std::string& value, Check check) {
  const ConfigEntry* entry = FindValue(key);
  if (entry == nullptr) return;
  const std::string problem = ProblemOfString(entry->value, check);
  if (!problem.empty()) return Wrong(*entry, problem);
  value = entry->value.text;
}

void ConfigSection::Bool(std::string_view key, bool& value) {
  const ConfigEntry* entry = FindValue(key);
  if (entry == nullptr) return;
  const ConfigNode& node = entry->value;
  const bool is_bool =
      node.kind == Kind::kScalar && !node.quoted && (node.text == "true" || node.text == "false");
  if (!is_bool) return Expected(*entry, "true or false");
  value = node.text == "true";
}

void ConfigSection::Integer(std::string_view key, std::int32_t& value, Range range) {
  const ConfigEntry* entry = FindValue(key);
  if (entry == nullptr) return;
  const ConfigNode& node = entry->value;
  const std::string form =
      "a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max);
  if (node.kind != Kind::kScalar || node.quoted) return Expected(*entry, form);
  std::int32_t read = 0;
  const char* last = node.text.data() + node.text.size();
  const auto [end, error] = std::from_chars(node.text.data(), last, read);
  if (error != std::errc() || end != last || read < range.min || read > range.max) {
    return Expected(*entry, form);
  }
  value = read;
}

void ConfigSection::DurationMs(std::string_view key, std::int64_t& value, Range range) {
  const ConfigEntry* entry = FindValue(key);
  if (entry == nullptr) return;
  if (entry->value.kind != Kind::kScalar) {
    return Expected(*entry, "a duration such as 15s, 500ms or 1m30s");
  }
  const Result<std::int64_t> ms = ParseDurationMs(entry->value.text);
  if (!ms.ok()) return Wrong(*entry, ms.error().message);
  if (ms.value() < range.min || ms.value() > range.max) {
    return Wrong(*entry, Shown(entry->value) + " is out of range: from " +
                             controllers::DurationText(range.min) + " to " +
                             controllers::DurationText(range.max));
  }
  value = ms.value();
}

std::optional<std::size_t> ConfigSection::Chosen(std::string_view key,
                                                 const std::vector<std::string_view>& names) {
  const ConfigEntry* entry = FindValue(key);
  if (entry == nullptr) return std::nullopt;
  const auto found = entry->value.kind == Kind::kScalar
                         ? std::ranges::find(names, std::string_view(entry->value.text))
                         : names.end();
  if (found != names.end()) return static_cast<std::size_t>(std::distance(names.begin(), found));
  Expected(*entry, Joined(names, " or "));
  return std::nullopt;
}

// A section whose keys are all commented out is there, and says nothing.
void ConfigSection::Section(std::string_view key, const Body& body) {
  static const ConfigNode nothing;
  const ConfigEntry* entry = Find(key);
  const bool is_map = entry != nullptr && entry->value.kind == Kind::kMap;
  if (entry != nullptr && !is_map && entry->value.kind != Kind::kNull) Expected(*entry, "a map");
  const Place place{PathOf(key), entry == nullptr ? 0 : entry->line};
  ConfigSection(is_map ? entry->value : nothing, place, report_).Run(body);
}

bool ConfigSection::Strings(std::string_view key, std::vector<std::string>& values, Check check) {
  const ConfigEntry* entry = FindValue(key);
  if (entry == nullptr) return false;
  if (entry->value.kind != Kind::kList) {
    Expected(*entry, "a list of strings");
    return true;
  }
  values.clear();
  for (std::size_t i = 0; i < entry->value.entries.size(); ++i) {
    const ConfigNode& item = entry->value.entries[i].value;
    std::string problem = ProblemOfString(item, check);
    const bool twice = std::ranges::find(values, item.text) != values.end();
    if (problem.empty() && twice) problem = Shown(item) + " is there twice";
    if (!problem.empty()) report_.Add(item.line, PathOf(key, i) + ": " + problem);
    values.push_back(item.text);
  }
  return true;
}

void ConfigSection::Arguments(
    std::string_view key, scheduler::ArgMap& values,
    const std::function<std::string(const scheduler::ArgMap& one)>& check) {
  const ConfigEntry* entry = FindValue(key);
  if (entry == nullptr) return;
  if (entry->value.kind != Kind::kMap) return Expected(*entry, "a map");
  for (const ConfigEntry& one : entry->value.entries) {
    const std::string name = one.key.substr(0, kShownMax);
    if (one.value.kind != Kind::kScalar) {
      report_.Add(one.line, PathOf(key) + "." + name +
                                ": expected true, false, a whole number or a string, not " +
                                Shown(one.value));
      continue;
    }
    const scheduler::ArgMap alone{{name, ArgOf(one.value)}};
    const std::string problem = check(alone);
    if (!problem.empty()) report_.Add(one.line, PathOf(key) + ": " + problem);
    values.insert(alone.begin(), alone.end());
  }
}

bool ConfigSection::Each(std::string_view key, const Body& body) {
  const ConfigEntry* entry = FindValue(key);
  if (entry == nullptr) return false;
  if (entry->value.kind != Kind::kList) {
    Expected(*entry, "a list of maps");
    return true;
  }
  for (std::size_t i = 0; i < entry->value.entries.size(); ++i) {
    const ConfigNode& item = entry->value.entries[i].value;
    const std::string path = PathOf(key, i);
    if (item.kind != Kind::kMap) {
      report_.Add(item.line, path + ": expected a map, not " + Shown(item));
      break;
    }
    ConfigSection(item, {path, item.line}, report_).Run(body);
  }
  return true;
}

void ConfigSection::Refuse(std::string text) const {
  report_.AddOfSeveral(place_.line, place_.path + ": " + std::move(text));
}

const ConfigEntry* ConfigSection::Find(std::string_view key) {
  known_.push_back(key);
  const auto found = std::ranges::find(node_.entries, key, &ConfigEntry::key);
  return found == node_.entries.end() ? nullptr : &*found;
}

const ConfigEntry* ConfigSection::FindValue(std::string_view key) {
  report_.AddKey(PathOf(key));
  return Find(key);
}

std::string ConfigSection::PathOf(std::string_view key) const {
  return place_.path.empty() ? std::string(key) : place_.path + "." + std::string(key);
}

std::string ConfigSection::PathOf(std::string_view key, std::size_t item) const {
  return PathOf(key) + "[" + std::to_string(item) + "]";
}

void ConfigSection::Wrong(const ConfigEntry& entry, const std::string& what) const {
  report_.Add(entry.line, PathOf(entry.key) + ": " + what);
}

void ConfigSection::Expected(const ConfigEntry& entry, const std::string& what) const {
  Wrong(entry, "expected " + what + ", not " + Shown(entry.value));
}

void ConfigSection::RefuseUnknown() const {
  for (const ConfigEntry& entry : node_.entries) {
    if (std::ranges::find(known_, std::string_view(entry.key)) != known_.end()) continue;
    const std::string key = entry.key.substr(0, kShownMax);
    report_.Add(entry.line, "unknown key " + Quoted(PathOf(key)) + MeantText(key, known_));
  }
}

}  // namespace muster::app
