#include "e2e/apiserver/yaml.h"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace muster::e2e {
namespace {

using nlohmann::json;

json Number(const std::string& text) {
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto [whole_end, whole_error] = std::from_chars(text.data(), end, whole);
  if (whole_error == std::errc() && whole_end == end) return whole;
  double real = 0;
  const auto [real_end, real_error] = std::from_chars(text.data(), end, real);
  const bool has_digit = text.find_first_of("0123456789") != std::string::npos;
  if (has_digit && real_error == std::errc() && real_end == end) return real;
  return text;
}

json Scalar(const std::string& tag, const std::string& text) {
  // "!" is the tag of a quoted scalar, "?" of a plain one.
  if (tag == "!" || tag == "tag:yaml.org,2002:str") return text;
  if (text.empty() || text == "~" || text == "null") return nullptr;
  if (text == "true") return true;
  if (text == "false") return false;
  return Number(text);
}

// Builds one document without recursion: the open containers are a stack, each with the key under
// which its next value goes.
class Builder : public YAML::EventHandler {
 public:
  [[nodiscard]] json Take() { return std::move(root_); }
  [[nodiscard]] bool has_alias() const { return has_alias_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { Add(nullptr); }
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {
    has_alias_ = true;
    Add(nullptr);
  }
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    if (!open_.empty() && open_.back().value->is_object() && !open_.back().has_key) {
      open_.back().key = value;
      open_.back().has_key = true;
      return;
    }
    Add(Scalar(tag, value));
  }
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    open_.push_back({.value = Add(json::array()), .key = {}, .has_key = false});
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open_.push_back({.value = Add(json::object()), .key = {}, .has_key = false});
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    json* value;
    std::string key;
    bool has_key;
  };

  json* Add(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Open& parent = open_.back();
    if (parent.value->is_array()) {
      parent.value->push_back(std::move(value));
      return &parent.value->back();
    }
    parent.has_key = false;
    json& slot = (*parent.value)[parent.key];
    slot = std::move(value);
    return &slot;
  }

  json root_;
  std::vector<Open> open_;
  bool has_alias_ = false;
};

Result<std::vector<json>> ReadDocuments(std::istream& in) {
  std::vector<json> documents;
  YAML::Parser parser(in);
  Builder builder;
  while (parser.HandleNextDocument(builder)) {
    if (builder.has_alias()) return Error{Code::kInvalidArgument, "aliases are not supported"};
    json document = builder.Take();
    if (!document.is_null()) documents.push_back(std::move(document));
    builder = Builder();
  }
  return documents;
}

}  // namespace

Result<std::vector<json>> ReadYaml(const std::string& text) {
  std::istringstream in(text);
  try {
    return ReadDocuments(in);
  } catch (const YAML::Exception& error) {
    return Error{Code::kInvalidArgument, error.what()};
  }
}

Result<std::vector<json>> ReadYamlFile(const std::string& path) {
  const std::ifstream in(path);
  if (!in) return Error{Code::kNotFound, path + ": cannot be read"};
  std::ostringstream text;
  text << in.rdbuf();
  Result<std::vector<json>> documents = ReadYaml(text.str());
  if (!documents.ok()) {
    return Error{documents.error().code, path + ": " + documents.error().message};
  }
  return documents;
}

}  // namespace muster::e2e
