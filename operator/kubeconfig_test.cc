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

TEST(Kubeconfig, ReadsTheServerAndTheTokenOfTheCurrentContext) {
  struct Case {
    std::string yaml, host;
    std::int32_t port = 0;
    std::string token;
  };
  const std::vector<Case> cases = {
      {Config("{server: 'http://127.0.0.1:18080'}", "{token: abc}"), "127.0.0.1", 18080, "abc"},
      {Config("{server: 'http://localhost:1/'}", "{}"), "localhost", 1, ""},
      {Config("{server: http://h}", "null"), "h", 80, ""},
      {Config("{server: 'http://[::1]:8001'}", "{token: '1'}"), "::1", 8001, "1"},
      {Config("{server: 'http://[::1]'}", "{token: '1'}"), "::1", 80, "1"},
      {Config("{server: http://h, extensions: []}", "{}", "{cluster: c, namespace: n}"), "h", 80,
       ""},
      {Config("{server: http://h}", "{}", "{cluster: c, user: ''}"), "h", 80, ""},
  };
  for (const Case& c : cases) {
    const Result<Endpoint> endpoint = ParseKubeconfig(c.yaml);
    ASSERT_TRUE(endpoint.ok()) << endpoint.error().message << "\n" << c.yaml;
    EXPECT_EQ(endpoint.value().host, c.host);
    EXPECT_EQ(endpoint.value().port, c.port);
    EXPECT_EQ(endpoint.value().token, c.token);
  }
}

TEST(Kubeconfig, NamesTheFieldThatIsWrong) {
  const std::string http = "{server: http://h}";
  struct Case {
    std::string yaml, text;
  };
  const std::vector<Case> cases = {
      {"", "kubeconfig: expected a map"},
      {"a: [", "kubeconfig: yaml-cpp: error"},
      {"kind: Config", "current-context: is missing"},
      {"current-context: x", "contexts: expected a list"},
      {"current-context: [x]", "current-context: expected a string"},
      {"current-context: x\nspec: 1", "spec: is not a field of a kubeconfig"},
      {"current-context: x\ncontexts: [{name: y}]", "contexts: no entry has the name \"x\""},
      {"current-context: x\ncontexts: [y]", "contexts[0]: expected a map"},
      {"current-context: x\ncontexts: [{context: {}}]", "contexts[0].name: is missing"},
      {"current-context: x\ncontexts: [{name: x}]", "contexts[0].context: expected a map"},
      {Config(http, "{}", "{user: u}"), "contexts[0].context.cluster: is missing"},
      {Config(http, "{}", "{cluster: d}"), "clusters: no entry has the name \"d\""},
      {Config(http, "{}", "{cluster: c, user: v}"), "users: no entry has the name \"v\""},
      {Config(http, "{}", "{cluster: c, role: r}"), "contexts[0].context.role: is not a field"},
      {Config("{}", "{}"), "clusters[1].cluster.server: is missing"},
      {Config("{server: 'https://h:6443', certificate-authority: x}", "{}"),
       "clusters[1].cluster.server: https:// is not supported yet, TLS comes in a later version; "
       "use an http:// server"},
      {Config("{server: h:1}", "{}"), "clusters[1].cluster.server: expected http://host:port"},
      {Config("{server: 'http://h/prefix'}", "{}"), "and nothing else"},
      {Config("{server: 'http://u@h'}", "{}"), "and nothing else"},
      {Config("{server: 'http://h:0'}", "{}"), "expected a port between 1 and 65535, not \"0\""},
      {Config("{server: 'http://h:x'}", "{}"), "expected a port between 1 and 65535, not \"x\""},
      {Config("{server: 'http://:80'}", "{}"), "the host is missing"},
      {Config("{server: 'http://[::1'}", "{}"), "no closing ]"},
      {Config("{server: http://h, proxy-url: p}", "{}"),
       "clusters[1].cluster.proxy-url: is not supported yet"},
      {Config(http, "{client-certificate: f}"),
       "users[0].user.client-certificate: is not supported yet; the one credential of this version "
       "is `token`"},
      {Config(http, "{tokenFile: f}"), "users[0].user.tokenFile: is not supported yet"},
      {Config(http, "{token: [a]}"), "users[0].user.token: expected a string"},
      {Config(http, "{token: \"a\\r\\nb\"}"), "users[0].user.token: holds a space or line end"},
      {Config(http, "[a]"), "users[0].user: expected a map"},
  };
  for (const Case& c : cases) {
    const Result<Endpoint> endpoint = ParseKubeconfig(c.yaml);
    ASSERT_FALSE(endpoint.ok()) << c.yaml;
    EXPECT_NE(endpoint.error().message.find(c.text), std::string::npos)
        << endpoint.error().message << "\nexpected: " << c.text;
  }
}

TEST(Kubeconfig, AFileThatIsNotThereIsAnErrorWithItsPath) {
  const Result<Endpoint> endpoint = LoadKubeconfig("/nowhere/kubeconfig");
  ASSERT_FALSE(endpoint.ok());
  EXPECT_EQ(endpoint.error().message, "/nowhere/kubeconfig: cannot be read");
}

TEST(Kubeconfig, AFolderAndAnEmptyFileAreTold) {
  EXPECT_EQ(LoadKubeconfig("/").error().message, "/: cannot be read");
  EXPECT_EQ(LoadKubeconfig("/dev/null").error().message, "/dev/null: is empty");
}

}  // namespace
}  // namespace muster::app
