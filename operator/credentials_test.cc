#include "operator/credentials.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "operator/api_client.h"
#include "operator/find_cluster.h"
#include "operator/testing/raw_server.h"
#include "operator/testing/tls_bed.h"
#include "operator/testing/watch_bed.h"

namespace muster::app {
namespace {

using Lines = std::vector<std::string>;

// Files are read only when somebody asks, or all the time.
constexpr CredentialTimes kOnDemand = {.look_ms = 600'000, .plugin_gap_ms = 0};
constexpr CredentialTimes kAlways = {.look_ms = 1, .plugin_gap_ms = 0};

class CredentialsTest : public testing::Test {
 protected:
  CredentialsTest()
      : logger_(Logger::Open({.file = "/dev/null"})),
        folder_(testing::TempDir() + "credentials-" + std::to_string(::getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~CredentialsTest() override { std::filesystem::remove_all(folder_); }
  CredentialsTest(const CredentialsTest&) = delete;
  CredentialsTest& operator=(const CredentialsTest&) = delete;

  // As the kubelet does it: the new file is put in the place of the old.
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
    return path;
  }
  // A plugin whose status is what a file holds. It also counts its runs, a line each.
  [[nodiscard]] ExecPlugin Plugin() const {
    return {.api_version = "client.authentication.k8s.io/v1",
            .command = "/bin/sh",
            .arguments = {"-c", "cd " + folder_ +
                                    "; echo >>runs; printf '{\"kind\":\"ExecCredential\","
                                    "\"apiVersion\":\"client.authentication.k8s.io/v1\","
                                    "\"status\":'; cat status; printf '}'"}};
  }
  [[nodiscard]] std::size_t runs() const {
    std::ifstream in(folder_ + "/runs");
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
  }
  // Lets in who has the token that is good, and writes down all that were shown.
  void Serve() {
    server_ = std::make_unique<RawServer>(
        [this](RawServer::Peer& peer) {
          for (std::string request = peer.Read(); !request.empty(); request = peer.Read()) {
            const std::string token = TokenIn(request);
            {
              const std::lock_guard lock(mutex_);
              shown_.push_back(token);
            }
            peer.Write(token == good_ ? Reply(request) : Answer(401, "Unauthorized"));
          }
        },
        bed_.server);
  }
  [[nodiscard]] static std::string TokenIn(const std::string& request) {
    const std::string mark = "Authorization: Bearer ";
    const std::size_t at = request.find(mark);
    if (at == std::string::npos) return "";
    return request.substr(at + mark.size(), request.find('\r', at) - at - mark.size());
  }
  [[nodiscard]] static std::string Reply(const std::string& request) {
    if (request.find("watch=1") != std::string::npos) {
      return ChunkedHead(200) + Chunk(R"({"type":"ADDED","object":{"metadata":{"name":"b",)"
                                      R"("uid":"u-b","resourceVersion":"10"}}})"
                                      "\n");
    }
    return Answer(200, R"({"metadata":{"resourceVersion":"9"},"items":[]})");
  }
  [[nodiscard]] Lines shown() {
    const std::lock_guard lock(mutex_);
    return shown_;
  }
  void Connect(const ClusterAccess& access, CredentialTimes times) {
    endpoint_ = TlsBed::Opened(access, times);
    ApiClientOptions options;
    options.lease_connections = options.bind_connections = 1;
    options.removal_connections = options.status_connections = 1;
    client_ = std::make_unique<ApiClient>(endpoint_, options, loop_, logger_.value());
  }
  // The status of a Binding's answer, 0 = none.
  int Bind() {
    ports::Request request;
    request.verb = ports::Verb::kCreate;
    request.resource = {"", "v1", "pods"};
    request.ns = "a";
    request.name = "p";
    request.subresource = "binding";
    request.lane = ports::Lane::kBind;
    request.body = "{}";
    int status = 0;
    std::atomic<bool> done = false;
    client_->Call(std::move(request), [&](const Result<ports::Response>& answer) {
      status = answer.ok() ? answer.value().status : 0;
      done = true;
    });
    if (!runner_.joinable()) runner_ = std::thread([this] { loop_.Run(); });
    while (!done) std::this_thread::yield();
    return status;
  }
  void TearDown() override {
    if (client_ != nullptr) client_->Stop();
    loop_.Stop();
    if (runner_.joinable()) runner_.join();
  }
  [[nodiscard]] std::string Token() const { return endpoint_.credentials->Now()->token; }
  void AwaitToken(const std::string& token) const {
    while (Token() != token) std::this_thread::yield();
  }

  Result<Logger> logger_;
  const std::string folder_;
  const TlsBed bed_;
  std::mutex mutex_;
  Lines shown_;
  std::string good_ = "good";
  std::unique_ptr<RawServer> server_;
  ThreadLoop loop_;
  std::thread runner_;
  Endpoint endpoint_;
  std::unique_ptr<ApiClient> client_;
};

TEST_F(CredentialsTest, AFixedTokenThatIsRefusedIsNotTriedAgain) {
  Serve();
  Connect(bed_.Access(server_->port()), kOnDemand);
  EXPECT_EQ(Bind(), 401);
  EXPECT_EQ(shown(), Lines{"secret"});
}

TEST_F(CredentialsTest, ATokenFileIsReadAnewWhenItsTokenIsRefusedAndTheRequestSentAgain) {
  Serve();
  ClusterAccess access = bed_.Access(server_->port());
  access.token_file = Write("token", " old\n");
  Connect(access, kOnDemand);
  EXPECT_EQ(Bind(), 401);  // The file has no other.
  Write("token", "good\n");
  EXPECT_EQ(Bind(), 200);
  EXPECT_EQ(Bind(), 200);
  EXPECT_EQ(shown(), (Lines{"old", "old", "good", "good"}));
}

TEST_F(CredentialsTest, AWatchGoesOnWithTheNewTokenAsIfNothingHadBeen) {
  Serve();
  ClusterAccess access = bed_.Access(server_->port());
  access.token_file = Write("token", "old");
  Connect(access, kOnDemand);
  Write("token", "good");
  EXPECT_EQ(CollectEvents(endpoint_, 2, QuickWatch()), (Lines{"end 9", "added b@10"}));
  EXPECT_EQ(shown(), (Lines{"old", "good", "good"}));
}

TEST_F(CredentialsTest, AWatchThatIsRefusedItselfGoesOnToo) {
  std::atomic<int> lists = 0;
  RawServer server(
      [&](RawServer::Peer& peer) {
        for (std::string request = peer.Read(); !request.empty(); request = peer.Read()) {
          const bool watch = request.find("watch=1") != std::string::npos;
          if (!watch) {
            ++lists;
            Write("token", "good");
          }
          const bool known = !watch || TokenIn(request) == "good";
          peer.Write(known ? Reply(request) : Answer(401, "Unauthorized"));
        }
      },
      bed_.server);
  ClusterAccess access = bed_.Access(server.port());
  access.token_file = Write("token", "old");
  Connect(access, kOnDemand);
  EXPECT_EQ(CollectEvents(endpoint_, 2, QuickWatch()), (Lines{"end 9", "added b@10"}));
  EXPECT_EQ(lists, 1);
  client_->Stop();
}

TEST_F(CredentialsTest, FilesAreReadAgainWithoutBeingAskedFor) {
  Serve();
  ClusterAccess access = bed_.Access(server_->port());
  access.token_file = Write("token", "old");
  Connect(access, kAlways);
  EXPECT_EQ(Token(), "old");
  Write("token", "good");
  AwaitToken("good");
  EXPECT_EQ(Bind(), 200);
  EXPECT_EQ(shown(), Lines{"good"});
}

TEST_F(CredentialsTest, WhatCannotBeUsedLeavesWhatWas) {
  Serve();
  ClusterAccess access = bed_.Access(server_->port());
  access.token_file = Write("token", "good");
  Connect(access, kOnDemand);
  const auto first = endpoint_.credentials->Now();
  for (const char* text : {"", " \n", "two words", "a\x01"}) {
    Write("token", text);
    EXPECT_FALSE(endpoint_.credentials->Renew(first)) << text;
  }
  std::filesystem::remove(access.token_file);
  EXPECT_FALSE(endpoint_.credentials->Renew(first));
  EXPECT_EQ(Bind(), 200);
}

TEST_F(CredentialsTest, AnAuthorityThatIsReplacedIsTrustedFromThenOn) {
  Serve();
  const CertificateAuthority before("before-ca");
  ClusterAccess access = bed_.Access(server_->port());
  access.token = "good";
  access.ca = {.file = Write("ca.crt", before.pem())};
  Connect(access, kAlways);
  EXPECT_EQ(Bind(), 0);
  const auto first = endpoint_.credentials->Now();
  Write("ca.crt", before.pem() + bed_.ca.pem());
  while (endpoint_.credentials->Now() == first) std::this_thread::yield();
  EXPECT_EQ(Bind(), 200);
}

TEST_F(CredentialsTest, ANewClientCertificateMakesANewConnection) {
  std::atomic<int> connections = 0;
  std::string name;
  RawServer server(
      [&](RawServer::Peer& peer) {
        ++connections;
        name = peer.tls().client_name();
        while (!peer.Read().empty()) peer.Write(Answer(200, "{}"));
      },
      std::make_shared<TlsAcceptor>(bed_.ca.Issue("server", "IP:127.0.0.1"), bed_.ca.pem()));
  ClusterAccess access = bed_.Access(server.port());
  const Issued one = bed_.ca.Issue("one", "");
  const Issued two = bed_.ca.Issue("two", "");
  access.certificate.file = Write("tls.crt", one.certificate);
  access.key.file = Write("tls.key", one.key);
  Connect(access, kOnDemand);
  EXPECT_EQ(Bind(), 200);
  EXPECT_EQ(name, "one");
  const auto first = endpoint_.credentials->Now();
  Write("tls.crt", two.certificate);
  EXPECT_FALSE(endpoint_.credentials->Renew(first));  // Its key is still the other's.
  EXPECT_EQ(Bind(), 200);
  EXPECT_EQ(connections, 1);
  Write("tls.key", two.key);
  EXPECT_TRUE(endpoint_.credentials->Renew(first));
  EXPECT_EQ(Bind(), 200);
  EXPECT_EQ(connections, 2);
  EXPECT_EQ(name, "two");
  client_->Stop();
}

TEST_F(CredentialsTest, APluginIsRunOnceAndAgainWhenItsTokenIsRefused) {
  Serve();
  Write("status", R"({"token":"old"})");
  ClusterAccess access = bed_.Access(server_->port());
  access.token = "";
  access.exec = Plugin();
  Connect(access, kOnDemand);
  EXPECT_EQ(runs(), 1U);
  Write("status", R"({"token":"good"})");
  EXPECT_EQ(Bind(), 200);
  EXPECT_EQ(Bind(), 200);
  EXPECT_EQ(runs(), 2U);
  EXPECT_EQ(shown(), (Lines{"old", "good", "good"}));
}

TEST_F(CredentialsTest, APluginIsNotRunInARowHoweverOftenItsTokenIsRefused) {
  Serve();
  Write("status", R"({"token":"old"})");
  ClusterAccess access = bed_.Access(server_->port());
  access.token = "";
  access.exec = Plugin();
  Connect(access, {.look_ms = 600'000, .plugin_gap_ms = 600'000});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Bind(), 401);
  EXPECT_EQ(runs(), 1U);
}

TEST_F(CredentialsTest, APluginIsRunAgainBeforeTheEndOfWhatItGave) {
  Write("status", R"({"token":"old","expirationTimestamp":"2000-01-01T00:00:00Z"})");
  ClusterAccess access = bed_.Access(1);
  access.token = "";
  access.exec = Plugin();
  Connect(access, kAlways);
  EXPECT_EQ(Token(), "old");
  // Far from its end, this one is the last.
  Write("status", R"({"token":"good","expirationTimestamp":"2200-01-01T00:00:00Z"})");
  AwaitToken("good");
  const std::size_t until_then = runs();
  EXPECT_GE(until_then, 2U);
  Write("status", R"({"token":"more"})");
  endpoint_.credentials->Stop();
  EXPECT_EQ(runs(), until_then);
  EXPECT_EQ(Token(), "good");
}

TEST_F(CredentialsTest, APluginThatFailsLeavesWhatItGaveAndAStopEndsOneThatHangs) {
  Write("status", R"({"token":"good"})");
  ClusterAccess access = bed_.Access(1);
  access.token = "";
  access.exec = Plugin();
  Connect(access, kOnDemand);
  const auto first = endpoint_.credentials->Now();
  Write("status", "{");
  EXPECT_FALSE(endpoint_.credentials->Renew(first));
  EXPECT_EQ(Token(), "good");
  std::filesystem::remove(folder_ + "/status");
  ASSERT_EQ(::mkfifo((folder_ + "/status").c_str(), 0600), 0);  // Nobody writes.
  std::thread asker([&] { EXPECT_FALSE(endpoint_.credentials->Renew(first)); });
  while (runs() < 3) std::this_thread::yield();
  client_->Stop();
  asker.join();
}

TEST_F(CredentialsTest, APluginMayGiveACertificate) {
  std::string name;
  RawServer server(
      [&](RawServer::Peer& peer) {
        name = peer.tls().client_name();
        while (!peer.Read().empty()) peer.Write(Answer(200, "{}"));
      },
      std::make_shared<TlsAcceptor>(bed_.ca.Issue("server", "IP:127.0.0.1"), bed_.ca.pem()));
  const Issued ours = bed_.ca.Issue("by-plugin", "");
  const auto quoted = [](std::string pem) {
    for (auto at = pem.find('\n'); at != std::string::npos; at = pem.find('\n')) {
      pem.replace(at, 1, "\\n");
    }
    return '"' + pem + '"';
  };
  Write("status", "{\"clientCertificateData\":" + quoted(ours.certificate) +
                      ",\"clientKeyData\":" + quoted(ours.key) + "}");
  ClusterAccess access = bed_.Access(server.port());
  access.token = "";
  access.exec = Plugin();
  Connect(access, kOnDemand);
  EXPECT_EQ(Bind(), 200);
  EXPECT_EQ(name, "by-plugin");
  client_->Stop();
}

TEST_F(CredentialsTest, WhatIsWrongAtTheStartIsOneLineWithItsOrigin) {
  const auto open = [this](const std::function<void(ClusterAccess&)>& change) {
    ClusterAccess access = bed_.Access(1);
    change(access);
    const Result<Endpoint> endpoint = OpenEndpoint(access);
    return endpoint.ok() ? "" : endpoint.error().message;
  };
  EXPECT_EQ(open([](ClusterAccess&) {}), "");
  EXPECT_EQ(open([](ClusterAccess& access) { access.token_file = "/nowhere/token"; }),
            "test: /nowhere/token cannot be read, or is empty");
  EXPECT_EQ(open([](ClusterAccess& access) { access.ca = {.file = "/nowhere/ca"}; }),
            "test: /nowhere/ca cannot be read, or is empty");
  EXPECT_EQ(open([](ClusterAccess& access) { access.ca = {.text = "x"}; }),
            "test: the certificate authority holds no certificate in PEM form");
  EXPECT_EQ(
      open([](ClusterAccess& access) { access.exec = ExecPlugin{.command = "no-such-plugin"}; }),
      "test: exec plugin no-such-plugin: cannot be run: No such file or directory");
}

// As in a pod: address, token and authority are where the kubelet puts them, and it replaces both.
TEST_F(CredentialsTest, AServiceAccountIsFollowedThroughRotations) {
  Serve();
  const std::string account = "pod/var/run/secrets/kubernetes.io/serviceaccount";
  std::filesystem::create_directories(folder_ + "/" + account);
  Write(account + "/token", "first");
  Write(account + "/ca.crt", bed_.ca.pem());
  good_ = "first";
  const Result<ClusterAccess> access =
      FindCluster({.environment = {{"KUBERNETES_SERVICE_HOST", "127.0.0.1"},
                                   {"KUBERNETES_SERVICE_PORT", std::to_string(server_->port())}},
                   .root = folder_ + "/pod"});
  ASSERT_TRUE(access.ok()) << access.error().message;
  Connect(access.value(), kOnDemand);
  EXPECT_EQ(Bind(), 200);
  for (const char* token : {"second", "third"}) {
    Write(account + "/token", token);
    good_ = token;
    EXPECT_EQ(Bind(), 200);
  }
  EXPECT_EQ(shown(), (Lines{"first", "first", "second", "second", "third"}));
}

}  // namespace
}  // namespace muster::app
