// The real binary with a configuration file: what acts, and what a wrong one says.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "e2e/apiserver/http_front.h"
#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server.h"
#include "e2e/harness/process.h"
#include "e2e/paths/paths.h"
#include "operator/config.h"
#include "operator/configuration.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kConfigPatienceMs = 60'000;
constexpr const char* kHead = "apiVersion: config.muster.dev/v1alpha1\nkind: MusterConfiguration\n";

std::int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string TextOfFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool AwaitThat(const std::function<bool()>& condition) {
  const std::int64_t end = SteadyMs() + kConfigPatienceMs;
  while (!condition()) {
    if (SteadyMs() > end) return false;
    SleepMs(10);
  }
  return true;
}

class ConfigurationTest : public testing::Test {
 protected:
  ConfigurationTest()
      : folder_(testing::TempDir() + "muster-configuration-" + std::to_string(::getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ConfigurationTest() override { std::filesystem::remove_all(folder_); }
  ConfigurationTest(const ConfigurationTest&) = delete;
  ConfigurationTest& operator=(const ConfigurationTest&) = delete;

  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  // Muster in its folder, so that a file is named without one.
  [[nodiscard]] Command Muster(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), BinaryDir() + "/operator/muster");
    return {.argv = std::move(arguments), .env = {"KUBECONFIG=/nowhere"}, .cwd = folder_};
  }

  const std::string folder_;
};

// The paths of its keys that are no section.
std::vector<std::string> KeysOf(const app::ConfigNode& root) {
  std::vector<std::string> keys;
  for (const app::ConfigEntry& entry : root.entries) {
    if (entry.value.kind != app::ConfigNode::Kind::kMap) keys.push_back(entry.key);
    for (const app::ConfigEntry& inner : entry.value.entries) {
      keys.push_back(entry.key + "." + inner.key);
    }
  }
  return keys;
}

TEST_F(ConfigurationTest, TheSampleHasEveryKeyInOrderWithAComment) {
  const std::string file = SourceDir() + "/config/manager/muster.yaml";
  const Result<app::ConfigNode> root = app::ParseConfig(TextOfFile(file), file);
  ASSERT_TRUE(root.ok()) << root.error().message;
  EXPECT_EQ(KeysOf(root.value()), app::ConfigurationKeys());
  std::istringstream lines(TextOfFile(file));
  for (std::string line; std::getline(lines, line);) {
    const bool is_key = line.find(": ") != std::string::npos && !line.starts_with('#');
    EXPECT_TRUE(!is_key || line.find("  # ") != std::string::npos) << line;
  }
}

TEST_F(ConfigurationTest, TheSampleSaysWhatHoldsWithoutIt) {
  app::CliOptions read;
  read.scheduler_name = "x";
  read.leader_elect = false;
  read.election = {.ns = "x",
                   .name = "x",
                   .identity = {},
                   .lease_ms = 80'000,
                   .renew_deadline_ms = 40'000,
                   .retry_period_ms = 10'000};
  read.client.bind_connections = 99;
  read.client.removal_connections = 99;
  read.client.status_connections = 99;
  read.client.http = {.connect_ms = 9, .read_ms = 9, .write_ms = 9, .idle_ms = 9};
  read.kubeconfig = "x";
  read.journal_pages = 9;
  read.pod_grace_ms = 9;
  read.autoscale_surplus = true;
  read.levels = {};
  for (auto& use : read.plugins)
    use = {.plugin = use.plugin, .weight = 0, .args = {}, .filters = false};
  read.queue = {.backoff = {.first_ms = 9, .max_ms = 9}, .unschedulable_flush_ms = 9};
  read.log = {.file = {}, .format = app::LogFormat::kJson, .level = ports::Level::kError};
  const std::string file = SourceDir() + "/config/manager/muster.yaml";
  const Result<void> loaded = app::LoadConfiguration(file, read);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const app::CliOptions bare;
  EXPECT_EQ(read.scheduler_name, bare.scheduler_name);
  EXPECT_EQ(read.leader_elect, bare.leader_elect);
  EXPECT_EQ(read.election.ns, bare.ns);
  EXPECT_EQ(read.election.name, bare.election.name);
  EXPECT_EQ(read.election.lease_ms, bare.election.lease_ms);
  EXPECT_EQ(read.election.renew_deadline_ms, bare.election.renew_deadline_ms);
  EXPECT_EQ(read.election.retry_period_ms, bare.election.retry_period_ms);
  EXPECT_EQ(read.kubeconfig, bare.kubeconfig);
  EXPECT_EQ(read.levels, bare.levels);
  EXPECT_EQ(read.plugins, bare.plugins);
  EXPECT_EQ(read.client.bind_connections, bare.client.bind_connections);
  EXPECT_EQ(read.client.removal_connections, bare.client.removal_connections);
  EXPECT_EQ(read.client.status_connections, bare.client.status_connections);
  EXPECT_EQ(read.client.http.connect_ms, bare.client.http.connect_ms);
  EXPECT_EQ(read.client.http.read_ms, bare.client.http.read_ms);
  EXPECT_EQ(read.client.http.write_ms, bare.client.http.write_ms);
  EXPECT_EQ(read.client.http.idle_ms, bare.client.http.idle_ms);
  EXPECT_EQ(read.journal_pages, bare.journal_pages);
  EXPECT_EQ(read.pod_grace_ms, bare.pod_grace_ms);
  EXPECT_EQ(read.autoscale_surplus, bare.autoscale_surplus);
  EXPECT_EQ(read.queue, bare.queue);
  EXPECT_EQ(read.log.format, bare.log.format);
  EXPECT_EQ(read.log.level, bare.log.level);
}

TEST_F(ConfigurationTest, AWrongFileEndsTheStartWithOneLine) {
  const std::string head = kHead;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "muster: muster.yaml: is empty\n"},
      {head + "leaderElection:\n  leaseDuraton: 15s\n",
       "muster: muster.yaml:4: unknown key \"leaderElection.leaseDuraton\"; did you mean "
       "\"leaseDuration\"?\n"},
      {head + "leaderElection:\n  leaderElect: maybe\n",
       "muster: muster.yaml:4: leaderElection.leaderElect: expected true or false, not "
       "\"maybe\"\n"},
      {head + "client: {bindConnections: 0}\n",
       "muster: muster.yaml:3: client.bindConnections: expected a whole number from 1 to 256, not "
       "\"0\"\n"},
      {head + "plugins:\n  score:\n  - name: NodeAffinty\n",
       "muster: muster.yaml:5: plugins.score[0].name: there is no score \"NodeAffinty\"; did you "
       "mean \"NodeAffinity\"?\n"},
      {head + "queue: {}\nqueue: {}\n",
       "muster: muster.yaml:4: duplicate key \"queue\": it is in line 3 too\n"},
      {head + "---\n" + head, "muster: muster.yaml:3: a second document: a configuration is one\n"},
  };
  for (const auto& [yaml, text] : cases) {
    (void)Write("muster.yaml", yaml);
    const Output output = RunCommand(Muster({"--config", "muster.yaml"}), kConfigPatienceMs);
    EXPECT_EQ(output.text, text);
    EXPECT_EQ(output.code, 2) << text;
  }
  const Output missing = RunCommand(Muster({"--config", "none.yaml"}), kConfigPatienceMs);
  EXPECT_EQ(missing.text, "muster: none.yaml: cannot be read\n");
  EXPECT_EQ(missing.code, 2);
}

constexpr const char* kConfigCluster = R"(
apiVersion: v1
kind: Namespace
metadata: {name: muster-system}
---
apiVersion: v1
kind: Node
metadata: {name: node-a}
spec: {unschedulable: true}
status:
  allocatable: {cpu: '8', memory: 8Gi, pods: '110'}
  conditions: [{type: Ready, status: 'True'}]
---
apiVersion: muster.dev/v1alpha1
kind: Queue
metadata: {name: default}
spec: {namespaceSelector: {}}
---
apiVersion: v1
kind: Pod
metadata: {name: of-the-file, namespace: default}
spec:
  schedulerName: file
  containers: [{name: c, image: i}]
---
apiVersion: v1
kind: Pod
metadata: {name: of-the-flag, namespace: default}
spec:
  schedulerName: flag
  containers: [{name: c, image: i}]
)";

// Its cluster, and a file that says where it is, and that nodes may be cordoned.
class ConfiguredMuster : public ConfigurationTest {
 protected:
  ConfiguredMuster() : server_({}, NowMs), front_(server_, {}) {
    EXPECT_EQ(server_.LoadCrds(CrdsFolder()), "");
    EXPECT_EQ(server_.LoadObjects(Write("objects.yaml", kConfigCluster)), "");
    const Result<std::int32_t> port = front_.Start();
    EXPECT_TRUE(port.ok());
    (void)Write("kubeconfig",
                "current-context: x\n"
                "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:" +
                    std::to_string(port.value()) +
                    "'}}]\n"
                    "users: [{name: u, user: {token: t}}]\n"
                    "contexts: [{name: x, context: {cluster: c, user: u}}]\n");
    (void)Write("muster.yaml", std::string(kHead) +
                                   "schedulerName: file\n"
                                   "client: {kubeconfig: kubeconfig}\n"
                                   "leaderElection: {resourceName: other-lease}\n"
                                   "plugins: {filter: [NodeResourcesFit]}\n"
                                   "logging: {format: json, level: debug}\n");
  }

  // Runs it until the pod is bound, and ends it.
  void RunUntilBound(const std::string& pod, std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"--config", "muster.yaml", "--http-port", "0"});
    Result<Child> muster = Child::Start(Muster(std::move(flags)), output());
    ASSERT_TRUE(muster.ok()) << muster.error().message;
    EXPECT_TRUE(AwaitThat([&] { return NodeOf(pod) == "node-a"; })) << TextOfFile(output());
    muster.value().Signal(SIGTERM);
    EXPECT_TRUE(muster.value().WaitEnd(kConfigPatienceMs));
  }
  [[nodiscard]] Json Get(const std::string& path) {
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    return Json::parse(front_.Handle(request).body, nullptr, false);
  }
  [[nodiscard]] std::string NodeOf(const std::string& pod) {
    return Get("/api/v1/namespaces/default/pods/" + pod)["spec"].value("nodeName", "");
  }
  [[nodiscard]] std::string output() const { return folder_ + "/output"; }

  ApiServer server_;
  HttpFront front_;
};

TEST_F(ConfiguredMuster, ActsByItsFile) {
  RunUntilBound("of-the-file", {"--log-file", "log"});
  EXPECT_EQ(NodeOf("of-the-flag"), "");
  EXPECT_EQ(Get("/apis/coordination.k8s.io/v1/namespaces/muster-system/leases/other-lease")
                .value("kind", ""),
            "Lease");
  std::istringstream lines(TextOfFile(folder_ + "/log"));
  std::set<std::string> messages;
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object()) << line;
    EXPECT_TRUE(json["ts"].is_number() && json["msg"].is_string()) << line;
    messages.insert(json["msg"].get<std::string>());
    EXPECT_TRUE(json["msg"] != "leading" || json["lease"]["name"] == "other-lease") << line;
  }
  for (const char* message : {"starting", "leading", "request", "ready", "counters"}) {
    EXPECT_TRUE(messages.contains(message)) << message;
  }
}

// Every line that a collector of logs gets is JSON, the last one too.
TEST_F(ConfiguredMuster, AFatalErrorIsALineOfJson) {
  const Output output =
      RunCommand(Muster({"--config", "muster.yaml", "--http-port", "0", "--namespace", "none"}),
                 kConfigPatienceMs);
  EXPECT_EQ(output.code, 1);
  std::istringstream lines(output.text);
  Json last;
  for (std::string line; std::getline(lines, line);) {
    last = Json::parse(line, nullptr, false);
    ASSERT_TRUE(last.is_object()) << line;
  }
  EXPECT_EQ(last["msg"], "fatal");
  EXPECT_EQ(last["level"], "error");
  EXPECT_TRUE(last["err"].get<std::string>().starts_with("namespace \"none\" does not exist"));
}

TEST_F(ConfiguredMuster, ItsFlagsOverrideTheFile) {
  RunUntilBound("of-the-flag",
                {"--scheduler-name=flag", "--logging-format=text", "--log-level=warning"});
  EXPECT_EQ(NodeOf("of-the-file"), "");
  const std::string text = TextOfFile(output());
  EXPECT_EQ(text.find("\"msg\""), std::string::npos) << text;
  EXPECT_EQ(text.find(" info "), std::string::npos) << text;
}

}  // namespace
}  // namespace muster::e2e
