#include "operator/cli.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "operator/configuration.h"

namespace muster::app {
namespace {

CliResult Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "muster");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

// What the parser says of one wrong flag.
std::string Refusal(const std::vector<const char*>& arguments) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Parse(arguments).exit, 2) << arguments.front();
  return testing::internal::GetCapturedStderr();
}

TEST(Cli, DefaultsAndFlags) {
  const CliResult bare = Parse({});
  EXPECT_FALSE(bare.exit.has_value());
  EXPECT_EQ(bare.options.kubeconfig, "");
  EXPECT_EQ(bare.options.ns, "muster-system");
  EXPECT_EQ(bare.options.scheduler_name, "muster");
  EXPECT_EQ(bare.options.servers.http_port, 10251);
  EXPECT_TRUE(bare.options.leader_elect);
  EXPECT_EQ(bare.options.election.name, "muster");
  EXPECT_EQ(bare.options.election.ns, "muster-system");
  EXPECT_EQ(bare.options.election.lease_ms, 15'000);
  EXPECT_EQ(bare.options.election.renew_deadline_ms, 10'000);
  EXPECT_EQ(bare.options.election.retry_period_ms, 2'000);
  const CliResult full =
      Parse({"--kubeconfig", "k", "--namespace=n", "--scheduler-name", "s", "--http-port", "0",
             "--log-file", "l", "--logging-format=json", "--log-level=warning"});
  EXPECT_FALSE(full.exit.has_value());
  EXPECT_EQ(full.options.kubeconfig, "k");
  EXPECT_EQ(full.options.ns, "n");
  EXPECT_EQ(full.options.scheduler_name, "s");
  EXPECT_EQ(full.options.servers.http_port, 0);
  EXPECT_EQ(full.options.log.file, "l");
  EXPECT_EQ(full.options.log.format, LogFormat::kJson);
  EXPECT_EQ(full.options.log.level, ports::Level::kWarning);
  EXPECT_EQ(bare.options.log.format, LogFormat::kText);
  EXPECT_EQ(bare.options.log.level, ports::Level::kInfo);
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

TEST(Cli, MetricsHealthAndGrpcAreServedElsewhereOnlyIfAskedFor) {
  const CliResult bare = Parse({});
  EXPECT_FALSE(bare.options.servers.metrics || bare.options.servers.health);
  EXPECT_FALSE(bare.options.servers.grpc);
  const CliResult all = Parse({"--metrics-bind-address=:8080", "--health-probe-bind-address",
                               "0.0.0.0:8081", "--grpc-bind-address=[::1]:9090"});
  EXPECT_FALSE(all.exit.has_value());
  EXPECT_EQ(all.options.servers.metrics->text(), "0.0.0.0:8080");
  EXPECT_EQ(all.options.servers.health->text(), "0.0.0.0:8081");
  EXPECT_EQ(all.options.servers.grpc->text(), "[::1]:9090");
  const CliResult off = Parse({"--metrics-bind-address=0", "--grpc-bind-address=0"});
  EXPECT_FALSE(off.exit.has_value() || off.options.servers.metrics || off.options.servers.grpc);
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
        "(default 2s)", "can ever run [leaderElection.leaderElect] (default true)\n",
        "(default: environment variable POD_UID)", "A second signal within that time"}) {
    EXPECT_NE(help.find(text), std::string::npos) << text << " in\n" << help;
  }
  for (const char* text : {"[0 - 65535]", "->", "(Env:"}) {
    EXPECT_EQ(help.find(text), std::string::npos) << text << " in\n" << help;
  }
}

// Behind the text of a flag stands the key that it overrides; each is a key of the file.
TEST(Cli, HelpNamesTheKeyOfEveryFlagThatHasOne) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Parse({"--help"}).exit, 0);
  std::string help = testing::internal::GetCapturedStdout();
  const std::vector<std::string> keys = ConfigurationKeys();
  std::set<std::string> named;
  for (std::size_t at = help.find('['); at != std::string::npos; at = help.find('[', at + 1)) {
    const std::string key = help.substr(at + 1, help.find(']', at) - at - 1);
    if (key.empty() || key == "OPTIONS") continue;
    EXPECT_NE(std::ranges::find(keys, key), keys.end()) << key;
    named.insert(key);
  }
  EXPECT_EQ(named,
            (std::set<std::string>{"client.kubeconfig", "grpc.bindAddress", "health.bindAddress",
                                   "metrics.bindAddress", "leaderElection.leaderElect",
                                   "leaderElection.leaseDuration", "leaderElection.renewDeadline",
                                   "leaderElection.resourceName",
                                   "leaderElection.resourceNamespace", "leaderElection.retryPeriod",
                                   "logging.format", "logging.level", "schedulerName"}));
}

TEST(Cli, VerbosityIsThatOfKubeScheduler) {
  EXPECT_EQ(Parse({"-v", "4"}).options.log.level, ports::Level::kDebug);
  EXPECT_EQ(Parse({"--v=10"}).options.log.level, ports::Level::kDebug);
  EXPECT_EQ(Parse({"--v=3"}).options.log.level, ports::Level::kInfo);
  EXPECT_NE(Refusal({"--v=2", "--log-level=error"}), "");
  EXPECT_NE(Refusal({"--v=-1"}), "");
  EXPECT_EQ(Refusal({"--logging-format=yaml"}),
            "muster: --logging-format: expected one of text, json, not \"yaml\"; muster --help "
            "lists the flags\n");
  EXPECT_EQ(Refusal({"--log-level=4"}),
            "muster: --log-level: expected one of debug, info, warning, error, not \"4\"; muster "
            "--help lists the flags\n");
}

// A file that is gone with its object.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& body)
      : path_(testing::TempDir() + "muster-config-" + std::to_string(::getpid())) {
    std::ofstream(path_) << "apiVersion: config.muster.dev/v1alpha1\nkind: MusterConfiguration\n"
                         << body;
  }
  ~ConfigFile() { (void)::unlink(path_.c_str()); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  [[nodiscard]] const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

TEST(Cli, AFlagOverridesTheFile) {
  const ConfigFile file(
      "schedulerName: a\nclient: {kubeconfig: k, bindConnections: 3}\n"
      "leaderElection: {leaderElect: false, leaseDuration: 20s, resourceName: b}\n"
      "logging: {format: json, level: error}\npodStatus: {grace: 3s}\n");
  const CliResult plain = Parse({"--config", file.path()});
  ASSERT_FALSE(plain.exit.has_value());
  EXPECT_EQ(plain.options.config, file.path());
  EXPECT_EQ(plain.options.scheduler_name, "a");
  EXPECT_EQ(plain.options.kubeconfig, "k");
  EXPECT_EQ(plain.options.client.bind_connections, 3);
  EXPECT_EQ(plain.options.pod_grace_ms, 3'000);
  EXPECT_FALSE(plain.options.leader_elect);
  EXPECT_EQ(plain.options.election.lease_ms, 20'000);
  EXPECT_EQ(plain.options.election.name, "b");
  EXPECT_EQ(plain.options.election.ns, "muster-system");  // That of --namespace.
  EXPECT_EQ(plain.options.log.format, LogFormat::kJson);
  EXPECT_EQ(plain.options.log.level, ports::Level::kError);
  const CliResult over = Parse({"--config", file.path(), "--scheduler-name=c", "--kubeconfig=l",
                                "--leader-elect", "--leader-elect-lease-duration=30s",
                                "--logging-format=text", "--log-level=debug", "--namespace=n"});
  ASSERT_FALSE(over.exit.has_value());
  EXPECT_EQ(over.options.scheduler_name, "c");
  EXPECT_EQ(over.options.kubeconfig, "l");
  EXPECT_TRUE(over.options.leader_elect);
  EXPECT_EQ(over.options.election.lease_ms, 30'000);
  EXPECT_EQ(over.options.election.name, "b");
  EXPECT_EQ(over.options.election.ns, "n");
  EXPECT_EQ(over.options.log.format, LogFormat::kText);
  EXPECT_EQ(over.options.log.level, ports::Level::kDebug);
  const ConfigFile silent("leaderElection: {resourceNamespace: o}\n");
  EXPECT_EQ(Parse({"--config", silent.path()}).options.kubeconfig, "");
  EXPECT_EQ(Parse({"--config", silent.path(), "--namespace=n"}).options.election.ns, "o");
}

TEST(Cli, AWrongFileIsOneLine) {
  const ConfigFile file("leaderElection:\n  leaseDuraton: 15s\n");
  EXPECT_EQ(Refusal({"--config", file.path()}),
            std::string("muster: ") + file.path() +
                ":4: unknown key \"leaderElection.leaseDuraton\"; did you mean "
                "\"leaseDuration\"?\n");
  EXPECT_EQ(Refusal({"--config=/nowhere"}), "muster: /nowhere: cannot be read\n");
  // Right by itself, and wrong with a flag.
  const ConfigFile fine("leaderElection: {leaseDuration: 12s}\n");
  EXPECT_EQ(Refusal({"--config", fine.path(), "--leader-elect-renew-deadline=12s"}),
            "muster: the lease duration (12s) must be longer than the renew deadline (12s)\n");
}

TEST(Cli, AWrongNameIsRefusedWithTheFlagThatHasIt) {
  for (const std::string flag : {"--namespace", "--leader-elect-resource-name",
                                 "--leader-elect-resource-namespace", "--scheduler-name"}) {
    EXPECT_EQ(Refusal({flag.c_str(), ""}),
              "muster: " + flag + ": a name is needed; muster --help lists the flags\n");
    EXPECT_TRUE(Refusal({(flag + "=").c_str()}).starts_with("muster: " + flag + ": "));
  }
  for (const std::string flag : {"--namespace", "--leader-elect-resource-name",
                                 "--leader-elect-resource-namespace", "--scheduler-name"}) {
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
  EXPECT_EQ(Refusal({"--metrics-bind-address=8080"}),
            "muster: --metrics-bind-address: \"8080\" is no ADDRESS:PORT: 127.0.0.1:9090, "
            "[::1]:9090, :9090 for every IPv4 address, or 0 for none" +
                end);
  EXPECT_EQ(Refusal({"--grpc-bind-address=:9090"}),
            "muster: --grpc-bind-address: \":9090\" is not of this machine alone, and gRPC is in "
            "plain text and without authentication: 127.0.0.1, [::1] or localhost" +
                end);
  for (const std::string flag :
       {"--no-such-flag", "--http-port=x", "--leader-elect=perhaps", "--kubeconfig"}) {
    const std::string text = Refusal({flag.c_str()});
    EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
    EXPECT_NE(text.find(flag.substr(0, flag.find('='))), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace muster::app
