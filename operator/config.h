// A YAML file as a tree that knows its lines. It knows nothing of keys; what a file of ours may not
// have is refused here: a key twice, a second document, an alias, a tag. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/base/result.h"

namespace muster::app {

struct ConfigEntry;

struct ConfigNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kMap, kList };

  ConfigNode();
  ConfigNode(Kind kind_in, std::int32_t line_in);
  ConfigNode(ConfigNode&& other) noexcept;
  ConfigNode& operator=(ConfigNode&& other) noexcept;
  ConfigNode(const ConfigNode&) = delete;
  ConfigNode& operator=(const ConfigNode&) = delete;
  ~ConfigNode();

  Kind kind = Kind::kNull;
  std::int32_t line = 0;             // From 1.
  std::string text;                  // Of a scalar.
  bool quoted = false;               // A string, whatever it looks like.
  std::vector<ConfigEntry> entries;  // Of a map, in the order of the file; of a list, without keys.
};

struct ConfigEntry {
  std::string key;
  std::int32_t line = 0;  // Of the key.
  ConfigNode value;
};

// Where an entry is a complete type.
inline ConfigNode::ConfigNode() = default;
inline ConfigNode::ConfigNode(Kind kind_in, std::int32_t line_in) : kind(kind_in), line(line_in) {}
inline ConfigNode::ConfigNode(ConfigNode&& other) noexcept = default;
inline ConfigNode& ConfigNode::operator=(ConfigNode&& other) noexcept = default;
inline ConfigNode::~ConfigNode() = default;

// The map that the text is. Errors are one line each, "<file>:<line>: <what>".
[[nodiscard]] Result<ConfigNode> ParseConfig(const std::string& yaml, const std::string& file);

}  // namespace muster::app
