// Log lines as text, to stderr or a file: time, level, a constant message, then key=value. From any
// thread. Every line is flushed: the last lines before a crash are the ones that matter.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "controllers/ports/telemetry.h"
#include "scheduler/base/result.h"

namespace muster::app {

class Logger {
 public:
  using Fields = ports::Telemetry::Fields;

  // "" = stderr. A file is appended to.
  [[nodiscard]] static Result<Logger> Open(const std::string& file);
  ~Logger();
  Logger(Logger&&) noexcept;
  Logger& operator=(Logger&&) noexcept;

  // kDebug is dropped. A value with spaces, quotes or line ends is written as a quoted string.
  void Log(ports::Level level, std::string_view message, const Fields& fields = {}) const;

 private:
  struct State;
  explicit Logger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What the controllers say, as log lines; their counters are one line at the end. Loop thread only.
class LogTelemetry final : public ports::Telemetry {
 public:
  explicit LogTelemetry(const Logger& logger) : logger_(logger) {}

  void Log(ports::Level level, std::string_view message, Fields fields) override;
  void Count(std::string_view counter, std::int64_t by) override;
  [[nodiscard]] std::int64_t Micros() const override;

  void LogCounters() const;

 private:
  const Logger& logger_;
  std::map<std::string, std::int64_t, std::less<>> counters_;
};

// "message key=value key="two words"": the part of a line behind time and level.
[[nodiscard]] std::string FormatLine(std::string_view message, const Logger::Fields& fields);

}  // namespace muster::app
