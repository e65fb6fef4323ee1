#include "operator/kubeconfig.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

// One cluster, one user, one context; the arguments are YAML flow text.
std::string Config(const std::string& cluster, const std::string& user,
                   const std::string& context = "{cluster: c, user: u}") {
  return "apiVersion: v1\nkind: Config\npreferences: {}\ncurrent-context: x\nclusters:\n"
         "- {name: other, cluster: {server: 'http://other:1'}}\n- {name: c, cluster: " +
         cluster + "}\nusers:\n- {name: u, user: " + user +
         "}\ncontexts:\n- {name: x, context: " + context + "}\n";
}

std::string WithExec(const std::string& exec) {
  return Config("{server: https://h}", "{exec: " + exec + "}");
}

// What is wrong; "" = nothing.
std::string ProblemOfConfig(const std::string& yaml) {
  const Result<ClusterAccess> access = ParseKubeconfig(yaml);
  return access.ok() ? "" : access.error().message;
}

TEST(Kubeconfig, ReadsTheServerOfTheCurrentContext) {
  struct Case {
    std::string server, host, text;
  };
  const std::vector<Case> cases = {
      {"http://127.0.0.1:18080", "127.0.0.1", "http://127.0.0.1:18080"},
      {"http://localhost:1/", "localhost", "http://localhost:1"},
      {"http://h", "h", "http://h:80"},
      {"http://[::1]:8001", "::1", "http://[::1]:8001"},
      {"https://h", "h", "https://h:443"},
      {"https://api.example.test:6443", "api.example.test", "https://api.example.test:6443"},
      {"https://[fd00::1]", "fd00::1", "https://[fd00::1]:443"},
      {"https://h/k8s/clusters/c-1/", "h", "https://h:443/k8s/clusters/c-1"},
  };
  for (const Case& c : cases) {
    const Result<ClusterAccess> access =
        ParseKubeconfig(Config("{server: '" + c.server + "'}", "{}"));
    ASSERT_TRUE(access.ok()) << access.error().message;
    EXPECT_EQ(access.value().host, c.host);
    EXPECT_EQ(access.value().server_name, c.host);
    EXPECT_EQ(ServerText(access.value()), c.text);
    EXPECT_TRUE(access.value().verify);
  }
}

TEST(Kubeconfig, ReadsTheTokenOfTheUserOrNone) {
  const std::string http = "{server: http://h, extensions: []}";
  EXPECT_EQ(ParseKubeconfig(Config(http, "{token: abc}")).value().token, "abc");
  EXPECT_EQ(ParseKubeconfig(Config(http, "{token: '1', extensions: []}")).value().token, "1");
  for (const char* user : {"{}", "null", "{token: ''}", "{token: null}"}) {
    EXPECT_EQ(ParseKubeconfig(Config(http, user)).value().token, "") << user;
  }
  EXPECT_EQ(ProblemOfConfig(Config(http, "{}", "{cluster: c, namespace: n}")), "");
  EXPECT_EQ(ProblemOfConfig(Config(http, "{}", "{cluster: c, user: ''}")), "");
}

TEST(Kubeconfig, ReadsWhomToTrustAndWhoWeAre) {
  const std::string yaml = Config(
      "{server: https://h, certificate-authority: ../ca.crt, tls-server-name: api.example, "
      "disable-compression: true}",
      "{tokenFile: /abs/token, token: t, client-certificate: c.crt, client-key-data: a2V5}");
  const Result<ClusterAccess> read = ParseKubeconfig(yaml, "/etc/muster");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const ClusterAccess& access = read.value();
  EXPECT_EQ(access.ca.file, "/etc/ca.crt");
  EXPECT_EQ(access.ca.text, "");
  EXPECT_EQ(access.server_name, "api.example");
  EXPECT_EQ(access.token, "t");
  EXPECT_EQ(access.token_file, "/abs/token");
  EXPECT_EQ(access.certificate.file, "/etc/muster/c.crt");
  EXPECT_EQ(access.key.text, "key");
  const auto insecure =
      ParseKubeconfig(Config("{server: https://h, insecure-skip-tls-verify: true}", "{}"));
  EXPECT_FALSE(insecure.value().verify);
}

TEST(Kubeconfig, ReadsAPlugin) {
  const Result<ClusterAccess> read = ParseKubeconfig(
      WithExec("{apiVersion: client.authentication.k8s.io/v1, command: bin/get, args: [a, 1], "
               "env: [{name: N, value: v}, {name: E}], interactiveMode: IfAvailable, "
               "provideClusterInfo: true, installHint: \"see\\nthere\"}"),
      "/etc/muster");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const ExecPlugin& plugin = *read.value().exec;
  EXPECT_EQ(plugin.api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(plugin.command, "/etc/muster/bin/get");
  EXPECT_EQ(plugin.arguments, (std::vector<std::string>{"a", "1"}));
  EXPECT_EQ(plugin.environment, (Environment{{"N", "v"}, {"E", ""}}));
  EXPECT_TRUE(plugin.provide_cluster_info);
  EXPECT_EQ(plugin.install_hint, "see there");
  const Result<ClusterAccess> small = ParseKubeconfig(
      WithExec("{apiVersion: client.authentication.k8s.io/v1beta1, command: get}"), "/etc/muster");
  ASSERT_TRUE(small.ok()) << small.error().message;
  EXPECT_EQ(small.value().exec->command, "get");  // Of PATH.
}

struct Wrong {
  std::string yaml, text;
};

void ExpectProblems(const std::vector<Wrong>& cases) {
  for (const Wrong& c : cases) {
    const std::string problem = ProblemOfConfig(c.yaml);
    EXPECT_NE(problem, "") << c.yaml;
    EXPECT_NE(problem.find(c.text), std::string::npos) << problem << "\nexpected: " << c.text;
    EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
  }
}

TEST(Kubeconfig, NamesTheFieldThatIsWrong) {
  const std::string http = "{server: http://h}";
  ExpectProblems({
      {"", "kubeconfig: expected a map"},
      {"a: [", "kubeconfig: yaml-cpp: error"},
      {"kind: Config", "current-context: is missing"},
      {"current-context: x", "contexts: no entry has the name \"x\""},
      {"current-context: x\ncontexts: y", "contexts: expected a list"},
      {"current-context: [x]", "current-context: expected a string"},
      {"current-context: x\nspec: 1", "spec: is not a field of a kubeconfig"},
      {"current-context: x\ncontexts: [{name: y}]", "contexts: no entry has the name \"x\""},
      {"current-context: x\ncontexts: [y]", "contexts[0]: expected a map"},
      {"current-context: x\ncontexts: [{context: {}}]", "contexts[0].name: is missing"},
      {"current-context: x\ncontexts: [{name: x}]", "contexts[0].context: expected a map"},
      {"current-context: x\ncontexts: [{name: x, context: {}}, {name: x, context: {}}]",
       "contexts[1].name: \"x\" is there twice"},
      {Config(http, "{}", "{user: u}"), "contexts[0].context.cluster: is missing"},
      {Config(http, "{}", "{cluster: d}"), "clusters: no entry has the name \"d\""},
      {Config(http, "{}", "{cluster: c, user: v}"), "users: no entry has the name \"v\""},
      {Config(http, "{}", "{cluster: c, role: r}"), "contexts[0].context.role: is not a field"},
      {Config("{}", "{}"), "clusters[1].cluster.server: is missing"},
      {Config(http, "{token: [a]}"), "users[0].user.token: expected a string"},
      {Config(http, "{token: \"a\\r\\nb\"}"), "users[0].user.token: holds a space or line end"},
      {Config(http, "[a]"), "users[0].user: expected a map"},
      {Config(http, "{tokens: a}"), "users[0].user.tokens: is not a field of a user"},
  });
}

TEST(Kubeconfig, RefusesAServerThatIsNone) {
  const auto with = [](const std::string& server) {
    return Config("{server: '" + server + "'}", "{}");
  };
  const std::string plain = "clusters[1].cluster.server: expected https://host:port, with a plain";
  ExpectProblems({
      {with("h:1"), "expected https://host:port or http://host:port"},
      {with("ftp://h"), "expected https://host:port or http://host:port"},
      {with("http://u@h"), plain},
      {with("http://h?a=b"), plain},
      {with("http://h/a?b"), plain},
      {with("http://h/a/../b"), plain},
      {with("http://h/a%2e"), plain},
      {with("http://h:0"), "expected a port between 1 and 65535, not \"0\""},
      {with("http://h:x"), "expected a port between 1 and 65535, not \"x\""},
      {with("http://h:1:2"), "expected a port between 1 and 65535, not \"1:2\""},
      {with("http://:80"), "the host is missing"},
      {with("https:///a"), "the host is missing"},
      {with("http://[::1"), "no closing ]"},
      {with("http://[::1]a"), "expected host:port"},
      {with("http://[::x%]"), "the host is no name and no address"},
      {with("http://a,b"), "the host is no name and no address"},
      {with("http://.h"), "the host is no name and no address"},
      {Config("{server: \"http://h\\0x\"}", "{}"), "the host is no name and no address"},
  });
}

TEST(Kubeconfig, RefusesByNameWhatItDoesNotActOn) {
  const std::string https = "{server: https://h}";
  const std::string no_use = "is of no use without an https:// server";
  ExpectProblems({
      {Config("{server: http://h, proxy-url: p}", "{}"),
       "clusters[1].cluster.proxy-url: is not supported: the API server has to be reached without "
       "a proxy"},
      {Config("{server: http://h, certificate-authority: f}", "{}"),
       "clusters[1].cluster.certificate-authority: " + no_use},
      {Config("{server: http://h, tls-server-name: n}", "{}"),
       "clusters[1].cluster.tls-server-name: " + no_use},
      {Config("{server: http://h, insecure-skip-tls-verify: true}", "{}"),
       "clusters[1].cluster.insecure-skip-tls-verify: " + no_use},
      {Config("{server: https://h, insecure-skip-tls-verify: true, certificate-authority: f}",
              "{}"),
       "insecure-skip-tls-verify: stands beside a certificate authority"},
      {Config("{server: https://h, insecure-skip-tls-verify: 'no'}", "{}"),
       "insecure-skip-tls-verify: expected true or false"},
      {Config("{server: https://h, certificate-authority-data: '-'}", "{}"),
       "clusters[1].cluster.certificate-authority-data: is not base64"},
      {Config("{server: https://h, tls-server-name: '.h'}", "{}"),
       "clusters[1].cluster.tls-server-name: is no name and no address"},
      {Config("{server: https://h, certificate: f}", "{}"), "is not a field of a cluster"},
      {Config(https, "{username: n, password: p}"),
       "users[0].user.username: basic authentication is served by no Kubernetes since 1.19"},
      {Config(https, "{auth-provider: {name: gcp}}"), "users[0].user.auth-provider: is gone"},
      {Config(https, "{as: root}"), "users[0].user.as: is not supported"},
      {Config(https, "{as-groups: [root]}"), "users[0].user.as-groups: is not supported"},
      {Config(https, "{client-certificate: f}"), "users[0].user.client-key: is missing"},
      {Config(https, "{client-key-data: a2V5}"), "users[0].user.client-certificate: is missing"},
      {Config("{server: http://h}", "{client-certificate: f, client-key: f}"),
       "users[0].user.client-certificate: " + no_use},
  });
  EXPECT_EQ(ProblemOfConfig(Config("{server: https://h, proxy-url: ''}", "{as: ''}")), "");
}

TEST(Kubeconfig, RefusesAPluginThatCannotWork) {
  const std::string v1 = "{apiVersion: client.authentication.k8s.io/v1, command: c, ";
  const std::string exec = "users[0].user.exec";
  ExpectProblems({
      {WithExec("[a]"), exec + ": expected a map"},
      {WithExec("{command: c}"), exec + ".apiVersion: is missing"},
      {WithExec("{apiVersion: client.authentication.k8s.io/v1alpha1, command: c}"),
       exec + ".apiVersion: expected client.authentication.k8s.io/v1 or "},
      {WithExec("{apiVersion: client.authentication.k8s.io/v1beta1}"),
       exec + ".command: is missing"},
      {WithExec(v1 + "args: []}"), exec + ".interactiveMode: is missing: Never or IfAvailable"},
      {WithExec(v1 + "interactiveMode: Always}"), exec + ".interactiveMode: there is nobody"},
      {WithExec(v1 + "interactiveMode: never}"), exec + ".interactiveMode: expected Never or"},
      {WithExec(v1 + "interactiveMode: Never, args: a}"), exec + ".args: expected a list"},
      {WithExec(v1 + "interactiveMode: Never, args: [[a]]}"), exec + ".args: expected a list of"},
      {WithExec(v1 + "interactiveMode: Never, env: [{value: v}]}"),
       exec + ".env[0].name: is missing"},
      {WithExec(v1 + "interactiveMode: Never, timeout: 1}"), exec + ".timeout: is not a field"},
      {Config("{server: https://h}", "{token: t, exec: " + v1 + "interactiveMode: Never}}"),
       exec + ": stands beside another credential"},
      {Config("{server: https://h, extensions: [{name: client.authentication.k8s.io/exec}]}",
              "{exec: " + v1 + "interactiveMode: Never, provideClusterInfo: true}}"),
       "clusters[1].cluster.extensions: client.authentication.k8s.io/exec is not supported"},
  });
}

TEST(Kubeconfig, AFileThatIsNotThereIsAnErrorWithItsPath) {
  const Result<ClusterAccess> access = LoadKubeconfig("/nowhere/kubeconfig");
  ASSERT_FALSE(access.ok());
  EXPECT_EQ(access.error().message, "/nowhere/kubeconfig: cannot be read");
}

TEST(Kubeconfig, AFolderAndAnEmptyFileAreTold) {
  EXPECT_EQ(LoadKubeconfig("/").error().message, "/: cannot be read");
  EXPECT_EQ(LoadKubeconfig("/dev/null").error().message, "/dev/null: is empty");
}

}  // namespace
}  // namespace muster::app
