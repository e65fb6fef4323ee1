#include "operator/logging.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::app {
namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Logging, ALineIsTheMessageAndItsFields) {
  struct Case {
    Logger::Fields fields;
    std::string line;
  };
  const std::vector<Case> cases = {
      {{}, "synced"},
      {{{"nodes", "3"}, {"kind", "pods"}}, "synced nodes=3 kind=pods"},
      {{{"empty", ""}}, "synced empty=\"\""},
      {{{"text", "two words"}}, "synced text=\"two words\""},
      {{{"text", "a=b"}}, "synced text=\"a=b\""},
      {{{"text", "say \"hi\" \\"}}, R"(synced text="say \"hi\" \\")"},
      {{{"text", "one\ntwo\x01"}}, R"(synced text="one\ntwo\u0001")"},
      {{{"text", "f\xc3\xbcr"}}, "synced text=f\xc3\xbcr"},
  };
  for (const Case& c : cases) EXPECT_EQ(FormatLine("synced", c.fields), c.line);
}

TEST(Logging, WritesToAFileAtOnceAndCountersAtTheEnd) {
  const std::string path = testing::TempDir() + "muster-log-" + std::to_string(::getpid());
  (void)::unlink(path.c_str());
  {
    Result<Logger> logger = Logger::Open(path);
    ASSERT_TRUE(logger.ok());
    LogTelemetry telemetry(logger.value());
    telemetry.Log(ports::Level::kWarning, "refused {}", {{"pod", "a/b"}});
    telemetry.Log(ports::Level::kDebug, "not shown", {});
    EXPECT_TRUE(ReadFile(path).ends_with("Z warning refused {} pod=a/b\n")) << ReadFile(path);
    telemetry.Count("bindings", 2);
    telemetry.Count("abandons", 1);
    telemetry.Count("bindings", 1);
    telemetry.LogCounters();
    const std::int64_t before = telemetry.Micros();
    EXPECT_LE(before, telemetry.Micros());
  }
  EXPECT_TRUE(ReadFile(path).ends_with("Z info counters abandons=1 bindings=3\n"))
      << ReadFile(path);
  EXPECT_EQ(ReadFile(path).find("not shown"), std::string::npos);
  (void)::unlink(path.c_str());
}

TEST(Logging, AFileThatCannotBeOpenedIsAnError) {
  const Result<Logger> logger = Logger::Open("/proc/nothing/here");
  ASSERT_FALSE(logger.ok());
  EXPECT_NE(logger.error().message.find("/proc/nothing/here"), std::string::npos);
}

}  // namespace
}  // namespace muster::app
