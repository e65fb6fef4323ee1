#include "e2e/apiserver/label_selectors.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::e2e {
namespace {

const Json& Terms(const Json& selector) {
  static const Json none = Json::array();
  const Json* found = Find(selector, {"matchExpressions"});
  return found != nullptr && found->is_array() ? *found : none;
}

const Json& Exact(const Json& selector) {
  static const Json none = Json::object();
  const Json* found = Find(selector, {"matchLabels"});
  return found != nullptr && found->is_object() ? *found : none;
}

bool Names(const Json& term, const std::string& value) {
  const Json* values = Find(term, {"values"});
  return values != nullptr && std::ranges::find(*values, Json(value)) != values->end();
}

bool Holds(const Json& term, const Json* labels) {
  const std::string& key = StringAt(term, {"key"});
  const std::string& op = StringAt(term, {"operator"});
  const Json* value = labels == nullptr ? nullptr : Find(*labels, {key});
  const bool there = value != nullptr && value->is_string();
  if (op == "Exists") return there;
  if (op == "DoesNotExist") return !there;
  if (op == "In") return there && Names(term, value->get_ref<const std::string&>());
  if (op == "NotIn") return !there || !Names(term, value->get_ref<const std::string&>());
  return false;
}

std::string Joined(const Json& values) {
  std::vector<std::string> texts;
  for (const Json& value : values)
    texts.push_back(value.is_string() ? value.get<std::string>() : "");
  std::ranges::sort(texts);
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : ",") + one;
  return text;
}

std::string TermText(const Json& term) {
  const std::string& key = StringAt(term, {"key"});
  const std::string& op = StringAt(term, {"operator"});
  if (op == "Exists") return key;
  if (op == "DoesNotExist") return "!" + key;
  const Json* values = Find(term, {"values"});
  const std::string list = values == nullptr ? "" : Joined(*values);
  return key + (op == "In" ? " in (" : " notin (") + list + ")";
}

}  // namespace

bool SelectsLabels(const Json& selector, const Json* labels) {
  for (const auto& [key, value] : Exact(selector).items()) {
    const Json* own = labels == nullptr ? nullptr : Find(*labels, {key});
    if (own == nullptr || *own != value) return false;
  }
  return std::ranges::all_of(Terms(selector),
                             [&](const Json& term) { return Holds(term, labels); });
}

bool IsEmptySelector(const Json& selector) {
  return Terms(selector).empty() && Exact(selector).empty();
}

std::string LabelSelectorText(const Json* selector) {
  if (selector == nullptr || IsEmptySelector(*selector)) return "<none>";
  // Requirements are sorted by their keys.
  std::vector<std::pair<std::string, std::string>> terms;
  for (const auto& [key, value] : Exact(*selector).items()) {
    terms.emplace_back(key, key + "=" + (value.is_string() ? value.get<std::string>() : ""));
  }
  for (const Json& term : Terms(*selector)) {
    terms.emplace_back(StringAt(term, {"key"}), TermText(term));
  }
  std::ranges::stable_sort(terms, {}, &std::pair<std::string, std::string>::first);
  std::string text;
  for (const auto& [key, one] : terms) text += (text.empty() ? "" : ",") + one;
  return text;
}

}  // namespace muster::e2e
