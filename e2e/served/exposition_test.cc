// The checker takes what is right, and finds each planted fault.
#include "e2e/served/exposition.h"

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

const std::string kGood =
    "# HELP a_total Things.\n"
    "# TYPE a_total counter\n"
    "a_total{result=\"x\\\"y\\\\z\\n\",b=\"\"} 3\n"
    "a_total{result=\"other\"} 1.5e+03\n"
    "# HELP h_seconds Time.\n"
    "# TYPE h_seconds histogram\n"
    "h_seconds_count{q=\"1\"} 3\n"
    "h_seconds_sum{q=\"1\"} 0.25\n"
    "h_seconds_bucket{q=\"1\",le=\"0.1\"} 1\n"
    "h_seconds_bucket{q=\"1\",le=\"+Inf\"} 3\n"
    "# HELP g Now.\n"
    "# TYPE g gauge\n"
    "g -1\n";

// The first problem that it finds when `what` stands as `instead`.
std::string With(const std::string& what, const std::string& instead) {
  std::string text = kGood;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), instead);
  const Exposition seen = ReadExposition(text);
  return seen.problems.empty() ? "" : seen.problems[0];
}

TEST(Exposition, IsReadWithoutItsEscapes) {
  const Exposition seen = ReadExposition(kGood);
  EXPECT_EQ(seen.problems, std::vector<std::string>{});
  ASSERT_EQ(seen.samples.size(), 7U);
  EXPECT_EQ(seen.samples[0],
            (Exposition::Sample{
                .name = "a_total", .labels = {{"result", "x\"y\\z\n"}, {"b", ""}}, .value = 3}));
  EXPECT_EQ(seen.samples[1].value, 1'500);
  EXPECT_EQ(seen.families.at("h_seconds").type, "histogram");
  EXPECT_EQ(seen.families.at("g").help, "Now.");
}

TEST(Exposition, EachFaultIsFound) {
  const struct {
    std::string what, instead, problem;
  } faults[] = {
      {kGood, "", "there is nothing"},
      {"g -1\n", "g -1", "the last line has no end"},
      {"y\\\\z", "y\\z", "no sample"},
      {"x\\\"y", "x\"y", "no sample"},
      {"\\n\"", "\n\"", "no sample"},
      {"g -1", "g one", "no sample"},
      {"g -1", "1g -1", "no sample"},
      {"g -1", "g NaN", "no number"},
      {"{result=\"other\"}", "{result=\"other\",result=\"x\"}", "no sample"},
      {"{result=\"other\"}", "{re-sult=\"other\"}", "no sample"},
      {"{result=\"other\"}", "{result=\"x\\\"y\\\\z\\n\",b=\"\"}", "twice"},
      {"# HELP g Now.\n", "", "g has no TYPE or no HELP"},
      {"# TYPE g gauge\n", "", "g has no TYPE or no HELP"},
      {"# TYPE g gauge", "# TYPE g counter", "ends in _total"},
      {"# TYPE a_total counter", "# TYPE a_total gauge", "ends in _total"},
      {"# TYPE g gauge", "# TYPE g untyped", "has the type untyped"},
      {"# HELP g Now.", "# HELP g", "HELP of g is empty"},
      {"# HELP g Now.", "# HELP h_seconds Again.", "HELP of h_seconds twice"},
      {"# HELP h_seconds Time.\n# TYPE h_seconds", "# HELP h_ms Time.\n# TYPE h_ms",
       "in no base unit"},
      {"# TYPE g gauge\n", "# TYPE g gauge\na_total 1\n", "a_total is not in one piece"},
      {"g -1\n", "g -1\n# TYPE g gauge\n", "TYPE of g twice"},
      {"le=\"0.1\"} 1", "le=\"0.1\"} 4", "do not add up"},
      {"le=\"+Inf\"} 3", "le=\"0.05\"} 3", "do not rise"},
      {"h_seconds_bucket{q=\"1\",le=\"+Inf\"} 3\n", "", "no bucket +Inf"},
      {"h_seconds_sum{q=\"1\"} 0.25\n", "", "has no sum"},
      {"h_seconds_count{q=\"1\"} 3", "h_seconds_count{q=\"1\"} 2", "counts other than +Inf"},
      {"q=\"1\",le=\"0.1\"", "q=\"1\"", "a bucket without its bound"},
  };
  for (const auto& [what, instead, problem] : faults) {
    const std::string found = With(what, instead);
    EXPECT_NE(found.find(problem), std::string::npos)
        << what << " as " << instead << " is: " << found << ", not: " << problem;
  }
}

}  // namespace
}  // namespace muster::e2e
