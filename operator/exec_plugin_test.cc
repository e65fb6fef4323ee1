#include "operator/exec_plugin.h"

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "operator/child_process.h"

namespace muster::app {
namespace {

const std::string kVersion = "client.authentication.k8s.io/v1";

// A plugin that is a line of shell.
ExecPlugin Shell(const std::string& script) {
  return {.api_version = kVersion, .command = "/bin/sh", .arguments = {"-c", script}};
}

// The token, or what is wrong.
std::string TokenOf(const ExecPlugin& plugin, const crds::ExecCluster& cluster = {},
                    std::int64_t patience_ms = 60'000) {
  const Result<crds::ExecStatus> status = RunExecPlugin(plugin, cluster, patience_ms, StopFlag());
  return status.ok() ? status.value().token : status.error().message;
}

std::string Spoken(const std::string& status) {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" +
         status + "}";
}

TEST(ExecPlugin, SaysWhoWeAre) {
  EXPECT_EQ(TokenOf(Shell("echo '" + Spoken(R"({"token":"t"})") + "'")), "t");
}

TEST(ExecPlugin, IsToldWhatTheKubeconfigSaysAndInheritsTheRest) {
  ExecPlugin plugin =
      Shell(R"(printf '{"kind":"ExecCredential","apiVersion":"%s","status":)"
            R"({"token":"%s %s %s"}}' )" +
            kVersion + R"x( "$PATH" "$A" "$(echo $KUBERNETES_EXEC_INFO | sed 's/"/@/g')")x");
  plugin.environment = {{"A", "b c"}, {"PATH", "/bin:/usr/bin"}};
  EXPECT_EQ(TokenOf(plugin), "/bin:/usr/bin b c {@kind@:@ExecCredential@,@apiVersion@:@" +
                                 kVersion + "@,@spec@:{@interactive@:false}}");
  plugin.provide_cluster_info = true;
  const std::string told = TokenOf(plugin, {.server = "https://h:6443",
                                            .tls_server_name = "n",
                                            .insecure_skip_tls_verify = true,
                                            .certificate_authority_data = "Zg=="});
  EXPECT_NE(told.find("@cluster@:{@server@:@https://h:6443@,@tls-server-name@:@n@,"
                      "@insecure-skip-tls-verify@:true,@certificate-authority-data@:@Zg==@}"),
            std::string::npos)
      << told;
}

TEST(ExecPlugin, WhatGoesWrongIsOneLineThatNamesIt) {
  const auto says = [](const std::string& text) { return Shell("echo '" + text + "'"); };
  ExecPlugin missing = Shell("");
  missing.command = "no-such-plugin";
  missing.install_hint = "get it at example.test";
  struct Case {
    ExecPlugin plugin;
    std::string text;
  };
  const std::vector<Case> cases = {
      {missing,
       "exec plugin no-such-plugin: cannot be run: No such file or directory; get it at "
       "example.test"},
      {Shell("exit 3"), "exec plugin /bin/sh: ended with exit code 3"},
      {Shell("kill -9 $$"), "exec plugin /bin/sh: ended with exit code 137"},
      {says(""), "exec plugin /bin/sh: wrote no ExecCredential: "},
      {says("secret"), "exec plugin /bin/sh: wrote no ExecCredential: "},
      {says(Spoken("{}") + "}"), "exec plugin /bin/sh: wrote no ExecCredential: "},
      {says(R"({"kind":"Pod"})"),
       "exec plugin /bin/sh: wrote an object of another kind than ExecCredential"},
      {says(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})"),
       "exec plugin /bin/sh: wrote another version than the " + kVersion +
           " that the kubeconfig asks for"},
      {says(Spoken("null")), "exec plugin /bin/sh: wrote an ExecCredential without a status"},
      {says(Spoken("{}")), "exec plugin /bin/sh: gave neither a token nor a client certificate"},
      {says(Spoken(R"({"clientKeyData":"k"})")),
       "exec plugin /bin/sh: gave only one of clientCertificateData and clientKeyData"},
      {says(Spoken(R"({"token":"t","expirationTimestamp":"soon"})")),
       "exec plugin /bin/sh: wrote no ExecCredential: status.expirationTimestamp: "},
      {Shell("head -c 2000000 /dev/zero"),
       "exec plugin /bin/sh: wrote more than 1 MiB to its standard output"},
  };
  for (const Case& c : cases) {
    const std::string text = TokenOf(c.plugin);
    EXPECT_TRUE(text.starts_with(c.text)) << text << "\nexpected: " << c.text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  }
}

TEST(ExecPlugin, AllOfAStatusIsRead) {
  const Result<crds::ExecStatus> status = ReadExecOutput(
      kVersion, Spoken(R"({"clientCertificateData":"c","clientKeyData":"k","other":1,)"
                       R"("expirationTimestamp":"1970-01-01T00:01:00Z"})"));
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(status.value().certificate, "c");
  EXPECT_EQ(status.value().key, "k");
  EXPECT_EQ(status.value().expires_ms, 60'000);
}

TEST(ExecPlugin, OneThatHangsIsEndedWithAllThatItStarted) {
  EXPECT_EQ(TokenOf(Shell("sleep 600"), {}, 50),
            "exec plugin /bin/sh: was ended, since it took too long");
  // One that says nothing more, but does not end.
  EXPECT_EQ(TokenOf(Shell("exec >&-; sleep 600; true"), {}, 50),
            "exec plugin /bin/sh: was ended, since it took too long");
}

TEST(ExecPlugin, WhatItLeavesBehindHoldsNobodyUp) {
  const std::string file = testing::TempDir() + "exec-plugin-" + std::to_string(::getpid());
  EXPECT_EQ(
      TokenOf(Shell("echo '" + Spoken(R"({"token":"t"})") + "'; sleep 600 & echo $! >" + file)),
      "t");
  pid_t left = 0;
  std::ifstream(file) >> left;
  EXPECT_GT(left, 1);
  if (left > 1) {
    EXPECT_EQ(::kill(left, SIGKILL), 0);  // It is still there.
  }
}

TEST(ExecPlugin, AStopEndsIt) {
  StopFlag stop;
  stop.Set();
  const Result<crds::ExecStatus> status = RunExecPlugin(Shell("sleep 600"), {}, 600'000, stop);
  EXPECT_EQ(status.error().message, "exec plugin /bin/sh: was ended, since the operator ends");
}

}  // namespace
}  // namespace muster::app
