// `make demo` as a user sees it, to the character, and its canaries: a demo that cannot fail shows
// nothing.
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/paths/paths.h"
#include "e2e/suites/mask.h"
#include "e2e/suites/stand.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kLimitMs = 90'000;

Output Demo(const std::vector<std::string>& arguments) {
  auto folder = TempFolder::Make("demo");
  if (!folder.ok()) return {.code = -1, .text = folder.error().message};
  Command command;
  command.argv = {BinaryDir() + "/e2e/muster-demo",
                  "--port",
                  "0",
                  "--folder",
                  folder.value().path(),
                  "--kubectl",
                  TestKubectls().front()};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return RunCommand(command, kLimitMs);
}

TEST(Demo, PrintsAllSamplesAndEndsWell) {
  const Output output = Demo({});
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(Difference(ReadText("e2e/suites/testdata/demo.txt"), output.text), "") << output.text;
}

struct Planted {
  std::string canary, verdict;
  std::vector<std::string> texts;
};
void PrintTo(const Planted& planted, std::ostream* out) {
  *out << planted.canary;
}

class DemoCanary : public testing::TestWithParam<Planted> {};

TEST_P(DemoCanary, IsFound) {
  const Output output = Demo({"--canary", GetParam().canary});
  EXPECT_EQ(output.code, 1);
  for (const std::string& text : GetParam().texts) {
    EXPECT_NE(output.text.find(text), std::string::npos) << text << "\nin\n" << output.text;
  }
  EXPECT_NE(output.text.find(GetParam().verdict), std::string::npos) << output.text;
}

INSTANTIATE_TEST_SUITE_P(
    Each, DemoCanary,
    testing::Values(Planted{.canary = "no-operator",
                            .verdict = "0 of 3 samples ended as stated.",
                            .texts = {"seen      train-0 on no node",
                                      "seen      train-a: 0 of 4 bound, 0 deleted"}},
                    Planted{
                        .canary = "wrong-node",
                        .verdict = "2 of 3 samples ended as stated.",
                        .texts = {"expected  train-0 on node-a", "seen      train-0 on node-c"}},
                    Planted{.canary = "half-gang",
                            .verdict = "2 of 3 samples ended as stated.",
                            // Of 5, when its kubelet has refused it and its Job has made another.
                            .texts = {"expected  0 of 4 bound", "seen      1 of "}}),
    [](const auto& planted) {
      std::string name;
      for (const char c : planted.param.canary) {
        if (c != '-') name += c;
      }
      return name;
    });

}  // namespace
}  // namespace muster::e2e
