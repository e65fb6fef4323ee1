#include "operator/cli_style.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace muster::app {
namespace {

// The default stands behind the text, also that of a flag without a value.
class Help final : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    const bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    return " " + option->get_type_name() + (many ? " ..." : "");
  }
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override {
    const std::string& given = option->get_default_str();
    const std::string environment = option->get_envname();
    std::string text = option->get_description();
    if (!given.empty()) text += " (default " + given + ")";
    if (!environment.empty()) text += " (default: environment variable " + environment + ")";
    return text;
  }
};

}  // namespace

void SetStyle(CLI::App& app) {
  app.formatter(std::make_shared<Help>());
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    const std::string& name = failed->get_name();
    return name + ": " + error.what() + "; " + name + " --help lists the flags\n";
  });
}

}  // namespace muster::app
