// The real binary against the served API server, on loopback: what a user sees of start, mistakes
// and end.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e/apiserver/http_front.h"
#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server.h"
#include "e2e/paths/paths.h"
#include "operator/http_client.h"
#include "operator/testing/certificates.h"
#include "operator/testing/tls_server.h"

namespace muster::e2e {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPatience{60'000};

std::int64_t WallMs() {
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// True once `condition` holds; false after the patience.
bool Await(const std::function<bool()>& condition) {
  const auto end = steady_clock::now() + kPatience;
  while (steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return condition();
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A run of build/../muster whose output goes to a file. Killed if it outlives this object.
class Program {
 public:
  Program(std::vector<std::string> arguments, const std::string& output) {
    arguments.insert(arguments.begin(), BinaryDir() + "/operator/muster");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    std::vector<char*> environment = {nullptr};
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &files, nullptr, argv.data(), environment.data()), 0);
    posix_spawn_file_actions_destroy(&files);
  }
  ~Program() {
    if (pid_ <= 0) return;
    (void)::kill(pid_, SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void Signal(int signal) const { (void)::kill(pid_, signal); }
  // The exit code; 128 + n after a signal; -1 = it still runs after the patience.
  int Wait() {
    int status = 0;
    if (!Await([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) return -1;
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
};

class OperatorTest : public testing::Test {
 protected:
  OperatorTest()
      : folder_(testing::TempDir() + "muster-operator-" + std::to_string(::getpid())),
        server_({}, WallMs) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    EXPECT_EQ(server_.LoadCrds(CrdsFolder()), "");
  }
  ~OperatorTest() override { std::filesystem::remove_all(folder_); }
  OperatorTest(const OperatorTest&) = delete;
  OperatorTest& operator=(const OperatorTest&) = delete;

  void Load(const std::string& yaml) {
    std::ofstream(folder_ + "/objects.yaml") << yaml;
    EXPECT_EQ(server_.LoadObjects(folder_ + "/objects.yaml"), "");
  }
  void Serve(std::int32_t port = 0, HttpFront::Gate gate = {}) {
    HttpFront::Options options;
    options.port = port;
    front_ = std::make_unique<HttpFront>(server_, options);
    if (gate) front_->SetGate(std::move(gate));
    const Result<std::int32_t> started = front_->Start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    WriteKubeconfig("http://127.0.0.1:" + std::to_string(started.value()));
  }
  // With a certificate of its own each time. The port.
  std::int32_t ServeTls(const app::CertificateAuthority& ca, std::int32_t port = 0) {
    HttpFront::Options options;
    options.port = port;
    options.tls = std::make_shared<app::TlsAcceptor>(ca.Issue("server", "IP:127.0.0.1"));
    front_ = std::make_unique<HttpFront>(server_, options);
    const Result<std::int32_t> started = front_->Start();
    EXPECT_TRUE(started.ok());
    return started.ok() ? started.value() : 0;
  }
  // The token in a file of its own, as the authority: both beside the kubeconfig.
  void WriteTlsKubeconfig(std::int32_t port, const std::string& ca) const {
    std::ofstream(folder_ + "/ca.crt") << ca;
    std::ofstream(kubeconfig()) << "current-context: x\n"
                                << "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:"
                                << port << "', certificate-authority: ca.crt}}]\n"
                                << "users: [{name: u, user: {tokenFile: token}}]\n"
                                << "contexts: [{name: x, context: {cluster: c, user: u}}]\n";
  }
  // The files change first, as in a cluster.
  void RotateToken(const std::string& token) const {
    std::ofstream(folder_ + "/token.new") << token << "\n";
    std::filesystem::rename(folder_ + "/token.new", folder_ + "/token");
    if (front_ != nullptr) front_->SetToken(token);
  }
  // A new node, and a pod that only it has room for. True: the pod is bound to it.
  bool BindsOneMore(const std::string& name) const {
    const std::string file = folder_ + "/more.yaml";
    std::ofstream(file) << "apiVersion: v1\nkind: Node\nmetadata: {name: node-" << name << "}\n"
                        << "status:\n  allocatable: {cpu: '8', pods: '110', nvidia.com/gpu: '8'}\n"
                        << "  conditions: [{type: Ready, status: 'True'}]\n---\n"
                        << "apiVersion: v1\nkind: Pod\nmetadata: {name: " << name
                        << ", namespace: default}\nspec:\n  schedulerName: muster\n"
                        << "  containers: [{name: c, image: i, resources: "
                        << "{limits: {nvidia.com/gpu: '8'}}}]\n";
    front_->Locked([&](ApiServer& server) { EXPECT_EQ(server.LoadObjects(file), ""); });
    return Await([&] {
      return !Get("/api/v1/namespaces/default/pods/" + name)["spec"].value("nodeName", "").empty();
    });
  }
  void WriteKubeconfig(const std::string& server) const {
    std::ofstream(kubeconfig()) << "current-context: x\n"
                                << "clusters: [{name: c, cluster: {server: '" << server << "'}}]\n"
                                << "users: [{name: u, user: {token: t}}]\n"
                                << "contexts: [{name: x, context: {cluster: c, user: u}}]\n";
  }
  [[nodiscard]] std::string kubeconfig() const { return folder_ + "/kubeconfig"; }
  [[nodiscard]] std::string output() const { return folder_ + "/output"; }
  [[nodiscard]] std::string Output() const { return ReadFile(output()); }
  std::unique_ptr<Program> Start(const std::string& log = {}) const {
    return std::make_unique<Program>(
        std::vector<std::string>{"--kubeconfig", kubeconfig(), "--http-port", "0"},
        log.empty() ? output() : log);
  }
  [[nodiscard]] std::int32_t Port() const { return PortIn(Output()); }
  // The port that a log names; 0 = not yet.
  [[nodiscard]] static std::int32_t PortIn(const std::string& text) {
    const std::string mark = "serving http=127.0.0.1:";
    const std::size_t at = text.find(mark);
    return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + mark.size());
  }
  [[nodiscard]] app::HttpReply Ask(const std::string& path) const { return Ask(Port(), path); }
  [[nodiscard]] static app::HttpReply Ask(std::int32_t port, const std::string& path) {
    app::HttpConnection connection({"127.0.0.1", port, ""}, {});
    Result<app::HttpReply> reply =
        connection.Send({.method = "GET", .target = path, .content_type = "", .body = ""});
    return reply.ok() ? std::move(reply).value() : app::HttpReply{};
  }
  [[nodiscard]] bool AwaitReady() const {
    return Await([this] { return Port() != 0 && Ask("/readyz").status == 200; });
  }
  [[nodiscard]] Json Get(const std::string& path) const {
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    return Json::parse(front_->Handle(request).body, nullptr, false);
  }

  std::string folder_;
  ApiServer server_;
  std::unique_ptr<HttpFront> front_;
};

const char* const kNamespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: muster-system}\n";

const char* const kCluster = R"(
---
apiVersion: v1
kind: Node
metadata: {name: node-a}
status:
  allocatable: {cpu: '8', memory: 8Gi, pods: '110', nvidia.com/gpu: '8'}
  conditions: [{type: Ready, status: 'True'}]
---
apiVersion: muster.dev/v1alpha1
kind: Queue
metadata: {name: default}
spec: {namespaceSelector: {}}
---
apiVersion: v1
kind: Pod
metadata: {name: train-0, namespace: default}
spec:
  schedulerName: muster
  containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: '8'}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: train-1, namespace: default}
spec:
  schedulerName: muster
  containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: '8'}}}]
)";

TEST_F(OperatorTest, BindsExplainsAndEndsCleanlyOnSigterm) {
  Load(std::string(kNamespace) + kCluster);
  Serve();
  const auto muster = Start();
  ASSERT_TRUE(AwaitReady()) << Output();
  EXPECT_EQ(Ask("/healthz").body, "ok\n");
  const std::string bound = "/api/v1/namespaces/default/pods/train-0";
  EXPECT_TRUE(Await([&] { return Get(bound)["spec"].value("nodeName", "") == "node-a"; }))
      << Output();
  const Json placed = Json::parse(Ask("/explain/default/pods/train-0").body, nullptr, false);
  ASSERT_TRUE(placed.is_object());
  EXPECT_EQ(placed["gang"], "default/train-0");
  EXPECT_EQ(placed["placed"][0]["node"], "node-a");
  const Json waits = Json::parse(Ask("/explain/default/pods/train-1").body, nullptr, false);
  ASSERT_TRUE(waits.is_object());
  EXPECT_EQ(waits["phase"], "Queued");
  EXPECT_EQ(waits["nodes"][0]["reason"], "Insufficient nvidia.com/gpu");
  EXPECT_EQ(Ask("/explain/default/podgroups/none").status, 404);
  EXPECT_EQ(Ask("/explain/default/pods/none").status, 404);
  // The line follows /readyz, at its own time.
  EXPECT_TRUE(Await([&] {
    return Output().find("muster: ready, http://127.0.0.1:") != std::string::npos;
  })) << Output();
  muster->Signal(SIGTERM);
  EXPECT_EQ(muster->Wait(), 0) << Output();
}

// The lease that is given back at a clean end is taken without waiting for its 15 s.
TEST_F(OperatorTest, ASecondInstanceStandsByAndTakesOver) {
  Load(kNamespace);
  Serve();
  const auto first = Start();
  ASSERT_TRUE(AwaitReady()) << Output();
  const std::string log = folder_ + "/second";
  const auto second = Start(log);
  const auto second_says = [&](const std::string& text) {
    return PortIn(ReadFile(log)) != 0 &&
           Ask(PortIn(ReadFile(log)), "/readyz").body.find(text) != std::string::npos;
  };
  EXPECT_TRUE(Await([&] { return second_says("standing by: the lease is held by "); }))
      << ReadFile(log);
  first->Signal(SIGTERM);
  EXPECT_EQ(first->Wait(), 0);
  Load(kCluster);
  EXPECT_TRUE(Await([&] {
    return Get("/api/v1/namespaces/default/pods/train-0")["spec"].value("nodeName", "") == "node-a";
  })) << ReadFile(log);
  second->Signal(SIGTERM);
  EXPECT_EQ(second->Wait(), 0);
}

// As from a terminal, whose Ctrl-C reaches the process and the make that started it, which then
// sends a signal too.
TEST_F(OperatorTest, ASecondSignalDoesNotKeepTheLeaseFromBeingGivenBack) {
  Load(kNamespace);
  Serve(0, [](const HttpRequest& request, const HttpFront::Next& next) {
    // The request is under way when both signals have come.
    const bool gives_back = request.method == "PUT" && request.path.ends_with("/leases/muster") &&
                            request.body.find(R"("holderIdentity":"")") != std::string::npos;
    if (gives_back) std::this_thread::sleep_for(milliseconds(300));
    return next(request);
  });
  const auto muster = Start();
  ASSERT_TRUE(AwaitReady()) << Output();
  const auto holder = [this] {
    const Json lease = Get("/apis/coordination.k8s.io/v1/namespaces/muster-system/leases/muster");
    return lease["spec"].value("holderIdentity", "");
  };
  EXPECT_NE(holder(), "");
  muster->Signal(SIGTERM);
  muster->Signal(SIGINT);
  EXPECT_EQ(muster->Wait(), 0) << Output();
  EXPECT_EQ(holder(), "");
}

TEST_F(OperatorTest, WaitsForAnApiServerThatComesLaterAndIsNotReadyMeanwhile) {
  Load(kNamespace);
  std::int32_t port = 0;
  {
    HttpFront probe(server_, {});
    port = probe.Start().value();
  }
  WriteKubeconfig("http://127.0.0.1:" + std::to_string(port));
  const auto muster = Start();
  ASSERT_TRUE(
      Await([this] { return Output().find("waiting for the API server") != std::string::npos; }));
  const app::HttpReply reply = Ask("/readyz");
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("no answer of the API server"), std::string::npos);
  EXPECT_EQ(Ask("/healthz").status, 200);
  Serve(port);
  EXPECT_TRUE(AwaitReady()) << Output();
  muster->Signal(SIGINT);
  EXPECT_EQ(muster->Wait(), 0);
}

// Every connection is refused with its old token, then closed by a server that starts anew: the
// process lives on, writes, and gives the lease back.
TEST_F(OperatorTest, BindsOverTlsThroughNewTokensAndANewServer) {
  Load(std::string(kNamespace) + "---\napiVersion: muster.dev/v1alpha1\nkind: Queue\n" +
       "metadata: {name: default}\nspec: {namespaceSelector: {}}\n");
  const app::CertificateAuthority ca("loopback-ca");
  const std::int32_t port = ServeTls(ca);
  WriteTlsKubeconfig(port, ca.pem());
  RotateToken("first");
  const auto muster = Start();
  ASSERT_TRUE(AwaitReady()) << Output();
  EXPECT_TRUE(BindsOneMore("a")) << Output();
  RotateToken("second");
  EXPECT_TRUE(BindsOneMore("b")) << Output();
  front_.reset();
  ServeTls(ca, port);
  RotateToken("third");
  EXPECT_TRUE(BindsOneMore("c")) << Output();
  EXPECT_TRUE(AwaitReady()) << Output();
  muster->Signal(SIGTERM);
  EXPECT_EQ(muster->Wait(), 0) << Output();
  EXPECT_EQ(
      Get("/apis/coordination.k8s.io/v1/namespaces/muster-system/leases/muster")["spec"].value(
          "holderIdentity", "?"),
      "");
}

TEST_F(OperatorTest, AServerThatIsNotTrustedIsToldNothingAndWaitedFor) {
  Load(kNamespace);
  const app::CertificateAuthority ca("loopback-ca");
  const app::CertificateAuthority other("other-ca");
  WriteTlsKubeconfig(ServeTls(ca), other.pem());
  RotateToken("first");
  const auto muster = Start();
  EXPECT_TRUE(Await([this] {
    return Output().find("its certificate is not trusted: ") != std::string::npos;
  })) << Output();
  EXPECT_EQ(Ask("/readyz").status, 503);
  muster->Signal(SIGTERM);
  EXPECT_EQ(muster->Wait(), 0) << Output();
}

TEST_F(OperatorTest, AMissingNamespaceIsOneClearLine) {
  Serve();
  const auto muster = Start();
  EXPECT_EQ(muster->Wait(), 1);
  EXPECT_NE(Output().find("muster: namespace \"muster-system\" does not exist: create it"),
            std::string::npos)
      << Output();
}

TEST_F(OperatorTest, ATakenPortIsOneClearLine) {
  Load(kNamespace);
  Serve();
  const auto first = Start();
  ASSERT_TRUE(Await([this] { return Port() != 0; }));
  Program second({"--kubeconfig", kubeconfig(), "--http-port", std::to_string(Port())},
                 folder_ + "/second");
  EXPECT_EQ(second.Wait(), 1);
  const std::string text = ReadFile(folder_ + "/second");
  EXPECT_TRUE(text.starts_with("muster: port " + std::to_string(Port()) + " on 127.0.0.1 is taken"))
      << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
}

TEST_F(OperatorTest, MistakesOfTheCommandLineAndTheKubeconfigAreOneLineEach) {
  WriteKubeconfig("https://127.0.0.1:6443/a?b");
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::string text;
  };
  const std::vector<Case> cases = {
      {{},
       1,
       "muster: no kubeconfig: set KUBECONFIG or --kubeconfig to a file; $HOME/.kube/config is not "
       "there, and this runs in no pod\n"},
      {{"--kubeconfig", "/nowhere"}, 1, "muster: /nowhere: cannot be read\n"},
      {{"--kubeconfig", kubeconfig()},
       1,
       ": clusters[0].cluster.server: expected https://host:port, with a plain path or none\n"},
      {{"--leader-elect-renew-deadline", "2s"},
       2,
       "muster: the renew deadline (2s) must be longer than 1.2 times the retry period (2s)\n"},
      {{"--leader-elect-retry-period", "2"}, 2, "--leader-elect-retry-period"},
      {{"--no-such-flag"}, 2, "--no-such-flag"},
  };
  for (const Case& c : cases) {
    std::filesystem::remove(output());
    Program muster(c.arguments, output());
    EXPECT_EQ(muster.Wait(), c.code) << c.text;
    EXPECT_NE(Output().find(c.text), std::string::npos) << Output();
    EXPECT_EQ(Output().find('\n'), Output().size() - 1) << Output();
  }
}

}  // namespace
}  // namespace muster::e2e
