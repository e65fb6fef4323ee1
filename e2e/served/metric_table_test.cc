// The table of metrics: operator/METRICS.md says the same, each row comes out as it says, and what
// the code counts is in it.
#include "operator/metric_table.h"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "e2e/paths/paths.h"
#include "e2e/served/exposition.h"
#include "e2e/tidy/tree.h"
#include "operator/metrics.h"

namespace muster::e2e {
namespace {

using app::MetricRow;
using app::MetricTable;

std::string TypeOf(const MetricRow& row) {
  switch (row.type) {
    case MetricRow::Type::kCounter:
      return "counter";
    case MetricRow::Type::kGauge:
      return "gauge";
    case MetricRow::Type::kHistogram:
      return "histogram";
  }
  return "";
}

std::string LabelsOf(const MetricRow& row) {
  std::string text;
  for (const std::string_view label : row.labels) {
    text.append(text.empty() ? "`" : ", `").append(label).append("`");
  }
  return text;
}

TEST(MetricTable, IsTheOneInTheDocument) {
  std::string table;
  for (const MetricRow& row : MetricTable()) {
    table += "| `" + std::string(row.name) + "` | " + TypeOf(row) + " | " + LabelsOf(row) + " | " +
             std::string(row.help) + " |\n";
  }
  std::ifstream file(SourceDir() + "/operator/METRICS.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("|---|---|---|---|\n" + table), std::string::npos) << "The table would be:\n"
                                                                         << table;
}

// Hands over one number to the row, with "v" for each label.
void Touch(app::Metrics& metrics, const MetricRow& row) {
  const auto hand = [&](app::Metrics::Labels labels) {
    if (row.type == MetricRow::Type::kCounter) metrics.Count(row.id, 1, labels);
    if (row.type == MetricRow::Type::kGauge) metrics.Gauge(row.id, 1, labels);
    if (row.type == MetricRow::Type::kHistogram) metrics.Observe(row.id, 1, labels);
  };
  std::vector<std::string_view> names = row.labels;
  if (!names.empty() && names.back() == "profile") names.pop_back();
  if (names.empty()) hand({});
  if (names.size() == 1) hand({{names[0], "v"}});
  if (names.size() == 2) hand({{names[0], "v"}, {names[1], "v"}});
  if (names.size() == 3) hand({{names[0], "v"}, {names[1], "v"}, {names[2], "v"}});
}

TEST(MetricTable, EachRowComesOutAsItSays) {
  app::Metrics metrics("muster");
  for (const MetricRow& row : MetricTable()) Touch(metrics, row);
  const Exposition seen = ReadExposition(metrics.Text());
  EXPECT_EQ(seen.problems, std::vector<std::string>{});
  EXPECT_EQ(seen.families.size(), MetricTable().size());
  for (const MetricRow& row : MetricTable()) {
    const auto family = seen.families.find(std::string(row.name));
    ASSERT_NE(family, seen.families.end()) << row.name;
    EXPECT_EQ(family->second.type, TypeOf(row)) << row.name;
    EXPECT_EQ(family->second.help, row.help);
    std::set<std::string> wanted(row.labels.begin(), row.labels.end());
    std::set<std::string> labels;
    const bool histogram = row.type == MetricRow::Type::kHistogram;
    for (const Exposition::Sample& sample : seen.samples) {
      if (sample.name != std::string(row.name) + (histogram ? "_sum" : "")) continue;
      for (const auto& [label, value] : sample.labels) labels.insert(label);
    }
    EXPECT_EQ(labels, wanted) << row.name;
  }
}

// The ids in calls of what counts: a text in quotes is the first thing behind the bracket.
std::set<std::string> Counted(const std::string& text) {
  std::set<std::string> ids;
  for (const std::string call : {"Count(", "Gauge(", "Observe("}) {
    for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at)) {
      at = text.find_first_not_of(" \n", at + call.size());
      if (at == std::string::npos || text[at] != '"') continue;
      ids.insert(text.substr(at + 1, text.find('"', at + 1) - at - 1));
    }
  }
  return ids;
}

TEST(MetricTable, HoldsWhatIsCountedAndNothingElse) {
  EXPECT_EQ(Counted("t.Count(\n  \"a_b\", 1); Gauge(\"d_ms\", 1)"),
            (std::set<std::string>{"a_b", "d_ms"}));
  std::set<std::string> counted, rows;
  for (const SourceFile& file : SourceTree()) {
    const bool code = file.path.ends_with(".cc") && !IsTest(file.path) &&
                      file.path.find("/testing/") == std::string::npos &&
                      file.path != "operator/metric_table.cc";
    if (!code || file.path.starts_with("e2e/")) continue;
    counted.merge(Counted(file.text));
  }
  for (const MetricRow& row : MetricTable()) rows.insert(std::string(row.id));
  EXPECT_EQ(counted, rows);
}

}  // namespace
}  // namespace muster::e2e
