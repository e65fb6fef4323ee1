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
  const CliResult bare = Parse({});
  EXPECT_FALSE(bare.exit.has_value());
  EXPECT_EQ(bare.options.kubeconfig, "");
  EXPECT_EQ(bare.options.ns, "muster-system");
  EXPECT_EQ(bare.options.scheduler_name, "muster");
  EXPECT_EQ(bare.options.http_port, 10251);
  EXPECT_TRUE(bare.options.leader_elect);
  EXPECT_EQ(bare.options.election.name, "muster");
  EXPECT_EQ(bare.options.election.ns, "muster-system");
  EXPECT_EQ(bare.options.election.lease_ms, 15'000);
  EXPECT_EQ(bare.options.election.renew_deadline_ms, 10'000);
  EXPECT_EQ(bare.options.election.retry_period_ms, 2'000);
  const CliResult full = Parse({"--kubeconfig", "k", "--namespace=n", "--scheduler-name", "s",
                                "--http-port", "0", "--log-file", "l"});
  EXPECT_FALSE(full.exit.has_value());
  EXPECT_EQ(full.options.kubeconfig, "k");
  EXPECT_EQ(full.options.ns, "n");
  EXPECT_EQ(full.options.scheduler_name, "s");
  EXPECT_EQ(full.options.http_port, 0);
  EXPECT_EQ(full.options.log_file, "l");
}

TEST(Cli, LeaderElectionHasTheFlagsOfKubeScheduler) {
  const CliResult all =
      Parse({"--namespace", "n", "--leader-elect=true", "--leader-elect-lease-duration", "1m",
             "--leader-elect-renew-deadline=40s", "--leader-elect-retry-period", "500ms",
             "--leader-elect-resource-name", "l"});
  EXPECT_FALSE(all.exit.has_value());
  EXPECT_TRUE(all.options.leader_elect);
  EXPECT_EQ(all.options.election.ns, "n");
  EXPECT_EQ(all.options.election.name, "l");
  EXPECT_EQ(all.options.election.lease_ms, 60'000);
  EXPECT_EQ(all.options.election.renew_deadline_ms, 40'000);
  EXPECT_EQ(all.options.election.retry_period_ms, 500);
  const CliResult off =
      Parse({"--leader-elect=false", "--leader-elect-resource-namespace", "other"});
  EXPECT_FALSE(off.exit.has_value());
  EXPECT_FALSE(off.options.leader_elect);
  EXPECT_EQ(off.options.election.ns, "other");
  EXPECT_EQ(off.options.identity, "");
  ::setenv("POD_UID", "u-1", 1);
  EXPECT_EQ(Parse({}).options.identity, "u-1");
  ::unsetenv("POD_UID");
}

TEST(Cli, HelpAndVersionEndWellAndMistakesDoNot) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Parse({"--help"}).exit, 0);
  EXPECT_EQ(Parse({"--version"}).exit, 0);
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_NE(out.find("muster 0."), std::string::npos);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Parse({"--leader-elect-lease-duration", "15"}).exit, 2);
  EXPECT_EQ(Parse({"--leader-elect-renew-deadline", "15s"}).exit, 2);
  EXPECT_EQ(Parse({"--http-port", "70000"}).exit, 2);
  EXPECT_EQ(Parse({"--http-port", "x"}).exit, 2);
  EXPECT_EQ(Parse({"extra"}).exit, 2);
  const std::string err = testing::internal::GetCapturedStderr();
  EXPECT_NE(err.find("--leader-elect-lease-duration"), std::string::npos);
  EXPECT_NE(err.find("must be longer than the renew deadline"), std::string::npos);
}

TEST(Cli, HelpSaysTheDefaultOfEveryFlagThatHasOne) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Parse({"--help"}).exit, 0);
  const std::string help = testing::internal::GetCapturedStdout();
  for (const char* text :
       {"(default 10251)", "(default muster-system)", "(default 15s)", "(default 10s)",
        "(default 2s)", "no second instance can ever run (default true)\n",
        "(default: environment variable POD_UID)", "A second signal within that time"}) {
    EXPECT_NE(help.find(text), std::string::npos) << text << " in\n" << help;
  }
  for (const char* text : {"[0 - 65535]", "->", "(Env:"}) {
    EXPECT_EQ(help.find(text), std::string::npos) << text << " in\n" << help;
  }
}

// What the parser says of one wrong flag.
std::string Refusal(const std::vector<const char*>& arguments) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Parse(arguments).exit, 2) << arguments.front();
  return testing::internal::GetCapturedStderr();
}

TEST(Cli, AWrongNameIsRefusedWithTheFlagThatHasIt) {
  for (const std::string flag : {"--namespace", "--leader-elect-resource-name",
                                 "--leader-elect-resource-namespace", "--scheduler-name"}) {
    EXPECT_EQ(Refusal({flag.c_str(), ""}),
              "muster: " + flag + ": a name is needed; muster --help lists the flags\n");
    EXPECT_TRUE(Refusal({(flag + "=").c_str()}).starts_with("muster: " + flag + ": "));
  }
  for (const std::string flag :
       {"--namespace", "--leader-elect-resource-name", "--leader-elect-resource-namespace"}) {
    const std::string text = Refusal({(flag + "=Team_A").c_str()});
    EXPECT_TRUE(text.starts_with("muster: " + flag + ": \"Team_A\" is no name: lower case"))
        << text;
  }
  EXPECT_NE(Refusal({"--leader-elect-resource-namespace=a.b"}), "");
  EXPECT_FALSE(Parse({"--leader-elect-resource-name=a.b"}).exit.has_value());
}

TEST(Cli, AMistakeIsOneLineThatNamesTheFlag) {
  const std::string end = "; muster --help lists the flags\n";
  EXPECT_EQ(
      Refusal({"--leader-elect-lease-duration=99999h"}),
      "muster: --leader-elect-lease-duration: \"99999h\" is out of range: from 0s to 87600h" + end);
  EXPECT_EQ(Refusal({"--leader-elect-lease-duration=500ms"}),
            "muster: the lease duration (500ms) must be from 1s to 24h\n");
  for (const std::string flag :
       {"--no-such-flag", "--http-port=x", "--leader-elect=perhaps", "--kubeconfig"}) {
    const std::string text = Refusal({flag.c_str()});
    EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
    EXPECT_NE(text.find(flag.substr(0, flag.find('='))), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace muster::app
