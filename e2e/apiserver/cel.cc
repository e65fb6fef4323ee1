#include "e2e/apiserver/cel.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace muster::e2e {
namespace {

enum class Token : std::uint8_t { kEnd, kName, kInt, kString, kSymbol };

bool NameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// An operand: a value that is there, or nothing after a failed evaluation.
using Value = std::optional<Json>;

std::optional<bool> AsBool(const Value& value) {
  if (!value || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

// Logic absorbs errors: `false && error` is false, whichever side fails.
Value And(const Value& a, const Value& b) {
  const auto left = AsBool(a);
  const auto right = AsBool(b);
  if (left == false || right == false) return Json(false);
  if (!left || !right) return std::nullopt;
  return Json(true);
}

Value Or(const Value& a, const Value& b) {
  const auto left = AsBool(a);
  const auto right = AsBool(b);
  if (left == true || right == true) return Json(true);
  if (!left || !right) return std::nullopt;
  return Json(false);
}

Value SizeOf(const Value& value) {
  if (!value) return std::nullopt;
  if (value->is_structured()) return Json(static_cast<std::int64_t>(value->size()));
  if (!value->is_string()) return std::nullopt;
  const auto& text = value->get_ref<const std::string&>();
  return Json(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

const Json* Select(const Json& object, const std::string& field) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(field);
  return found == object.end() ? nullptr : &*found;
}

Value ValueAt(const Json* object, const std::vector<std::string>& path) {
  for (const std::string& field : path) {
    if (object != nullptr) object = Select(*object, field);
  }
  if (object == nullptr) return std::nullopt;
  return *object;
}

// has(a.b.c): a.b must be there; then it says whether c is.
Value HasAt(const Json* object, const std::vector<std::string>& path) {
  for (std::size_t i = 0; i + 1 < path.size() && object != nullptr; ++i) {
    object = Select(*object, path[i]);
  }
  if (object == nullptr) return std::nullopt;
  return Json(Select(*object, path.back()) != nullptr);
}

Value Compare(const Value& a, const Value& b, CelRelation relation) {
  if (!a || !b) return std::nullopt;
  if (relation == CelRelation::kEqual) return Json(*a == *b);
  if (relation == CelRelation::kNotEqual) return Json(*a != *b);
  const bool ordered = (a->is_number() && b->is_number()) || (a->is_string() && b->is_string());
  if (!ordered) return std::nullopt;
  if (relation == CelRelation::kLess) return Json(*a < *b);
  if (relation == CelRelation::kLessEqual) return Json(!(*b < *a));
  return Json(relation == CelRelation::kMore ? *b < *a : !(*a < *b));
}

Value Pop(std::vector<Value>& stack) {
  Value value = std::move(stack.back());
  stack.pop_back();
  return value;
}

Value Combine(const CelStep& step, std::vector<Value>& stack) {
  const Value right = Pop(stack);
  const Value left = Pop(stack);
  if (step.op == CelOp::kAnd) return And(left, right);
  if (step.op == CelOp::kOr) return Or(left, right);
  return Compare(left, right, step.relation);
}

Value Not(const Value& value) {
  const auto truth = AsBool(value);
  if (!truth) return std::nullopt;
  return Json(!*truth);
}

// Shunting-yard (Dijkstra 1961): no recursion, so no rule is too deep.
class CelParser {
 public:
  explicit CelParser(std::string_view text) : text_(text) { Next(); }

  Result<CelRule> Run() {
    bool operand = true;  // An operand comes next, else an operator.
    while (error_.empty() && token_ != Token::kEnd) {
      operand = operand ? TakeOperand() : TakeOperator();
    }
    if (error_.empty() && operand) Fail("an operand is missing");
    while (error_.empty() && !pending_.empty()) {
      if (pending_.back() == "(") Fail("a parenthesis is not closed");
      Pop();
    }
    if (!error_.empty()) return Error{Code::kInvalidArgument, error_};
    return CelRule(std::move(steps_));
  }

 private:
  using Op = CelOp;
  using Relation = CelRelation;
  static constexpr std::array<std::string_view, 6> kRelations = {"==", "!=", "<", "<=", ">", ">="};

  void Fail(const std::string& what) {
    if (error_.empty()) error_ = what + " in CEL rule: " + std::string(text_);
  }

  static int Strength(std::string_view symbol) {
    if (symbol == "||") return 1;
    if (symbol == "&&") return 2;
    if (std::ranges::find(kRelations, symbol) != kRelations.end()) return 3;
    return symbol == "!" || symbol == "size" ? 4 : 0;
  }

  void Next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const std::size_t start = at_;
    word_.clear();
    if (at_ >= text_.size()) {
      token_ = Token::kEnd;
      return;
    }
    const char c = text_[at_];
    if (NameChar(c)) {
      while (at_ < text_.size() && NameChar(text_[at_])) ++at_;
      word_ = text_.substr(start, at_ - start);
      token_ = std::isdigit(static_cast<unsigned char>(c)) != 0 ? Token::kInt : Token::kName;
      return;
    }
    if (c == '\'' || c == '"') return TakeString(c);
    const std::string_view two = text_.substr(at_, 2);
    const bool is_two = two.size() == 2 && Strength(two) > 0;
    word_ = is_two ? two : two.substr(0, 1);
    at_ += word_.size();
    token_ = Token::kSymbol;
  }

  void TakeString(char quote) {
    const std::size_t start = at_ + 1;
    const std::size_t end = std::min(text_.find(quote, start), text_.size());
    word_ = text_.substr(start, end - start);
    at_ = end + 1;
    token_ = Token::kString;
    if (end == text_.size() || word_.find('\\') != std::string::npos) Fail("a bad string");
  }

  // True: an operand still comes next.
  bool TakeOperand() {
    if (token_ == Token::kSymbol && (word_ == "!" || word_ == "(")) {
      pending_.push_back(word_);
      Next();
      return true;
    }
    if (token_ == Token::kString || token_ == Token::kInt) {
      if (token_ == Token::kInt && word_.find_first_not_of("0123456789") != std::string::npos) {
        Fail("not a number: " + word_);
        return false;
      }
      Emit({.op = Op::kLiteral,
            .literal = token_ == Token::kString ? Json(word_) : Json::parse(word_)});
      Next();
      return false;
    }
    if (token_ != Token::kName) {
      Fail("unexpected '" + word_ + "'");
      return false;
    }
    return TakeName();
  }

  bool TakeName() {
    const std::string name = word_;
    Next();
    if (name == "true" || name == "false" || name == "null") {
      Emit({.op = Op::kLiteral, .literal = Json::parse(name)});
      return false;
    }
    if (name == "size" && word_ == "(") {
      pending_.emplace_back("size");
      return true;  // The parenthesis that follows holds its operand.
    }
    if (name == "has" && word_ == "(") {
      Next();
      const std::string root = word_;
      Next();
      EmitPath(Op::kHas, root);
      if (word_ != ")") Fail("has() takes one field");
      Next();
      return false;
    }
    EmitPath(Op::kPath, name);
    return false;
  }

  void EmitPath(Op op, const std::string& root) {
    if (root != "self" && root != "oldSelf") {
      Fail("unknown name " + root);
      return;
    }
    CelStep step{.op = op, .old = root == "oldSelf"};
    while (token_ == Token::kSymbol && word_ == ".") {
      Next();
      if (token_ != Token::kName) Fail("a field name is missing");
      step.path.push_back(word_);
      Next();
      if (token_ == Token::kSymbol && word_ == "(") Fail("unknown method " + step.path.back());
    }
    if (op == Op::kHas && step.path.empty()) Fail("has() takes a field");
    Emit(std::move(step));
  }

  // True: an operand comes next.
  bool TakeOperator() {
    if (token_ == Token::kSymbol && word_ == ")") {
      while (!pending_.empty() && pending_.back() != "(") Pop();
      if (pending_.empty()) {
        Fail("a parenthesis too many");
        return false;
      }
      pending_.pop_back();
      Next();
      return false;
    }
    const int strength = token_ == Token::kSymbol ? Strength(word_) : 0;
    if (strength == 0 || word_ == "!") {
      Fail("unexpected '" + word_ + "'");
      return false;
    }
    while (!pending_.empty() && Strength(pending_.back()) >= strength) Pop();
    pending_.push_back(word_);
    Next();
    return true;
  }

  void Pop() {
    const std::string symbol = pending_.back();
    pending_.pop_back();
    if (symbol == "!") Emit({.op = Op::kNot});
    if (symbol == "size") Emit({.op = Op::kSize});
    if (symbol == "&&") Emit({.op = Op::kAnd});
    if (symbol == "||") Emit({.op = Op::kOr});
    const auto* const found = std::ranges::find(kRelations, symbol);
    if (found == kRelations.end()) return;
    Emit({.op = Op::kCompare, .relation = static_cast<Relation>(found - kRelations.begin())});
  }

  void Emit(CelStep step) { steps_.push_back(std::move(step)); }

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_ = Token::kEnd;
  std::string word_;
  std::vector<std::string> pending_;  // Operators and open parentheses.
  std::string error_;
  std::vector<CelStep> steps_;
};

}  // namespace

Result<CelRule> CelRule::Parse(std::string_view text) {
  return CelParser(text).Run();
}

bool CelRule::uses_old_self() const {
  return std::ranges::any_of(steps_, [](const CelStep& step) { return step.old; });
}

std::optional<bool> CelRule::Evaluate(const Json& self, const Json* old_self) const {
  std::vector<Value> stack;
  for (const CelStep& step : steps_) {
    const Json* root = step.old ? old_self : &self;
    switch (step.op) {
      case CelOp::kLiteral:
        stack.emplace_back(step.literal);
        break;
      case CelOp::kPath:
        stack.push_back(ValueAt(root, step.path));
        break;
      case CelOp::kHas:
        stack.push_back(HasAt(root, step.path));
        break;
      case CelOp::kSize:
        stack.push_back(SizeOf(Pop(stack)));
        break;
      case CelOp::kNot:
        stack.push_back(Not(Pop(stack)));
        break;
      case CelOp::kAnd:
      case CelOp::kOr:
      case CelOp::kCompare:
        stack.push_back(Combine(step, stack));
        break;
    }
  }
  return AsBool(Pop(stack));
}

}  // namespace muster::e2e
