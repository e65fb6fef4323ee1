#include "operator/cli.h"

#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

CliResult Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "muster");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Cli, DefaultsAndFlags) {
  ::unsetenv("KUBECONFIG");
  const CliResult bare = Parse({});
  EXPECT_FALSE(bare.exit.has_value());
  EXPECT_EQ(bare.options.kubeconfig, "");
  EXPECT_EQ(bare.options.ns, "muster-system");
  EXPECT_EQ(bare.options.scheduler_name, "muster");
  EXPECT_EQ(bare.options.http_port, 10251);
  const CliResult full = Parse({"--kubeconfig", "k", "--namespace=n", "--scheduler-name", "s",
                                "--http-port", "0", "--log-file", "l"});
  EXPECT_FALSE(full.exit.has_value());
  EXPECT_EQ(full.options.kubeconfig, "k");
  EXPECT_EQ(full.options.ns, "n");
  EXPECT_EQ(full.options.scheduler_name, "s");
  EXPECT_EQ(full.options.http_port, 0);
  EXPECT_EQ(full.options.log_file, "l");
}

TEST(Cli, TheFlagWinsOverTheEnvironment) {
  ::setenv("KUBECONFIG", "from-env", 1);
  EXPECT_EQ(Parse({}).options.kubeconfig, "from-env");
  EXPECT_EQ(Parse({"--kubeconfig", "flag"}).options.kubeconfig, "flag");
  ::unsetenv("KUBECONFIG");
}

TEST(Cli, HelpAndVersionEndWellAndMistakesDoNot) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Parse({"--help"}).exit, 0);
  EXPECT_EQ(Parse({"--version"}).exit, 0);
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_NE(out.find("--http-port"), std::string::npos);
  EXPECT_NE(out.find("muster 0."), std::string::npos);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Parse({"--leader-elect"}).exit, 2);
  EXPECT_EQ(Parse({"--http-port", "70000"}).exit, 2);
  EXPECT_EQ(Parse({"--http-port", "x"}).exit, 2);
  EXPECT_EQ(Parse({"extra"}).exit, 2);
  const std::string err = testing::internal::GetCapturedStderr();
  EXPECT_NE(err.find("--leader-elect"), std::string::npos);
}

}  // namespace
}  // namespace muster::app
