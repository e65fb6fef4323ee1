#include "operator/configuration.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

constexpr const char* kConfigHead =
    "apiVersion: config.muster.dev/v1alpha1\nkind: MusterConfiguration\n";

scheduler::Policy::Use UseOf(const char* plugin, std::int64_t weight, bool filters) {
  return {
      .plugin = scheduler::FindPlugin(plugin), .weight = weight, .args = {}, .filters = filters};
}

std::string FileRefusal(const std::string& body) {
  CliOptions options;
  const Result<void> read = ReadConfiguration(kConfigHead + body, "f", options);
  return read.ok() ? "" : read.error().message;
}

TEST(Configuration, EveryKeyReachesItsOption) {
  CliOptions options;
  const Result<void> read = ReadConfiguration(std::string(kConfigHead) + R"(
schedulerName: other
leaderElection:
  leaderElect: false
  leaseDuration: 1m30s
  renewDeadline: 40s
  retryPeriod: 500ms
  resourceName: lease
  resourceNamespace: team
client:
  kubeconfig: /etc/kubeconfig
  bindConnections: 64
  removalConnections: 5
  statusConnections: 6
  connectTimeout: 1s
  readTimeout: 2s
  writeTimeout: 4s
  idleTimeout: 8s
journal: {pages: 5}
podStatus: {grace: 7s}
autoscaling: {surplus: true}
topology:
  levels:
  - {name: row, nodeLabel: example.com/row}
  - {name: shelf, nodeLabel: shelf}
plugins:
  filter: [NodeResourcesFit, NodeName]
  score:
  - {name: NodeAffinity}
  - {name: NodeResourcesFit, weight: 1000, args: {strategy: MostAllocated}}
queue: {initialBackoff: 2s, maxBackoff: 20s, unschedulableFlush: 1m}
metrics: {bindAddress: ":8080"}
health: {bindAddress: "10.0.0.1:8081"}
grpc: {bindAddress: "[::1]:9090"}
logging: {format: json, level: warning}
)",
                                              "f", options);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(options.scheduler_name, "other");
  EXPECT_FALSE(options.leader_elect);
  EXPECT_EQ(options.election.lease_ms, 90'000);
  EXPECT_EQ(options.election.renew_deadline_ms, 40'000);
  EXPECT_EQ(options.election.retry_period_ms, 500);
  EXPECT_EQ(options.election.name, "lease");
  EXPECT_EQ(options.election.ns, "team");
  EXPECT_EQ(options.kubeconfig, "/etc/kubeconfig");
  EXPECT_EQ(options.client.bind_connections, 64);
  EXPECT_EQ(options.client.removal_connections, 5);
  EXPECT_EQ(options.client.status_connections, 6);
  EXPECT_EQ(options.client.http.connect_ms, 1'000);
  EXPECT_EQ(options.client.http.read_ms, 2'000);
  EXPECT_EQ(options.client.http.write_ms, 4'000);
  EXPECT_EQ(options.client.http.idle_ms, 8'000);
  EXPECT_EQ(options.client.watch.http.connect_ms, 1'000);
  EXPECT_EQ(options.client.watch.http.write_ms, 4'000);
  EXPECT_EQ(options.client.watch.http.read_ms, WatchOptions().http.read_ms);
  EXPECT_EQ(options.journal_pages, 5);
  EXPECT_EQ(options.pod_grace_ms, 7'000);
  EXPECT_TRUE(options.autoscale_surplus);
  EXPECT_EQ(options.levels, (std::vector<scheduler::TopologyLevel>{{"row", "example.com/row"},
                                                                   {"shelf", "shelf"}}));
  EXPECT_EQ(options.plugins, (std::vector<scheduler::Policy::Use>{
                                 UseOf("PrioritySort", 0, false),
                                 {.plugin = scheduler::FindPlugin("NodeResourcesFit"),
                                  .weight = 1000,
                                  .args = {{"strategy", std::string("MostAllocated")}}},
                                 UseOf("NodeName", 0, true),
                                 UseOf("NodeAffinity", 1, false)}));
  EXPECT_EQ(options.queue.backoff, (scheduler::BackoffRange{.first_ms = 2'000, .max_ms = 20'000}));
  EXPECT_EQ(options.queue.unschedulable_flush_ms, 60'000);
  ASSERT_TRUE(options.servers.metrics && options.servers.health && options.servers.grpc);
  EXPECT_EQ(options.servers.metrics->text(), "0.0.0.0:8080");
  EXPECT_EQ(options.servers.health->text(), "10.0.0.1:8081");
  EXPECT_EQ(options.servers.grpc->text(), "[::1]:9090");
  EXPECT_EQ(options.log.format, LogFormat::kJson);
  EXPECT_EQ(options.log.level, ports::Level::kWarning);
}

TEST(Configuration, WhatIsWrongIsOneLineWithFileAndLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"leaderElection:\n  leaseDuraton: 15s\n",
       "f:4: unknown key \"leaderElection.leaseDuraton\"; did you mean \"leaseDuration\"?"},
      {"leaderElecton: {}\n",
       "f:3: unknown key \"leaderElecton\"; did you mean \"leaderElection\"?"},
      {"leaseDuration: 15s\n",
       "f:3: unknown key \"leaseDuration\"; known here: apiVersion, kind, schedulerName, "
       "leaderElection, client, journal, podStatus, autoscaling, topology, plugins, queue, "
       "metrics, health, grpc, logging"},
      {"schedulerName: Team_A\n",
       "f:3: schedulerName: \"Team_A\" is no name: lower case letters, digits, '-' and '.', with a "
       "letter or digit at both ends of each part (RFC 1123 subdomain), at most 253 characters"},
      {"leaderElection: {resourceNamespace: \"a\\nb\"}\n",
       "f:3: leaderElection.resourceNamespace: \"a\\nb\" is no name: lower case letters, digits "
       "and "
       "'-', with a letter or digit first and last (RFC 1123 label), at most 63 characters"},
      {"podStatus: {grace: \"1\\ns\"}\n",
       "f:3: podStatus.grace: \"1\\ns\" is no duration such as 15s, 500ms or 1m30s"},
      {"schedulerName: \"\"\n", "f:3: schedulerName: a name is needed"},
      {"journal: {pages: 65}\n",
       "f:3: journal.pages: expected a whole number from 1 to 64, not \"65\""},
      {"podStatus: {grace: 2}\n",
       "f:3: podStatus.grace: \"2\" is no duration such as 15s, 500ms or 1m30s"},
      {"podStatus: {grace: 61m}\n", "f:3: podStatus.grace: \"61m\" is out of range: from 0s to 1h"},
      {"queue: {unschedulableFlush: 9s}\n",
       "f:3: queue.unschedulableFlush: \"9s\" is out of range: from 10s to 24h"},
      {"queue: {initialBackoff: 20s}\n",
       "f:3: queue: the initial backoff (20s) must not be longer than the max backoff (10s)"},
      {"topology: {levels: [{name: rack}]}\n",
       "f:3: topology: a level needs a name and a nodeLabel"},
      {"topology: {levels: [{name: a, nodeLabel: x}, {name: a, nodeLabel: y}]}\n",
       "f:3: topology: level a is there twice"},
      {"topology: {levels: [{name: a, nodeLabel: x}, {name: b, nodeLabel: x}]}\n",
       "f:3: topology: nodeLabel x is there twice"},
      {"topology: {levels: [{name: a, nodeLable: x}]}\n",
       "f:3: unknown key \"topology.levels[0].nodeLable\"; did you mean \"nodeLabel\"?"},
      {"topology: {levels: [{name: a, nodeLabel: a b}]}\n",
       "f:3: topology.levels[0].nodeLabel: \"a b\" is no key of a label: letters, digits, '-', '_' "
       "and '.', with a letter or digit first and last, at most 63; before it a subdomain and '/', "
       "or nothing"},
      {"topology: {levels: rack}\n", "f:3: topology.levels: expected a list of maps, not \"rack\""},
      {"leaderElection: {renewDeadline: 20s}\n",
       "f:3: leaderElection: the lease duration (15s) must be longer than the renew deadline "
       "(20s)"},
      {"client: {bindConnections: 257}\n",
       "f:3: client.bindConnections: expected a whole number from 1 to 256, not \"257\""},
      {"metrics: {bindAddress: '8080'}\n",
       "f:3: metrics.bindAddress: \"8080\" is no ADDRESS:PORT: 127.0.0.1:9090, [::1]:9090, :9090 "
       "for every IPv4 address, or 0 for none"},
      {"grpc: {bindAddress: ':9090'}\n",
       "f:3: grpc.bindAddress: \":9090\" is not of this machine alone, and gRPC is in plain text "
       "and without authentication: 127.0.0.1, [::1] or localhost"},
      {"logging: {format: xml}\n", "f:3: logging.format: expected text or json, not \"xml\""},
      {"logging: {level: 5}\n",
       "f:3: logging.level: expected debug, info, warning or error, not \"5\""},
      {"queue: {}\nclient: {}\nqueue: {}\n", "f:5: duplicate key \"queue\": it is in line 3 too"},
      {"kind: MusterConfiguration\n", "f:3: duplicate key \"kind\": it is in line 2 too"},
  };
  for (const auto& [body, text] : cases) EXPECT_EQ(FileRefusal(body), text) << body;
  EXPECT_EQ(FileRefusal(""), "");
}

TEST(Configuration, NoLevelsAreOtherThanNoneThatAreSaid) {
  CliOptions options;
  ASSERT_TRUE(ReadConfiguration(std::string(kConfigHead) + "topology: {}\n", "f", options).ok());
  EXPECT_EQ(options.levels, scheduler::DefaultLevels());
  ASSERT_TRUE(
      ReadConfiguration(std::string(kConfigHead) + "topology: {levels: []}\n", "f", options).ok());
  EXPECT_TRUE(options.levels.empty());
}

TEST(Configuration, WhatIsWrongWithPluginsIsOneLineToo) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"plugins: {filter: [NodeName, NodeNam]}\n",
       "f:3: plugins.filter[1]: there is no filter \"NodeNam\"; did you mean \"NodeName\"?"},
      {"plugins:\n  filter:\n  - NodeName\n  - GpuBinPack\n",
       "f:6: plugins.filter[1]: there is no filter \"GpuBinPack\"; known here: GpuFit, "
       "ModelRequired, NodeAffinity, NodeName, NodeResourcesFit, NodeUnschedulable, "
       "TaintToleration"},
      {"plugins: {filter: [NodeName]}\n",
       "f:3: plugins: the filter NodeResourcesFit cannot be left out: it alone counts what a node "
       "has free"},
      {"plugins: {score: [{name: NodeName}]}\n",
       "f:3: plugins.score[0].name: there is no score \"NodeName\"; known here: GpuBinPack, "
       "ImageLocality, ModelLocality, NodeAffinity, NodeResourcesBalancedAllocation, "
       "NodeResourcesFit, TaintToleration"},
      {"plugins: {score: [{weight: 3}]}\n", "f:3: plugins.score[0]: a score needs a name"},
      {"plugins: {score: [{name: GpuBinPack}, {name: GpuBinPack}]}\n",
       "f:3: plugins.score[1]: score GpuBinPack is there twice"},
      {"plugins: {score: [{name: GpuBinPack, weight: 0}]}\n",
       "f:3: plugins.score[0].weight: expected a whole number from 1 to 1000, not \"0\""},
      {"plugins:\n  score:\n  - name: NodeResourcesFit\n    args:\n      stratgy: MostAllocated\n",
       "f:7: plugins.score[0].args: unknown argument 'stratgy'; did you mean 'strategy'?"},
      {"plugins: {score: [{name: NodeResourcesFit, args: {strategy: Most}}]}\n",
       "f:3: plugins.score[0].args: argument 'strategy' must be LeastAllocated or MostAllocated"},
  };
  for (const auto& [body, text] : cases) EXPECT_EQ(FileRefusal(body), text) << body;
}

TEST(Configuration, WhatTheFileSaysOfPluginsReplacesNothingElse) {
  const auto read = [](const std::string& plugins) {
    CliOptions options;
    EXPECT_TRUE(ReadConfiguration(kConfigHead + plugins, "f", options).ok()) << plugins;
    return options.plugins;
  };
  EXPECT_EQ(read("plugins: {}\n"), scheduler::DefaultPlugins());
  const auto acting = [](const std::vector<scheduler::Policy::Use>& uses) {
    std::string text;
    for (const auto& use : uses) {
      if (use.filters) text += std::string(use.plugin->name) + " ";
      if (use.weight > 0)
        text += std::string(use.plugin->name) + "=" + std::to_string(use.weight) + " ";
    }
    return text;
  };
  EXPECT_EQ(acting(read("plugins: {filter: [NodeResourcesFit]}\n")),
            "NodeResourcesFit NodeResourcesFit=1 TaintToleration=3 NodeAffinity=2 ModelLocality=3 "
            "GpuBinPack=1 NodeResourcesBalancedAllocation=1 ImageLocality=1 ");
  EXPECT_EQ(acting(read("plugins: {score: []}\n")),
            "NodeUnschedulable NodeName TaintToleration NodeAffinity GpuFit ModelRequired "
            "NodeResourcesFit ");
}

TEST(Configuration, AnotherKindOfFileIsToldFirst) {
  const auto refusal = [](const std::string& yaml) {
    CliOptions options;
    return ReadConfiguration(yaml, "f", options).error().message;
  };
  EXPECT_EQ(refusal("apiVersion: v1\nkind: Config\nclusters: []\n"),
            "f:1: apiVersion: expected \"config.muster.dev/v1alpha1\", not \"v1\"");
  EXPECT_EQ(refusal("apiVersion: config.muster.dev/v1alpha1\nkind: Muster\n"),
            "f:2: kind: expected \"MusterConfiguration\", not \"Muster\"");
  EXPECT_EQ(refusal("kind: MusterConfiguration\n"),
            "f: apiVersion is missing: config.muster.dev/v1alpha1");
  EXPECT_EQ(refusal("apiVersion: config.muster.dev/v1alpha1\n"),
            "f: kind is missing: MusterConfiguration");
}

TEST(Configuration, AFileThatCannotBeReadIsNamed) {
  CliOptions options;
  const auto refusal = [&](const std::string& path) {
    return LoadConfiguration(path, options).error().message;
  };
  EXPECT_EQ(refusal("/nowhere/muster.yaml"), "/nowhere/muster.yaml: cannot be read");
  EXPECT_EQ(refusal("/"), "/: cannot be read");
  EXPECT_EQ(refusal("/dev/null"), "/dev/null: is empty");
}

}  // namespace
}  // namespace muster::app
