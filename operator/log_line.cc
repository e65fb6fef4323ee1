#include "operator/log_line.h"

#include <algorithm>
#include <variant>

#include "operator/json_text.h"

namespace muster::app {
namespace {

// May stand without quotes: nothing in it could be taken for the end of the value.
bool IsPlain(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '"' && c != '=' && c != '\\' && c != 0x7f;
  });
}

bool HasControls(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

void AppendKey(std::string& out, std::string_view key) {
  if (!out.ends_with('{')) out += ',';
  AppendQuoted(out, key);
  out += ':';
}

void AppendJson(std::string& out, const ports::FieldValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    out += std::to_string(*number);
  } else if (const auto* object = std::get_if<ports::ObjectRef>(&value)) {
    out += '{';
    AppendKey(out, "name");
    AppendQuoted(out, object->name);
    AppendKey(out, "namespace");
    AppendQuoted(out, object->ns);
    out += '}';
  } else {
    AppendQuoted(out, ports::TextOf(value));
  }
}

// As klog's verbosity: what is only of use for debugging has 4.
std::int64_t VerbosityOf(ports::Level level) {
  return level == ports::Level::kDebug ? 4 : 0;
}

}  // namespace

std::string_view LevelName(ports::Level level) {
  switch (level) {
    case ports::Level::kDebug:
      return "debug";
    case ports::Level::kInfo:
      return "info";
    case ports::Level::kWarning:
      return "warning";
    case ports::Level::kError:
      return "error";
  }
  return "error";
}

std::string TextLine(ports::Level level, std::string_view message,
                     const ports::Telemetry::Fields& fields) {
  std::string line(LevelName(level));
  line += ' ';
  // Constant but for a warning that names what an object has wrong.
  if (HasControls(message)) {
    AppendQuoted(line, message);
  } else {
    line += message;
  }
  for (const auto& [key, value] : fields) {
    line.append(" ").append(key).append("=");
    const std::string text = ports::TextOf(value);
    if (IsPlain(text)) {
      line += text;
    } else {
      AppendQuoted(line, text);
    }
  }
  return line;
}

std::string JsonLine(std::int64_t wall_us, ports::Level level, std::string_view message,
                     const ports::Telemetry::Fields& fields) {
  constexpr std::int64_t kSecondUs = 1'000'000;
  std::string line = "{";
  AppendKey(line, "ts");
  const std::string us = std::to_string(kSecondUs + wall_us % kSecondUs);
  line.append(std::to_string(wall_us / kSecondUs)).append(".").append(us, 1);
  AppendKey(line, "level");
  AppendQuoted(line, LevelName(level));
  if (level != ports::Level::kError) {
    AppendKey(line, "v");
    line += std::to_string(VerbosityOf(level));
  }
  AppendKey(line, "msg");
  AppendQuoted(line, message);
  for (const auto& [key, value] : fields) {
    AppendKey(line, key);
    AppendJson(line, value);
  }
  line += '}';
  return line;
}

}  // namespace muster::app
