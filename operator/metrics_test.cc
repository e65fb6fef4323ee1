#include "operator/metrics.h"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "operator/metric_table.h"

namespace muster::app {
namespace {

// The lines that name `part`, but HELP and TYPE.
std::string LinesWith(const Metrics& metrics, const std::string& part) {
  std::istringstream text(metrics.Text());
  std::string found;
  for (std::string line; std::getline(text, line);) {
    if (line[0] != '#' && line.find(part) != std::string::npos) found += line + "\n";
  }
  return found;
}

TEST(Metrics, AreServedInBaseUnitsWithTheLabelsOfTheirRow) {
  Metrics metrics("muster");
  metrics.Count("schedule_attempts", 2, {{"result", "scheduled"}});
  metrics.Count("schedule_attempts", 1, {{"result", "scheduled"}});
  EXPECT_EQ(LinesWith(metrics, "scheduler_schedule_attempts_total"),
            "scheduler_schedule_attempts_total{profile=\"muster\",result=\"scheduled\"} 3\n");
  metrics.Gauge("queue_resource_usage", 16'500, {{"queue", "q"}, {"resource", "cpu"}});
  metrics.Gauge("queue_resource_usage", 8'000, {{"queue", "q"}, {"resource", "nvidia.com/gpu"}});
  metrics.Gauge("queue_resource_usage", 1'024, {{"queue", "q"}, {"resource", "memory"}});
  EXPECT_EQ(LinesWith(metrics, "muster_queue_resource_usage"),
            "muster_queue_resource_usage{queue=\"q\",resource=\"cpu\"} 16.5\n"
            "muster_queue_resource_usage{queue=\"q\",resource=\"memory\"} 1024\n"
            "muster_queue_resource_usage{queue=\"q\",resource=\"nvidia.com/gpu\"} 8\n");
}

TEST(Metrics, AHistogramIsInSeconds) {
  Metrics metrics("muster");
  metrics.Observe("admission_wait_ms", 2'400, {{"queue", "q"}});
  metrics.Observe("admission_wait_ms", 900, {{"queue", "q"}});
  const std::string lines = LinesWith(metrics, "admission_wait");
  for (const char* line :
       {"_bucket{queue=\"q\",le=\"1\"} 1\n", "_bucket{queue=\"q\",le=\"2.5\"} 2\n",
        "_bucket{queue=\"q\",le=\"+Inf\"} 2\n", "_sum{queue=\"q\"} 3.3\n"}) {
    EXPECT_NE(lines.find(line), std::string::npos) << line << lines;
  }
}

TEST(Metrics, WhatHasNoLabelsExistsFromTheStart) {
  Metrics metrics("muster");
  EXPECT_EQ(LinesWith(metrics, "muster_lost_wakeups_total"), "muster_lost_wakeups_total 0\n");
  EXPECT_NE(LinesWith(metrics, "muster_build_info").find("version=\"0."), std::string::npos);
}

TEST(Metrics, ValuesOfLabelsAreEscaped) {
  Metrics metrics("muster");
  metrics.Gauge("pending_gangs", 1, {{"queue", "a\"b\\c\nd"}});
  EXPECT_EQ(LinesWith(metrics, "muster_pending_gangs"),
            "muster_pending_gangs{queue=\"a\\\"b\\\\c\\nd\"} 1\n");
}

TEST(Metrics, SeriesEndWithTheirQueueAndNoOthersDo) {
  Metrics metrics("muster");
  for (const char* queue : {"active", "activeb"}) {
    metrics.Gauge("pending_gangs", 1, {{"queue", queue}});
    metrics.Count("gangs_bound", 1, {{"queue", queue}});
    metrics.Observe("admission_wait_ms", 1, {{"queue", queue}});
    for (const char* resource : {"cpu", "memory"}) {
      metrics.Gauge("queue_nominal_quota", 1, {{"queue", queue}, {"resource", resource}});
    }
  }
  // What kube-scheduler calls a queue is none.
  metrics.Gauge("pending_pods", 5, {{"queue", "active"}});
  metrics.Forget({{"queue", "active"}, {"resource", "cpu"}});
  EXPECT_EQ(LinesWith(metrics, "{queue=\"active\",resource"),
            "muster_queue_nominal_quota{queue=\"active\",resource=\"memory\"} 1\n");
  metrics.Forget({{"queue", "active"}});
  EXPECT_EQ(LinesWith(metrics, "\"active\""), "scheduler_pending_pods{queue=\"active\"} 5\n");
  EXPECT_NE(LinesWith(metrics, "muster_pending_gangs{queue=\"activeb\"}"), "");
  metrics.Count("gangs_bound", 1, {{"queue", "active"}});
  EXPECT_EQ(LinesWith(metrics, "gangs_bound_total{queue=\"active\"}"),
            "muster_gangs_bound_total{queue=\"active\"} 1\n")
      << "A queue of the same name begins anew.";
}

TEST(MetricsDeathTest, ANumberThatIsInNoRowIsOurMistake) {
  Metrics metrics("muster");
  EXPECT_DEATH(metrics.Count("no_such_row", 1, {}), "");
  EXPECT_DEATH(metrics.Count("pending_gangs", 1, {{"queue", "q"}}), "");
  EXPECT_DEATH(metrics.Gauge("pending_gangs", 1, {}), "");
  EXPECT_DEATH(metrics.Gauge("pending_gangs", 1, {{"result", "q"}}), "");
  EXPECT_DEATH(metrics.Count("lost_wakeups", -1, {}), "");
}

TEST(MetricTable, NamesAreUniqueAndSayTypeAndUnit) {
  std::set<std::string_view> ids, names;
  for (const MetricRow& row : MetricTable()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    const bool counter = row.type == MetricRow::Type::kCounter;
    EXPECT_EQ(row.name.ends_with("_total"), counter) << row.name;
    const bool timed = row.unit == MetricRow::Unit::kMilli || row.unit == MetricRow::Unit::kMicro;
    EXPECT_EQ(row.name.ends_with("_seconds"), timed) << row.name;
    EXPECT_EQ(row.id.ends_with("_ms"), row.unit == MetricRow::Unit::kMilli) << row.id;
    EXPECT_EQ(row.id.ends_with("_us"), row.unit == MetricRow::Unit::kMicro) << row.id;
    EXPECT_EQ(row.buckets.empty(), row.type != MetricRow::Type::kHistogram) << row.name;
    EXPECT_TRUE(row.help.ends_with(".")) << row.name;
    EXPECT_EQ(row.of_queue,
              !row.labels.empty() && row.labels[0] == "queue" && row.id != "pending_pods")
        << row.name;
  }
}

}  // namespace
}  // namespace muster::app
