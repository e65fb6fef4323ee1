#include "operator/logging.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "operator/log_line.h"

namespace muster::app {
namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Logging, WritesToAFileAtOnce) {
  const std::string path = testing::TempDir() + "muster-log-" + std::to_string(::getpid());
  (void)::unlink(path.c_str());
  {
    Result<Logger> logger = Logger::Open({.file = path});
    ASSERT_TRUE(logger.ok());
    logger.value().Log(ports::Level::kWarning, "refused {}", {{"pod", "a/b"}});
    logger.value().Log(ports::Level::kDebug, "not shown", {});
    EXPECT_TRUE(ReadFile(path).ends_with("Z warning refused {} pod=a/b\n")) << ReadFile(path);
  }
  EXPECT_EQ(ReadFile(path).find("not shown"), std::string::npos);
  (void)::unlink(path.c_str());
}

TEST(Logging, WritesWhatIsOfTheLevelAndAbove) {
  const std::string path = testing::TempDir() + "muster-log-level-" + std::to_string(::getpid());
  for (const ports::Level least :
       {ports::Level::kDebug, ports::Level::kInfo, ports::Level::kWarning, ports::Level::kError}) {
    (void)::unlink(path.c_str());
    const Result<Logger> logger = Logger::Open({.file = path, .level = least});
    ASSERT_TRUE(logger.ok());
    std::string expected;
    for (const ports::Level level : {ports::Level::kDebug, ports::Level::kInfo,
                                     ports::Level::kWarning, ports::Level::kError}) {
      logger.value().Log(level, "line");
      EXPECT_EQ(logger.value().Writes(level), level >= least);
      if (level >= least) expected.append(LevelName(level)).append(" line\n");
    }
    std::string written;
    std::istringstream lines(ReadFile(path));
    for (std::string line; std::getline(lines, line);) {
      written += line.substr(line.find(' ') + 1) + "\n";  // Behind the time.
    }
    EXPECT_EQ(written, expected);
  }
  (void)::unlink(path.c_str());
}

TEST(Logging, WritesLinesOfJson) {
  const std::string path = testing::TempDir() + "muster-log-json-" + std::to_string(::getpid());
  (void)::unlink(path.c_str());
  const Result<Logger> logger = Logger::Open({.file = path, .format = LogFormat::kJson});
  ASSERT_TRUE(logger.ok());
  for (int i = 0; i < 3; ++i) {
    logger.value().Log(ports::Level::kInfo, "synced {}", {{"text", "a\n%v \"b\""}, {"i", i}});
  }
  std::istringstream lines(ReadFile(path));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object()) << line;
    EXPECT_EQ(json["msg"], "synced {}");
    EXPECT_EQ(json["text"], "a\n%v \"b\"");
    EXPECT_EQ(json["i"], count);
    EXPECT_GT(json["ts"].get<double>(), 1.7e9);
  }
  EXPECT_EQ(count, 3);
  (void)::unlink(path.c_str());
}

// /dev/full takes no byte.
TEST(Logging, AFileThatCannotBeWrittenIsToldOnStderrOnce) {
  testing::internal::CaptureStderr();
  {
    const Result<Logger> logger = Logger::Open({.file = "/dev/full"});
    ASSERT_TRUE(logger.ok());
    for (int i = 0; i < 3; ++i) logger.value().Log(ports::Level::kInfo, "line");
  }
  const std::string err = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(err.starts_with("muster: lines are lost, the log file /dev/full cannot be written: "))
      << err;
  EXPECT_EQ(err.find('\n'), err.size() - 1) << err;
}

TEST(Logging, AFileThatCannotBeOpenedIsAnError) {
  const Result<Logger> logger = Logger::Open({.file = "/proc/nothing/here"});
  ASSERT_FALSE(logger.ok());
  EXPECT_NE(logger.error().message.find("/proc/nothing/here"), std::string::npos);
}

}  // namespace
}  // namespace muster::app
