#include "e2e/apiserver/json_path.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::e2e {
namespace {

Error Bad(std::string_view text) {
  return {Code::kInvalidArgument, "JSONPath is not understood: " + std::string(text)};
}

bool IsName(std::string_view text) {
  return !text.empty() && text.find_first_of("[]()@?*'\"=. ") == std::string_view::npos;
}

}  // namespace

Result<JsonPath::Step> JsonPath::ParseBracket(std::string_view inside) {
  Step step{.what = Step::What::kIndex};
  const auto [end, error] =
      std::from_chars(inside.data(), inside.data() + inside.size(), step.index);
  if (error == std::errc() && end == inside.data() + inside.size()) return step;
  constexpr std::string_view kOpen = "?(@.";
  if (!inside.starts_with(kOpen) || !inside.ends_with(')')) return Bad(inside);
  const std::string_view condition = inside.substr(kOpen.size(), inside.size() - kOpen.size() - 1);
  const std::size_t equals = condition.find("==");
  if (equals == std::string_view::npos) return Bad(inside);
  std::string_view wanted = condition.substr(equals + 2);
  const bool quoted = wanted.size() >= 2 && wanted.front() == wanted.back() &&
                      (wanted.front() == '\'' || wanted.front() == '"');
  if (!quoted || !IsName(condition.substr(0, equals))) return Bad(inside);
  wanted = wanted.substr(1, wanted.size() - 2);
  return Step{.what = Step::What::kFilter,
              .field = std::string(condition.substr(0, equals)),
              .wanted = std::string(wanted)};
}

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  std::string_view rest = text;
  while (!rest.empty()) {
    if (rest.front() == '[') {
      const std::size_t close = rest.find(']');
      if (close == std::string_view::npos) return Bad(text);
      MUSTER_ASSIGN(Step step, ParseBracket(rest.substr(1, close - 1)));
      path.steps_.push_back(std::move(step));
      rest.remove_prefix(close + 1);
      continue;
    }
    if (rest.front() != '.') return Bad(text);
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
    if (!IsName(rest.substr(0, end))) return Bad(text);
    path.steps_.push_back({.what = Step::What::kField, .field = std::string(rest.substr(0, end))});
    rest.remove_prefix(end);
  }
  if (path.steps_.empty()) return Bad(text);
  return path;
}

const Json* JsonPath::Take(const Step& step, const Json& value) {
  if (step.what == Step::What::kField) return e2e::Find(value, {step.field});
  if (!value.is_array()) return nullptr;
  if (step.what == Step::What::kIndex) {
    return step.index < value.size() ? &value[step.index] : nullptr;
  }
  const auto found = std::ranges::find_if(
      value, [&](const Json& item) { return StringAt(item, {step.field}) == step.wanted; });
  return found == value.end() ? nullptr : &*found;
}

const Json* JsonPath::Find(const Json& object) const {
  const Json* at = &object;
  for (const Step& step : steps_) {
    if (at != nullptr) at = Take(step, *at);
  }
  return at;
}

}  // namespace muster::e2e
