#include "operator/logging.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <iostream>
#include <utility>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "operator/log_line.h"

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

std::int64_t WallUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A full disk must not end us, and must not go unseen. Once: it holds for every line after it.
std::function<void(const std::string&)> TellOnce(const std::string& file) {
  auto told = std::make_shared<std::atomic<bool>>(false);
  return [told, file](const std::string& why) {
    if (told->exchange(true)) return;
    std::cerr << "muster: lines are lost, the log file " << file << " cannot be written: " << why
              << std::endl;
  };
}

}  // namespace

struct Logger::State {
  std::shared_ptr<spdlog::logger> logger;  // spdlog hands its loggers out so.
  LogFormat format{};
};

Logger::Logger(std::unique_ptr<State> state) : state_(std::move(state)) {}

Logger::~Logger() = default;

Logger::Logger(Logger&&) noexcept = default;

Logger& Logger::operator=(Logger&&) noexcept = default;

// Not registered with the library: no global logger, so two of them can exist in a test.
Result<Logger> Logger::Open(const LogOptions& options) {
  try {
    auto state = std::make_unique<State>();
    state->format = options.format;
    spdlog::sink_ptr sink;
    if (options.file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file);
    }
    state->logger = std::make_shared<spdlog::logger>("muster", std::move(sink));
    const bool json = options.format == LogFormat::kJson;
    state->logger->set_pattern(json ? "%v" : "%Y-%m-%dT%H:%M:%S.%eZ %v",
                               spdlog::pattern_time_type::utc);
    state->logger->set_level(LevelOf(options.level));
    state->logger->flush_on(spdlog::level::trace);
    if (!options.file.empty()) state->logger->set_error_handler(TellOnce(options.file));
    return Logger(std::move(state));
  } catch (const std::exception& thrown) {
    return Error{Code::kInvalidArgument,
                 std::string("the log file cannot be opened: ") + thrown.what()};
  }
}

bool Logger::Writes(ports::Level level) const {
  return state_->logger->should_log(LevelOf(level));
}

void Logger::Log(ports::Level level, std::string_view message, const Fields& fields) const {
  if (!Writes(level)) return;
  const bool json = state_->format == LogFormat::kJson;
  state_->logger->log(LevelOf(level), json ? JsonLine(WallUs(), level, message, fields)
                                           : TextLine(level, message, fields));
}

}  // namespace muster::app
