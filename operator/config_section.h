// Typed reads from a map of a configuration file. A section knows the keys that it was asked for:
// every other one in it is an error, with the name that was most likely meant. A key that is not
// there leaves its value as it was. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operator/config.h"
#include "scheduler/base/result.h"
#include "scheduler/framework/args.h"

namespace muster::app {

// What the sections of one file share: its errors, and which keys there are.
class ConfigReport {
 public:
  explicit ConfigReport(std::string file) : file_(std::move(file)) {}

  void Add(std::int32_t line, std::string text);
  // What several keys say together, or the lack of one (line 0): told if no key is wrong by itself.
  void AddOfSeveral(std::int32_t line, std::string text);
  void AddKey(std::string path) { keys_.push_back(std::move(path)); }

  // The error of the first line: "<file>:<line>: <what>".
  [[nodiscard]] Result<void> result() const;
  // "leaderElection.leaseDuration": all that were asked for and are no section, in that order.
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }

 private:
  std::string file_;
  std::int32_t line_ = 0;
  std::string text_;  // "" = nothing is wrong.
  bool of_several_ = false;
  std::vector<std::string> keys_;
};

// "; did you mean "name"?", or all that are known where no name is near.
[[nodiscard]] std::string MeantText(std::string_view name,
                                    const std::vector<std::string_view>& known);

class ConfigSection {
 public:
  using Body = std::function<void(ConfigSection& in)>;
  struct Range {
    std::int64_t min = 0, max = 0;
  };
  // What is wrong with a name; "" = nothing.
  using Check = std::string (*)(std::string_view text);

  // Reads the whole of a file by `body`.
  static void ReadAll(const ConfigNode& root, ConfigReport& report, const Body& body);

  void String(std::string_view key, std::string& value, Check check);
  void Bool(std::string_view key, bool& value);
  void Integer(std::string_view key, std::int32_t& value, Range range);
  // As Go writes durations; milliseconds.
  void DurationMs(std::string_view key, std::int64_t& value, Range range);
  // One of the names of a table of pairs (name, value).
  template <class Table, class T>
  void Choice(std::string_view key, T& value, const Table& table) {
    std::vector<std::string_view> names;
    names.reserve(std::size(table));
    for (const auto& [name, meant] : table) names.push_back(name);
    if (const auto chosen = Chosen(key, names)) value = std::data(table)[*chosen].second;
  }
  void Section(std::string_view key, const Body& body);
  // Lists: of strings, none twice, and of maps, for each of which `body` runs. False: it is not
  // there.
  bool Strings(std::string_view key, std::vector<std::string>& values, Check check);
  bool Each(std::string_view key, const Body& body);
  // A map from names to true or false, whole numbers and strings: whoever it is for knows which.
  // `check` is asked about each alone.
  void Arguments(std::string_view key, scheduler::ArgMap& values,
                 const std::function<std::string(const scheduler::ArgMap& one)>& check);

  // What several keys of the section say together.
  void Refuse(std::string text) const;

 private:
  struct Place {
    std::string path;  // "" = the whole file.
    std::int32_t line = 0;
  };
  ConfigSection(const ConfigNode& node, Place place, ConfigReport& report)
      : node_(node), place_(std::move(place)), report_(report) {}

  void Run(const Body& body);
  // nullptr: it is not there.
  [[nodiscard]] const ConfigEntry* Find(std::string_view key);
  [[nodiscard]] const ConfigEntry* FindValue(std::string_view key);
  [[nodiscard]] std::optional<std::size_t> Chosen(std::string_view key,
                                                  const std::vector<std::string_view>& names);
  [[nodiscard]] std::string PathOf(std::string_view key) const;
  [[nodiscard]] std::string PathOf(std::string_view key, std::size_t item) const;
  void Wrong(const ConfigEntry& entry, const std::string& what) const;
  void Expected(const ConfigEntry& entry, const std::string& what) const;
  void RefuseUnknown() const;

  const ConfigNode& node_;  // A map, or null: nothing is there.
  const Place place_;
  ConfigReport& report_;
  std::vector<std::string_view> known_;
};

}  // namespace muster::app
