#include "e2e/apiserver/selectors.h"

#include <algorithm>
#include <utility>

namespace muster::e2e {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Commas inside parentheses do not separate.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    terms.push_back(Trim(text.substr(start, i - start)));
    start = i + 1;
  }
  return terms;
}

bool ValidLabelPart(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  });
}

ApiError BadLabels(std::string_view term) {
  return BadRequest("unable to parse requirement: invalid label selector \"" + std::string(term) +
                    "\"");
}

std::string ScalarText(const Json* value) {
  if (value == nullptr) return "";
  return value->is_string() ? value->get<std::string>() : Dump(*value);
}

}  // namespace

// "key in (a, b)", "key notin (a)".
Outcome<Selector::LabelTerm> Selector::ParseSetTerm(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::string_view head = Trim(text.substr(0, std::min(open, text.size())));
  const std::size_t space = head.rfind(' ');
  if (open == std::string_view::npos || space == std::string_view::npos) return BadLabels(text);
  const std::string_view op = head.substr(space + 1);
  if (op != "in" && op != "notin") return BadLabels(text);
  LabelTerm term;
  term.key = Trim(head.substr(0, space));
  term.op = op == "in" ? Op::kIn : Op::kNotIn;
  for (const auto value : SplitTerms(text.substr(open + 1, text.size() - open - 2))) {
    if (!value.empty() && !ValidLabelPart(value)) return BadLabels(text);
    term.values.emplace_back(value);
  }
  if (!ValidLabelPart(term.key)) return BadLabels(text);
  return term;
}

// "key=value", "key==value", "key!=value".
Outcome<Selector::LabelTerm> Selector::ParseEquality(std::string_view text, std::size_t equals) {
  const bool differs = equals > 0 && text[equals - 1] == '!';
  const bool doubled = text.substr(equals + 1).starts_with('=');
  LabelTerm term;
  term.op = differs ? Op::kNotIn : Op::kIn;
  term.key = Trim(text.substr(0, differs ? equals - 1 : equals));
  const std::string_view value = Trim(text.substr(equals + (doubled ? 2 : 1)));
  if (!value.empty() && !ValidLabelPart(value)) return BadLabels(text);
  if (!ValidLabelPart(term.key)) return BadLabels(text);
  term.values.emplace_back(value);
  return term;
}

Outcome<Selector::LabelTerm> Selector::ParseLabelTerm(std::string_view text) {
  if (text.ends_with(')')) return ParseSetTerm(text);
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) return ParseEquality(text, equals);
  LabelTerm term;
  term.op = text.starts_with('!') ? Op::kMissing : Op::kExists;
  if (term.op == Op::kMissing) text.remove_prefix(1);
  term.key = Trim(text);
  if (!ValidLabelPart(term.key)) return BadLabels(text);
  return term;
}

Outcome<Selector::FieldTerm> Selector::ParseFieldTerm(const Kind& kind, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return BadRequest("invalid selector: '" + std::string(text) + "'; can't understand '" +
                      std::string(text) + "'");
  }
  FieldTerm term;
  term.equal = text[equals - 1] != '!';
  const bool doubled = text.substr(equals + 1).starts_with('=');
  const std::string_view label = Trim(text.substr(0, term.equal ? equals : equals - 1));
  term.value = Trim(text.substr(equals + (doubled ? 2 : 1)));
  const auto known = std::ranges::find(kind.fields, label, &SelectableField::label);
  if (known == kind.fields.end()) {
    return BadRequest("field label not supported: " + std::string(label));
  }
  term.path = known->path;
  return term;
}

Outcome<Selector> Selector::Parse(const Kind& kind, const std::string& labels,
                                  const std::string& fields) {
  Selector selector;
  const auto label_texts = labels.empty() ? std::vector<std::string_view>() : SplitTerms(labels);
  for (const auto text : label_texts) {
    auto term = ParseLabelTerm(text);
    if (!term.ok()) return term.error();
    selector.labels_.push_back(std::move(term.value()));
  }
  const auto field_texts = fields.empty() ? std::vector<std::string_view>() : SplitTerms(fields);
  for (const auto text : field_texts) {
    auto term = ParseFieldTerm(kind, text);
    if (!term.ok()) return term.error();
    selector.fields_.push_back(std::move(term.value()));
  }
  return selector;
}

bool Selector::MatchesLabel(const LabelTerm& term, const Json* labels) {
  const Json* value = labels == nullptr ? nullptr : Find(*labels, {term.key});
  switch (term.op) {
    case Op::kExists:
      return value != nullptr;
    case Op::kMissing:
      return value == nullptr;
    case Op::kIn:
    case Op::kNotIn:
      break;
  }
  const bool listed =
      value != nullptr && value->is_string() &&
      std::ranges::find(term.values, value->get_ref<const std::string&>()) != term.values.end();
  return listed == (term.op == Op::kIn);
}

bool Selector::MatchesField(const FieldTerm& term, const Json& object) {
  const Json* value = Find(object, term.path);
  const bool unset_bool = value == nullptr && term.value == "false";  // A bool that is omitted.
  return (unset_bool || ScalarText(value) == term.value) == term.equal;
}

bool Selector::Matches(const Json& object) const {
  const Json* labels =
      labels_.empty() ? nullptr : muster::e2e::Find(object, {"metadata", "labels"});
  return std::ranges::all_of(labels_,
                             [&](const LabelTerm& term) { return MatchesLabel(term, labels); }) &&
         std::ranges::all_of(fields_,
                             [&](const FieldTerm& term) { return MatchesField(term, object); });
}

}  // namespace muster::e2e
