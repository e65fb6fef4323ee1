#include "scheduler/testing/scenario.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::scheduler::testing {
namespace {

std::vector<std::filesystem::path> Files() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(MUSTER_SOURCE_DIR) / "scheduler/testing/testdata";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".scenario") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class ScenarioFile : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ScenarioFile, SaysWhatIsDecided) {
  const std::string text = Read(GetParam());
  const std::string now = RunScenario(text);
  EXPECT_EQ(now.find("\n  ERROR"), std::string::npos) << now;
  if (std::getenv("UPDATE_SCENARIOS") != nullptr) {
    std::ofstream(GetParam()) << now;
    return;
  }
  EXPECT_EQ(now, text) << "UPDATE_SCENARIOS=1 rewrites the file";
}

std::string NameOf(const ::testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, ScenarioFile, ::testing::ValuesIn(Files()), NameOf);

TEST(Scenario, ShowsALineThatItCannotRead) {
  EXPECT_EQ(RunScenario("cycel\n"), "cycel\n  ERROR unknown command cycel\n");
  EXPECT_EQ(RunScenario("done nobody\n"), "done nobody\n  ERROR no such pod\n");
  EXPECT_EQ(RunScenario("node\n"), "node\n  ERROR node names too little\n");
  for (const char* wrong : {"cpu=", "cpu=x", "cpu=1Gi", "cpu=1234567", "cpu=1 cpu=2", "=3", "x"}) {
    const std::string line = std::string("node n ") + wrong + "\n";
    EXPECT_NE(RunScenario(line).find("ERROR"), std::string::npos) << line;
  }
  for (const char* wrong : {"gang g min=-1", "gang g min=2000", "gang g subs=a:1,a:1", "gang a/b/c",
                            "pods g 5..2000", "pods g x", "wait", "wait 1s", "settle all"}) {
    EXPECT_NE(RunScenario(std::string(wrong) + "\n").find("ERROR"), std::string::npos) << wrong;
  }
}

}  // namespace
}  // namespace muster::scheduler::testing
