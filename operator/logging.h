// Log lines, to stderr or a file, as text or as JSON (log_line.h). From any thread. Every line is
// flushed: the last lines before a crash are the ones that matter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/ports/telemetry.h"
#include "scheduler/base/result.h"

namespace muster::app {

enum class LogFormat : std::uint8_t { kText, kJson };

// As a flag or a key says it.
inline constexpr std::array<std::pair<std::string_view, LogFormat>, 2> kLogFormats = {
    {{"text", LogFormat::kText}, {"json", LogFormat::kJson}}};
inline constexpr std::array<std::pair<std::string_view, ports::Level>, 4> kLogLevels = {
    {{"debug", ports::Level::kDebug},
     {"info", ports::Level::kInfo},
     {"warning", ports::Level::kWarning},
     {"error", ports::Level::kError}}};

struct LogOptions {
  std::string file;  // Appended to; "" = stderr.
  LogFormat format = LogFormat::kText;
  ports::Level level = ports::Level::kInfo;  // The least that is written.
};

class Logger {
 public:
  using Fields = ports::Telemetry::Fields;

  [[nodiscard]] static Result<Logger> Open(const LogOptions& options);
  ~Logger();
  Logger(Logger&&) noexcept;
  Logger& operator=(Logger&&) noexcept;

  // Whether a line of this level is written.
  [[nodiscard]] bool Writes(ports::Level level) const;
  // Where the file cannot be written stderr says so, once until it can be again.
  void Log(ports::Level level, std::string_view message, const Fields& fields = {}) const;

 private:
  struct State;
  explicit Logger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace muster::app
