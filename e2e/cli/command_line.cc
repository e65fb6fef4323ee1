#include "e2e/cli/command_line.h"

#include <CLI/CLI.hpp>

#include "operator/cli_style.h"

namespace muster::e2e {
namespace {

void SetRule(CLI::Option& option, const FlagRule& rule) {
  if (!rule.type.empty()) option.type_name(rule.type);
  if (rule.path == FlagRule::Path::kFile) option.check(CLI::ExistingFile.description(""));
  if (rule.path == FlagRule::Path::kFolder) option.check(CLI::ExistingDirectory.description(""));
  if (!rule.choices.empty()) option.check(CLI::IsMember(rule.choices));
  if (rule.min && rule.max) {
    CLI::Range range(*rule.min, *rule.max);
    option.check(range.description(""));
  }
}

}  // namespace

struct CommandLine::App {
  App(const std::string& about, const std::string& name) : cli(about, name) {}

  template <typename Value>
  void Add(const std::string& flag, Value& value, const std::string& help, const FlagRule& rule) {
    CLI::Option& option = *cli.add_option(flag, value, help);
    option.capture_default_str();
    SetRule(option, rule);
  }
  template <typename Value>
  void AddMany(const std::string& flag, std::vector<Value>& value, const std::string& help,
               const FlagRule& rule) {
    CLI::Option& option = *cli.add_option(flag, value, help);
    if (rule.commas) option.delimiter(',');
    SetRule(option, rule);
  }

  CLI::App cli;
};

CommandLine::CommandLine(const std::string& about, const std::string& name)
    : app_(std::make_unique<App>(about, name)) {
  app::SetStyle(app_->cli);
}

CommandLine::~CommandLine() = default;

void CommandLine::Add(const std::string& flag, std::string& value, const std::string& help,
                      const FlagRule& rule) {
  app_->Add(flag, value, help, rule);
}

void CommandLine::Add(const std::string& flag, std::int32_t& value, const std::string& help,
                      const FlagRule& rule) {
  app_->Add(flag, value, help, rule);
}

void CommandLine::Add(const std::string& flag, std::uint32_t& value, const std::string& help,
                      const FlagRule& rule) {
  app_->Add(flag, value, help, rule);
}

void CommandLine::Add(const std::string& flag, std::int64_t& value, const std::string& help,
                      const FlagRule& rule) {
  app_->Add(flag, value, help, rule);
}

void CommandLine::Add(const std::string& flag, std::uint64_t& value, const std::string& help,
                      const FlagRule& rule) {
  app_->Add(flag, value, help, rule);
}

void CommandLine::Add(const std::string& flag, std::optional<std::int32_t>& value,
                      const std::string& help, const FlagRule& rule) {
  SetRule(*app_->cli.add_option(flag, value, help), rule);
}

void CommandLine::Add(const std::string& flag, std::vector<std::string>& value,
                      const std::string& help, const FlagRule& rule) {
  app_->AddMany(flag, value, help, rule);
}

void CommandLine::Add(const std::string& flag, std::vector<std::int32_t>& value,
                      const std::string& help, const FlagRule& rule) {
  app_->AddMany(flag, value, help, rule);
}

void CommandLine::Add(const std::string& flag, bool& value, const std::string& help) {
  app_->cli.add_flag_callback(
      flag, [&value] { value = !value; }, help);
}

void CommandLine::AddChosen(const std::string& flag,
                            const std::function<void(const std::string&)>& chosen,
                            const std::string& help, const FlagRule& rule) {
  SetRule(*app_->cli.add_option_function<std::string>(flag, chosen, help), rule);
}

std::optional<int> CommandLine::Parse(int argc, char** argv) {
  try {
    app_->cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->cli.exit(error);
  }
  return std::nullopt;
}

}  // namespace muster::e2e
