#include "scheduler/testing/scenario_grammar.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "scheduler/base/units.h"

namespace muster::scheduler::testing {
namespace {

constexpr std::int64_t kMembersMax = 1'000;
constexpr std::int64_t kSecondsMax = 1'000'000;
constexpr std::size_t kDigitsMax = 6;  // Of an amount: beyond them no unit leads out of range.

bool IsName(std::string_view text) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= 63 && std::ranges::all_of(text, allowed);
}

// "train" or "ml/train".
bool IsKey(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsName(text);
  return IsName(text.substr(0, slash)) && IsName(text.substr(slash + 1));
}

// nvidia.com/gpu: a resource, or the key of a label.
bool IsQualified(std::string_view text) {
  return IsKey(text) && text.front() != '.';
}

std::optional<std::int64_t> NumberIn(std::string_view text, std::int64_t highest) {
  if (text.empty() || text.size() > 9) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number <= highest ? std::optional(number) : std::nullopt;
}

bool IsAmount(std::string_view resource, std::string_view text) {
  const auto digits = static_cast<std::size_t>(
      std::ranges::find_if(text, [](char c) { return c < '0' || c > '9'; }) - text.begin());
  if (digits == 0 || digits > kDigitsMax) return false;
  const std::string_view suffix = text.substr(digits);
  if (suffix.empty() || suffix == "m") return true;
  return UnitOf(resource) != Unit::kMilli && (suffix == "Ki" || suffix == "Mi" || suffix == "Gi");
}

// "name:number,name:number", each name once.
bool AreSubGroups(std::string_view text) {
  std::set<std::string_view> names;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t colon = one.find(':');
    if (colon == std::string_view::npos) return false;
    if (!IsName(one.substr(0, colon)) || !names.insert(one.substr(0, colon)).second) return false;
    if (!NumberIn(one.substr(colon + 1), kMembersMax)) return false;
  }
  return true;
}

// "train:1=900Mi,side:1=2Gi", each name once.
bool AreNodeImages(std::string_view text) {
  std::set<std::string_view> names;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const std::size_t equals = one.find('=');
    if (equals == 0 || equals == std::string_view::npos) return false;
    if (!IsAmount("memory", one.substr(equals + 1))) return false;
    if (!names.insert(one.substr(0, equals)).second) return false;
  }
  return true;
}

// What a command takes behind its names.
struct Form {
  std::size_t names = 0;  // Keys; of a quota or a Node a name.
  std::set<std::string_view> flags{};
  std::set<std::string_view> options{};  // NAME=TEXT.
  bool amounts = false;                  // RESOURCE=QUANTITY.
  bool any = false;                      // Words of a text.
};

const std::set<std::string_view> kShape = {"selector", "tolerate", "model", "product",
                                           "priority", "sub",      "images"};
const std::set<std::string_view> kGangOptions = {
    "selector", "tolerate", "model",   "product", "priority", "sub",       "queue",
    "min",      "pods",     "timeout", "subs",    "required", "preferred", "images"};

const std::map<std::string_view, Form>& Forms() {
  static const std::map<std::string_view, Form> forms = {
      {"levels", {.any = true}},
      {"queue",
       {.names = 1,
        .flags = {"stopped"},
        .options = {"selector", "misconfigured"},
        .amounts = true}},
      {"queue-gone", {.names = 1}},
      {"namespace", {.names = 1, .any = true}},
      {"node",
       {.names = 1,
        .flags = {"cordoned", "notready"},
        .options = {"label", "taint", "models", "images"},
        .amounts = true}},
      {"node-gone", {.names = 1}},
      {"gang",
       {.names = 1,
        .flags = {"gated", "ran", "model-required"},
        .options = kGangOptions,
        .amounts = true}},
      {"group", {.names = 1, .flags = {"ran"}, .options = kGangOptions, .amounts = true}},
      {"group-gone", {.names = 1}},
      {"pods",
       {.names = 2, .flags = {"gated", "model-required"}, .options = kShape, .amounts = true}},
      {"pod",
       {.names = 1,
        .flags = {"gated", "model-required"},
        .options = kGangOptions,
        .amounts = true}},
      {"foreign", {.names = 2, .options = kShape, .amounts = true}},
      {"bound", {.names = 2}},
      {"placed", {.names = 2}},
      {"repin", {.names = 1, .options = {"queue", "group"}}},
      {"failed-entry", {.names = 1, .any = true}},
      {"stale-entry", {.names = 1, .any = true}},
      {"settle", {}},
      {"undo", {}},
      {"wait", {.names = 1}},
      {"cycle", {}},
  };
  return forms;
}

bool IsOption(std::string_view command, std::string_view name, std::string_view value) {
  if (name == "min" || name == "pods") return NumberIn(value, kMembersMax).has_value();
  if (name == "priority" || name == "timeout") return NumberIn(value, kSecondsMax).has_value();
  if (name == "subs") return AreSubGroups(value);
  if (name == "images" && command == "node") return AreNodeImages(value);
  return !value.empty();
}

// RESOURCE=QUANTITY; of a queue also RESOURCE=NOMINAL:BORROWING.
bool IsResource(std::string_view name, std::string_view value) {
  if (!IsQualified(name)) return false;
  const std::size_t colon = value.find(':');
  if (colon == std::string_view::npos) return IsAmount(name, value);
  return IsAmount(name, value.substr(0, colon)) && IsAmount(name, value.substr(colon + 1));
}

// `taken`: what may stand only once.
bool IsWord(std::string_view command, const Form& form, std::string_view word,
            std::set<std::string_view>& taken) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return form.flags.contains(word);
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(equals + 1);
  if (form.options.contains(name)) return IsOption(command, name, value);
  return form.amounts && IsResource(name, value) && taken.insert(name).second;
}

// "3" or "0..3", at most so many.
bool IsRange(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto first = NumberIn(text.substr(0, dots), kSecondsMax);
  if (dots == std::string_view::npos) return first.has_value();
  const auto last = NumberIn(text.substr(dots + 2), kSecondsMax);
  return first && last && *last - *first < kMembersMax;
}

bool IsNamed(std::string_view command, std::size_t index, std::string_view word) {
  if (command == "wait") return NumberIn(word, kSecondsMax).has_value();
  if (command == "pods" && index == 1) return IsRange(word);
  return IsKey(word);
}

}  // namespace

std::string LineProblem(const std::string& command, const std::vector<std::string>& words) {
  const Form one_name{.names = 1};  // The rest of the commands.
  const auto known = Forms().find(command);
  const Form& form = known == Forms().end() ? one_name : known->second;
  if (words.size() < form.names) return command + " names too little";
  std::set<std::string_view> taken;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool right = i < form.names ? IsNamed(command, i, words[i])
                                      : form.any || IsWord(command, form, words[i], taken);
    if (!right) return "\"" + words[i] + "\" cannot stand behind " + command;
  }
  return {};
}

}  // namespace muster::scheduler::testing
