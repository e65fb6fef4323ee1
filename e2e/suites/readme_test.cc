// Every kubectl command of the README is run, as it stands there, in its order.
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/suites/stand.h"

namespace muster::e2e {
namespace {

// The blocks of shell that call kubectl, each as one script.
std::vector<std::string> KubectlBlocks(const std::string& markdown) {
  std::vector<std::string> blocks;
  std::istringstream lines(markdown);
  std::string line;
  std::string block;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) {
      if (inside && block.find("kubectl ") != std::string::npos) blocks.push_back(block);
      inside = line == "```sh";
      block.clear();
    } else if (inside) {
      block += line + "\n";
    }
  }
  return blocks;
}

TEST(Readme, BlocksAreFound) {
  const std::string text =
      "```sh\nkubectl get a\n```\n```sh\nmake run\n```\n```yaml\nkubectl b\n```\n"
      "```sh\nkubectl c <<'EOF'\nx\nEOF\n```\n";
  EXPECT_EQ(KubectlBlocks(text),
            (std::vector<std::string>{"kubectl get a\n", "kubectl c <<'EOF'\nx\nEOF\n"}));
}

class ReadmeTest : public testing::TestWithParam<std::string> {};

TEST_P(ReadmeTest, EveryKubectlCommandWorks) {
  const std::string name = GetParam().substr(GetParam().rfind('-') + 1);
  auto stand = Stand::Start("readme-" + name, "config/samples/2-two-gangs/cluster.yaml");
  ASSERT_TRUE(stand.ok()) << stand.error().message;
  const std::vector<std::string> blocks = KubectlBlocks(ReadText("README.md"));
  ASSERT_GE(blocks.size(), 3U);
  for (const std::string& block : blocks) {
    const Output output = stand.value()->Script(GetParam(), block);
    EXPECT_EQ(output.code, 0) << block << output.text;
  }
  // The canary: a command that does not work is seen.
  EXPECT_NE(stand.value()->Script(GetParam(), "kubectl get nosuchkind\n").code, 0);
}

INSTANTIATE_TEST_SUITE_P(OldestAndNewer, ReadmeTest, testing::ValuesIn(TestKubectls()),
                         [](const auto& kubectl) {
                           return kubectl.param.substr(kubectl.param.rfind('-') + 1);
                         });

}  // namespace
}  // namespace muster::e2e
