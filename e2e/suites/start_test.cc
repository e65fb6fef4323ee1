// How muster-local starts, and what it says when it cannot: one line, on which is what to change.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/harness/client.h"
#include "e2e/harness/process.h"
#include "e2e/harness/servers.h"
#include "e2e/paths/paths.h"
#include "e2e/suites/stand.h"
#include "operator/credentials.h"
#include "operator/kubeconfig.h"

namespace muster::e2e {
namespace {

const std::string& Local() {
  static const std::string path = BinaryDir() + "/e2e/muster-local";
  return path;
}

TEST(MusterLocalStart, EachMistakeIsOneLine) {
  auto folder = TempFolder::Make("start");
  ASSERT_TRUE(folder.ok());
  const Programs programs{.local = Local(), .muster = "", .folder = folder.value().path()};
  const auto running = StartLocal(programs, 0, {});
  ASSERT_TRUE(running.ok()) << running.error().message;
  const std::string taken = std::to_string(running.value().port);
  struct Case {
    std::vector<std::string> arguments;
    std::string text;
  };
  const std::vector<Case> cases = {
      {{"--no-such-flag"}, "not expected: --no-such-flag; muster-local --help"},
      {{"--port", "70000"}, "--port: Value 70000 not in range 0 to 65535"},
      {{"--write-ms", "-1"}, "--write-ms: Value -1 not in range 0 to 60000"},
      {{"--plant", "x"},
       "--plant: x not in {delete-member,empty-pages,no-resource-version,one-node}"},
      {{"--side-port", "x"}, "--side-port: Value x not in range 0 to 65535"},
      {{"--port", "0", "--side-port", taken}, "port " + taken + " of 127.0.0.1 is taken"},
      {{"--port", "0", "--token-file", "/proc/none/t"}, "/proc/none/t: cannot be written"},
      {{"--crds", "/nowhere"}, "--crds: Directory does not exist: /nowhere"},
      {{"--cluster", "/nowhere"}, "--cluster: File does not exist: /nowhere"},
      {{"--cluster", "/dev/null", "--port", taken}, "port " + taken + " of 127.0.0.1 is taken"},
      {{"--port", "0", "--kubeconfig-out", "/proc/none/k"}, "/proc/none/k: cannot be written"},
  };
  for (const Case& one : cases) {
    Command command{.argv = {Local()}, .env = {}, .cwd = ""};
    command.argv.insert(command.argv.end(), one.arguments.begin(), one.arguments.end());
    const Output output = RunCommand(command, 20'000);
    EXPECT_GT(output.code, 0) << one.text;
    EXPECT_LT(output.code, 128) << one.text;
    EXPECT_TRUE(output.text.starts_with("muster-local: ")) << output.text;
    EXPECT_NE(output.text.find(one.text), std::string::npos) << output.text;
    EXPECT_EQ(output.text.find('\n'), output.text.size() - 1) << output.text;
  }
}

// Ready means that it has listed and watches every kind, and holds the lease.
TEST(MusterLocalStart, OverTlsMusterIsLetInByItsKubeconfigAndNobodyElse) {
  auto folder = TempFolder::Make("tls");
  ASSERT_TRUE(folder.ok());
  const Programs programs{.local = Local(),
                          .muster = BinaryDir() + "/operator/muster",
                          .folder = folder.value().path()};
  const auto local = StartLocal(programs, 0, {"--tls"});
  ASSERT_TRUE(local.ok()) << local.error().message;
  auto muster = StartMuster(programs);
  ASSERT_TRUE(muster.ok()) << muster.error().message;
  const auto access = app::LoadKubeconfig(programs.kubeconfig());
  ASSERT_TRUE(access.ok()) << access.error().message;
  const auto status = [](const app::ClusterAccess& to) {
    app::HttpConnection connection(app::OpenEndpoint(to).value(), {});
    const auto reply = connection.Send(
        {.method = "GET", .target = "/api/v1/nodes", .content_type = "", .body = ""});
    return reply.ok() ? reply.value().status : 0;
  };
  EXPECT_EQ(status(access.value()), 200);
  app::ClusterAccess stranger = access.value();
  stranger.token = "another";
  EXPECT_EQ(status(stranger), 401);
  stranger = access.value();
  stranger.ca = {};
  EXPECT_EQ(status(stranger), 0);
  EXPECT_EQ(Client(local.value().port).Get("/api/v1/nodes").status, 0);
  muster.value().child.Stop(10'000);
}

}  // namespace
}  // namespace muster::e2e
