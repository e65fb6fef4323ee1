#include "operator/logging.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace muster::app {
namespace {

spdlog::level::level_enum LevelOf(ports::Level level) {
  switch (level) {
    case ports::Level::kDebug:
      return spdlog::level::debug;
    case ports::Level::kInfo:
      return spdlog::level::info;
    case ports::Level::kWarning:
      return spdlog::level::warn;
    case ports::Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// May stand without quotes: nothing in it could be taken for the end of the value.
bool IsPlain(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '"' && c != '=' && c != '\\' && c != 0x7f;
  });
}

// Quotes as JSON does, so that a value can neither end its line nor forge another field.
void AppendQuoted(std::string& out, std::string_view value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '"';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < ' ' || byte == 0x7f) {
      out.append("\\u00").append(1, kDigits[byte / 16]).append(1, kDigits[byte % 16]);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  out += '"';
}

}  // namespace

struct Logger::State {
  std::shared_ptr<spdlog::logger> logger;  // spdlog hands its loggers out so.
};

Logger::Logger(std::unique_ptr<State> state) : state_(std::move(state)) {}

Logger::~Logger() = default;

Logger::Logger(Logger&&) noexcept = default;

Logger& Logger::operator=(Logger&&) noexcept = default;

// Not registered with the library: no global logger, so two of them can exist in a test.
Result<Logger> Logger::Open(const std::string& file) {
  try {
    auto state = std::make_unique<State>();
    spdlog::sink_ptr sink;
    if (file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    }
    state->logger = std::make_shared<spdlog::logger>("muster", std::move(sink));
    state->logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    state->logger->flush_on(spdlog::level::info);
    return Logger(std::move(state));
  } catch (const std::exception& thrown) {
    return Error{Code::kInvalidArgument,
                 std::string("the log file cannot be opened: ") + thrown.what()};
  }
}

void Logger::Log(ports::Level level, std::string_view message, const Fields& fields) const {
  state_->logger->log(LevelOf(level), FormatLine(message, fields));
}

void LogTelemetry::Log(ports::Level level, std::string_view message, Fields fields) {
  logger_.Log(level, message, fields);
}

// Looked up without making a string: this runs for every Binding.
void LogTelemetry::Count(std::string_view counter, std::int64_t by) {
  auto found = counters_.find(counter);
  if (found == counters_.end()) found = counters_.emplace(std::string(counter), 0).first;
  found->second += by;
}

std::int64_t LogTelemetry::Micros() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void LogTelemetry::LogCounters() const {
  Fields fields;
  for (const auto& [name, value] : counters_) fields.emplace_back(name, std::to_string(value));
  logger_.Log(ports::Level::kInfo, "counters", fields);
}

std::string FormatLine(std::string_view message, const Logger::Fields& fields) {
  std::string line(message);
  for (const auto& [key, value] : fields) {
    line.append(" ").append(key).append("=");
    if (IsPlain(value)) {
      line += value;
    } else {
      AppendQuoted(line, value);
    }
  }
  return line;
}

}  // namespace muster::app
