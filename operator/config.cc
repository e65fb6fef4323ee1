#include "operator/config.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "operator/json_text.h"

namespace muster::app {
namespace {

using Kind = ConfigNode::Kind;

// Deeper than any key lies.
constexpr std::size_t kDepthMax = 16;
constexpr std::size_t kNameShownMax = 64;

std::int32_t LineOf(const YAML::Mark& mark) {
  return mark.line + 1;
}

struct Problem {
  std::int32_t line = 0;
  std::string text;
};

// After the first problem it hears nothing more.
class TreeBuilder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) Refuse(mark, "a second document: a configuration is one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Add(mark, {Kind::kNull, LineOf(mark)});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Refuse(mark, "an alias: write the value itself");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    if (RefuseTag(mark, tag)) return;
    ConfigNode node(Kind::kScalar, LineOf(mark));
    node.text = value;
    node.quoted = tag == "!";  // The library's tag of what stands in quotes.
    Add(mark, std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    Begin(mark, tag, Kind::kList);
  }
  void OnSequenceEnd() override { End(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    Begin(mark, tag, Kind::kMap);
  }
  void OnMapEnd() override { End(); }

  [[nodiscard]] const std::optional<Problem>& problem() const { return problem_; }
  ConfigNode TakeRoot() { return std::move(root_); }

 private:
  struct Open {
    ConfigNode node;
    std::optional<ConfigEntry> next;  // Of a map: its key was read, its value comes.
  };

  void Refuse(const YAML::Mark& mark, std::string text) {
    if (!problem_) problem_ = {LineOf(mark), std::move(text)};
  }

  bool RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    const bool own = !tag.empty() && tag != "?" && tag != "!";
    if (own) Refuse(mark, "a tag: write the value itself");
    return own;
  }

  // True: a map is open, and what comes is a key of it.
  [[nodiscard]] bool AwaitsKey() const {
    return !open_.empty() && open_.back().node.kind == Kind::kMap && !open_.back().next;
  }

  void Begin(const YAML::Mark& mark, const std::string& tag, Kind kind) {
    if (problem_ || RefuseTag(mark, tag)) return;
    if (AwaitsKey()) return Refuse(mark, "a key has to be a name");
    if (open_.size() == kDepthMax) return Refuse(mark, "nested too deeply");
    open_.push_back({ConfigNode(kind, LineOf(mark)), {}});
  }

  void End() {
    if (problem_) return;
    ConfigNode node = std::move(open_.back().node);
    open_.pop_back();
    Attach(std::move(node));
  }

  void Add(const YAML::Mark& mark, ConfigNode node) {
    if (problem_) return;
    if (!AwaitsKey()) return Attach(std::move(node));
    if (node.kind != Kind::kScalar) return Refuse(mark, "a key has to be a name");
    const auto& entries = open_.back().node.entries;
    const auto same = std::ranges::find(entries, node.text, &ConfigEntry::key);
    if (same != entries.end()) {
      return Refuse(mark, "duplicate key " + Quoted(node.text.substr(0, kNameShownMax)) +
                              ": it is in line " + std::to_string(same->line) + " too");
    }
    open_.back().next = ConfigEntry{.key = std::move(node.text), .line = node.line, .value = {}};
  }

  void Attach(ConfigNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    ConfigEntry entry = std::exchange(parent.next, std::nullopt).value_or(ConfigEntry());
    entry.value = std::move(node);
    parent.node.entries.push_back(std::move(entry));
  }

  int documents_ = 0;
  ConfigNode root_;
  std::vector<Open> open_;  // From the outermost in.
  std::optional<Problem> problem_;
};

// The library ends a parse that fails by throwing.
std::optional<Problem> Build(const std::string& yaml, TreeBuilder& builder) {
  try {
    std::istringstream in(yaml);
    YAML::Parser parser(in);
    while (!builder.problem() && parser.HandleNextDocument(builder)) {
    }
    return builder.problem();
  } catch (const YAML::Exception& thrown) {
    // What was refused before is what the reader stands in front of.
    if (builder.problem()) return builder.problem();
    // Some of its texts end with the character that it stumbled over.
    std::string text = thrown.msg;
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return Problem{LineOf(thrown.mark), "no YAML: " + text};
  }
}

}  // namespace

Result<ConfigNode> ParseConfig(const std::string& yaml, const std::string& file) {
  TreeBuilder builder;
  const std::optional<Problem> problem = Build(yaml, builder);
  const auto bad = [&file](std::int32_t line, const std::string& text) {
    return Error{Code::kInvalidArgument, file + ":" + std::to_string(line) + ": " + text};
  };
  if (problem) return bad(std::max(problem->line, 1), problem->text);
  ConfigNode root = builder.TakeRoot();
  if (root.kind == Kind::kNull) return Error{Code::kInvalidArgument, file + ": is empty"};
  if (root.kind != Kind::kMap) return bad(root.line, "expected a map of keys");
  return root;
}

}  // namespace muster::app
