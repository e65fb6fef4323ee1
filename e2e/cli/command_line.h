// The command line of a program of e2e/, in the style of all programs here. A library of its own,
// since a main that includes CLI11 compiles for longer than the rest of most programs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::e2e {

// What is known of a value beside its type. Nothing given, nothing checked.
struct FlagRule {
  enum class Path { kAny, kFile, kFolder };  // The last two have to exist.

  std::string type = {};  // In the help, such as FILE; "" = what the library says of the type.
  Path path = Path::kAny;
  std::vector<std::string> choices = {};
  std::optional<std::int64_t> min = {}, max = {};  // Both or none; inclusive.
  bool commas = false;  // They part the values of one that takes several.
};

// Not movable: it keeps the addresses of the values. One thread.
class CommandLine {
 public:
  // `name`: of the program.
  CommandLine(const std::string& about, const std::string& name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `flag`: with its dashes. The value is the default, and printed as such unless it is empty or
  // optional; it outlives this. A vector takes several.
  void Add(const std::string& flag, std::string& value, const std::string& help,
           const FlagRule& rule = {});
  void Add(const std::string& flag, std::int32_t& value, const std::string& help,
           const FlagRule& rule = {});
  void Add(const std::string& flag, std::uint32_t& value, const std::string& help,
           const FlagRule& rule = {});
  void Add(const std::string& flag, std::int64_t& value, const std::string& help,
           const FlagRule& rule = {});
  void Add(const std::string& flag, std::uint64_t& value, const std::string& help,
           const FlagRule& rule = {});
  void Add(const std::string& flag, std::optional<std::int32_t>& value, const std::string& help,
           const FlagRule& rule = {});
  void Add(const std::string& flag, std::vector<std::string>& value, const std::string& help,
           const FlagRule& rule = {});
  void Add(const std::string& flag, std::vector<std::int32_t>& value, const std::string& help,
           const FlagRule& rule = {});
  // A flag without a value turns it round.
  void Add(const std::string& flag, bool& value, const std::string& help);

  template <typename Enum>
  void AddChoice(const std::string& flag, Enum& value, const std::map<std::string, Enum>& names,
                 const std::string& help) {
    FlagRule rule{.type = "NAME"};
    for (const auto& [name, one] : names) rule.choices.push_back(name);
    AddChosen(
        flag, [&value, names](const std::string& name) { value = names.at(name); }, help, rule);
  }

  // Nothing: go on. Else what the program returns at once: what is wrong, or the help, is printed.
  [[nodiscard]] std::optional<int> Parse(int argc, char** argv);

 private:
  struct App;

  void AddChosen(const std::string& flag, const std::function<void(const std::string&)>& chosen,
                 const std::string& help, const FlagRule& rule);

  const std::unique_ptr<App> app_;
};

}  // namespace muster::e2e
