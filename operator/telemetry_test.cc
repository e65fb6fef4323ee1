#include "operator/telemetry.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::app {
namespace {

TEST(ProcessTelemetry, LinesGoToTheLogNumbersToTheMetricsAndCountersToBoth) {
  const std::string path = testing::TempDir() + "muster-telemetry-" + std::to_string(::getpid());
  (void)::unlink(path.c_str());
  Metrics metrics("muster");
  {
    const Result<Logger> logger = Logger::Open({.file = path});
    ASSERT_TRUE(logger.ok());
    ProcessTelemetry telemetry(logger.value(), metrics);
    telemetry.Log(ports::Level::kWarning, "refused", {{"pod", "a/b"}});
    telemetry.Count("entries_abandoned", 2, {{"reason", "Timeout"}});
    telemetry.Count("bindings_sent", 1);
    telemetry.Count("entries_abandoned", 1, {{"reason", "NoFit"}});
    telemetry.Gauge("pending_gangs", 4, {{"queue", "q"}});
    telemetry.Observe("pod_scheduling_attempts", 1, {});
    telemetry.LogCounters();
    const std::int64_t before = telemetry.Micros();
    EXPECT_LE(before, telemetry.Micros());
  }
  std::ostringstream log;
  log << std::ifstream(path).rdbuf();
  EXPECT_NE(log.str().find("Z warning refused pod=a/b\n"), std::string::npos) << log.str();
  EXPECT_TRUE(log.str().ends_with("Z info counters bindings_sent=1 entries_abandoned=3\n"))
      << log.str();
  const std::string text = metrics.Text();
  for (const char* line :
       {"muster_entries_abandoned_total{reason=\"Timeout\"} 2\n", "muster_bindings_sent_total 1\n",
        "muster_pending_gangs{queue=\"q\"} 4\n", "scheduler_pod_scheduling_attempts_count 1\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
  ProcessTelemetry(Logger::Open({}).value(), metrics).Forget({{"queue", "q"}});
  EXPECT_EQ(metrics.Text().find("muster_pending_gangs{queue"), std::string::npos);
  (void)::unlink(path.c_str());
}

}  // namespace
}  // namespace muster::app
