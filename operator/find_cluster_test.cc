#include "operator/find_cluster.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::app {
namespace {

// A folder in which files are made, each a kubeconfig whose server has its name.
class FindClusterTest : public testing::Test {
 protected:
  FindClusterTest() : folder_(testing::TempDir() + "find-cluster-" + std::to_string(::getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/home/.kube");
  }
  ~FindClusterTest() override { std::filesystem::remove_all(folder_); }
  FindClusterTest(const FindClusterTest&) = delete;
  FindClusterTest& operator=(const FindClusterTest&) = delete;

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }
  std::string Kubeconfig(const std::string& name, const std::string& server) const {
    return Write(name, "current-context: x\nclusters: [{name: c, cluster: {server: 'http://" +
                           server + "'}}]\ncontexts: [{name: x, context: {cluster: c}}]\n");
  }
  // The host, or what is wrong, with the folder as F.
  [[nodiscard]] std::string Found(Environment environment, const std::string& flag = "") const {
    const Result<ClusterAccess> access = FindCluster(
        {.kubeconfig = flag, .environment = std::move(environment), .root = folder_ + "/pod"});
    std::string text = access.ok() ? access.value().host : access.error().message;
    for (auto at = text.find(folder_); at != std::string::npos; at = text.find(folder_)) {
      text.replace(at, folder_.size(), "F");
    }
    return text;
  }

  const std::string folder_;
};

TEST_F(FindClusterTest, TheFlagThenTheListThenThePodThenHome) {
  const std::string flag = Kubeconfig("flag", "flag");
  const std::string list = Kubeconfig("list", "list");
  Kubeconfig("home/.kube/config", "home");
  Write("pod/var/run/secrets/kubernetes.io/serviceaccount/token", "t");
  Environment all = {{"KUBECONFIG", "/nowhere:" + list},
                     {"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                     {"KUBERNETES_SERVICE_PORT", "443"},
                     {"HOME", folder_ + "/home"}};
  EXPECT_EQ(Found(all, flag), "flag");
  EXPECT_EQ(Found(all), "list");
  all.erase("KUBECONFIG");
  EXPECT_EQ(Found(all), "10.0.0.1");
  all.erase("KUBERNETES_SERVICE_PORT");
  EXPECT_EQ(Found(all), "home");
}

TEST_F(FindClusterTest, WhatIsNotThereIsToldByName) {
  EXPECT_EQ(Found({}),
            "no kubeconfig: set KUBECONFIG or --kubeconfig to a file; $HOME/.kube/config is not "
            "there, and this runs in no pod");
  EXPECT_EQ(Found({{"HOME", folder_ + "/home"}}), Found({}));
  EXPECT_EQ(Found({}, "/nowhere"), "/nowhere: cannot be read");
  EXPECT_EQ(Found({{"KUBECONFIG", "/nowhere:/neither"}}),
            "KUBECONFIG: there is no file /nowhere:/neither");
  EXPECT_EQ(Found({{"KUBERNETES_SERVICE_HOST", "h"}, {"KUBERNETES_SERVICE_PORT", "1"}}),
            "this runs in a pod without a service account token: there is no "
            "F/pod/var/run/secrets/kubernetes.io/serviceaccount/token");
}

TEST_F(FindClusterTest, InAPodTheFilesOfTheServiceAccountCount) {
  const std::string account = "pod/var/run/secrets/kubernetes.io/serviceaccount";
  Write(account + "/token", "t");
  const auto find = [this](const std::string& host, const std::string& port) {
    return FindCluster(
        {.kubeconfig = "",
         .environment = {{"KUBERNETES_SERVICE_HOST", host}, {"KUBERNETES_SERVICE_PORT", port}},
         .root = folder_ + "/pod"});
  };
  const ClusterAccess access = find("fd00::1", "6443").value();
  EXPECT_EQ(ServerText(access), "https://[fd00::1]:6443");
  EXPECT_EQ(access.server_name, "fd00::1");
  EXPECT_TRUE(access.verify);
  EXPECT_EQ(access.token_file, folder_ + "/" + account + "/token");
  EXPECT_EQ(access.ca.file, folder_ + "/" + account + "/ca.crt");
  for (const char* port : {"x", "0", "65536", "1 "}) {
    EXPECT_EQ(find("h", port).error().message,
              "KUBERNETES_SERVICE_PORT: expected a port, not \"" + std::string(port) + "\"");
  }
}

// As client-go merges them: the first that has a thing has it, and relative paths are those of the
// file that they stand in.
TEST_F(FindClusterTest, OfAListTheFirstFileThatHasAThingHasIt) {
  const std::string one = Write("one/config",
                                "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                "users: [{name: u, user: {tokenFile: token}}]\n");
  const std::string two =
      Write("two/config",
            "current-context: x\n"
            "contexts: [{name: x, context: {cluster: d}}, {name: y, context: {cluster: c}}]\n"
            "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: ca.crt}}]\n"
            "users: [{name: u, user: {token: two}}]\n");
  const std::string three = Write("three", "current-context: y\n");
  const std::string empty = Write("empty", "");
  const Result<ClusterAccess> access =
      FindCluster({.environment = {{"KUBECONFIG", empty + "::" + one + ":" + two +
                                                      ":/nowhere:" + three + ":" + one}}});
  ASSERT_TRUE(access.ok()) << access.error().message;
  EXPECT_EQ(access.value().host, "h");
  EXPECT_EQ(access.value().token, "");
  EXPECT_EQ(access.value().token_file, folder_ + "/one/token");
  EXPECT_EQ(access.value().ca.file, folder_ + "/two/ca.crt");
  EXPECT_EQ(Found({{"KUBECONFIG", two + ":" + one}}),
            "F/two/config: clusters: no entry has the name \"d\"");
  EXPECT_EQ(Found({{"KUBECONFIG", three + ":" + two}}), "h");
  EXPECT_EQ(Found({{"KUBECONFIG", one + ":" + Write("bad", "spec: 1\n")}}),
            "F/bad: spec: is not a field of a kubeconfig");
}

}  // namespace
}  // namespace muster::app
