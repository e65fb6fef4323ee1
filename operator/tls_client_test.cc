// The client over TLS against servers that do what real ones and networks do.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "operator/http_client.h"
#include "operator/testing/raw_server.h"
#include "operator/testing/tls_bed.h"
#include "operator/thread_loop.h"

namespace muster::app {
namespace {

const HttpCall kTlsGet = {.method = "GET", .target = "/x", .content_type = "", .body = ""};
const HttpCall kTlsPost = {.method = "POST", .target = "/x", .content_type = "", .body = "{}"};

void AnswerAll(RawServer::Peer& peer) {
  while (!peer.Read().empty()) peer.Write(Answer(200, "ok"));
}

// "ok", or the error's text without the path at its end.
std::string OutcomeOf(const Endpoint& to) {
  HttpConnection connection(to, {});
  const Result<HttpReply> reply = connection.Send(kTlsGet);
  if (reply.ok()) return reply.value().body;
  EXPECT_EQ(reply.error().code, Code::kUnavailable) << reply.error().message;
  return reply.error().message;
}

// A server of a certificate for these names, and a client that asks for `name`. True: it spoke.
bool Trusts(const CertificateAuthority& ca, const Issued& issued, const std::string& name) {
  std::atomic<bool> asked = false;
  RawServer server(
      [&](RawServer::Peer& peer) {
        asked = asked || !peer.Read().empty();
        peer.Write(Answer(200, "ok"));
      },
      std::make_shared<TlsAcceptor>(issued));
  ClusterAccess access = TlsBed().Access(server.port());
  access.ca.text = ca.pem();
  access.server_name = name;
  const std::string outcome = OutcomeOf(TlsBed::Opened(access));
  EXPECT_EQ(outcome == "ok", asked) << outcome;
  if (!asked) {
    EXPECT_NE(outcome.find("its certificate is not trusted: "), std::string::npos) << outcome;
  }
  return asked;
}

TEST(TlsClient, ARequestGoesOutAndItsConnectionIsKept) {
  const TlsBed bed;
  std::string seen;
  RawServer server(
      [&](RawServer::Peer& peer) {
        seen = peer.Read();
        peer.Write(Answer(200, "one"));
        AnswerAll(peer);
      },
      bed.server);
  HttpConnection connection(bed.To(server.port()), {});
  EXPECT_EQ(connection.Send(kTlsPost).value().body, "one");
  EXPECT_EQ(connection.Send(kTlsGet).value().body, "ok");
  EXPECT_TRUE(connection.reused());
  EXPECT_NE(seen.find("Authorization: Bearer secret\r\n"), std::string::npos) << seen;
  EXPECT_EQ(server.connections(), 1);
}

TEST(TlsClient, APrefixStandsBeforeEveryPath) {
  const TlsBed bed;
  std::string seen;
  RawServer server(
      [&](RawServer::Peer& peer) {
        seen = peer.Read();
        peer.Write(Answer(200, "ok"));
      },
      bed.server);
  ClusterAccess access = bed.Access(server.port());
  access.prefix = "/k8s/clusters/c-1";
  EXPECT_EQ(OutcomeOf(TlsBed::Opened(access)), "ok");
  EXPECT_TRUE(seen.starts_with("GET /k8s/clusters/c-1/x HTTP/1.1\r\n")) << seen;
}

TEST(TlsClient, ARequestIsNotHeldBackByDelayedAcknowledgements) {
  using std::chrono::steady_clock;
  const TlsBed bed;
  RawServer server(AnswerAll, bed.server);
  HttpConnection connection(bed.To(server.port()), {});
  ASSERT_TRUE(connection.Send(kTlsPost).ok());
  steady_clock::duration fastest = std::chrono::hours(1);
  for (int i = 0; i < 20; ++i) {
    const auto start = steady_clock::now();
    ASSERT_TRUE(connection.Send(kTlsPost).ok());
    fastest = std::min(fastest, steady_clock::now() - start);
  }
  // None is faster than 40 ms when the body waits for the ACK of the head.
  EXPECT_LT(fastest, std::chrono::milliseconds(25));
}

// Whether an option of a socket is `wanted`.
bool HasOption(int socket, int level, int option, int wanted) {
  int value = 0;
  socklen_t size = sizeof(value);
  return ::getsockopt(socket, level, option, &value, &size) == 0 && value == wanted;
}

// Where no read is under way, a time-out of reads finds nothing.
TEST(TlsClient, TheKernelLooksForAPeerThatHasVanished) {
  constexpr int kMostFiles = 1'024;
  const TlsBed bed;
  RawServer server(AnswerAll, bed.server);
  HttpConnection connection(bed.To(server.port()), {});
  ASSERT_TRUE(connection.Send(kTlsGet).ok());
  int ours = 0;
  for (int file = 0; file < kMostFiles; ++file) {
    sockaddr_in peer{};
    socklen_t size = sizeof(peer);
    if (::getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.sin_family != AF_INET || ntohs(peer.sin_port) != server.port()) continue;
    ++ours;
    EXPECT_TRUE(HasOption(file, SOL_SOCKET, SO_KEEPALIVE, 1));
    EXPECT_TRUE(HasOption(file, IPPROTO_TCP, TCP_KEEPIDLE, 30));
    EXPECT_TRUE(HasOption(file, IPPROTO_TCP, TCP_KEEPINTVL, 10));
    EXPECT_TRUE(HasOption(file, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000));
  }
  EXPECT_EQ(ours, 1);
}

std::atomic<int> broken_pipes = 0;

// main ignores the signal; here it is counted, so that it came.
TEST(TlsClient, AWriteToAPeerThatIsGoneIsAnErrorBesideItsSignal) {
  const TlsBed bed;
  std::atomic<int> closed = 0;
  RawServer server(
      [&](RawServer::Peer& peer) {
        (void)peer.Read();
        peer.Write(Answer(200, "ok"));
        peer.Close();
        ++closed;
      },
      bed.server);
  (void)std::signal(SIGPIPE, [](int) { ++broken_pipes; });
  for (int i = 1; i <= 50 && broken_pipes == 0; ++i) {
    HttpConnection connection(bed.To(server.port()), {});
    ASSERT_TRUE(connection.Send(kTlsGet).ok());
    while (closed < i) std::this_thread::yield();
    EXPECT_FALSE(connection.Send(kTlsPost).ok());
  }
  (void)std::signal(SIGPIPE, SIG_IGN);
  EXPECT_GT(broken_pipes, 0);
}

// The words with which TLS closes look like an answer to whoever peeks at the socket.
TEST(TlsClient, AConnectionThatWasClosedWhileItIdledIsAnErrorOfAReusedOne) {
  const TlsBed bed;
  std::atomic<int> closed = 0;
  RawServer server(
      [&](RawServer::Peer& peer) {
        (void)peer.Read();
        peer.Write(Answer(200, "ok"));
        peer.Close();
        ++closed;
      },
      bed.server);
  HttpConnection connection(bed.To(server.port()), {});
  ASSERT_TRUE(connection.Send(kTlsGet).ok());
  while (closed < 1) std::this_thread::yield();
  const Result<HttpReply> reply = connection.Send(kTlsPost);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, Code::kDeadlineExceeded);
  EXPECT_TRUE(connection.reused());
  EXPECT_TRUE(connection.Send(kTlsGet).ok());
  EXPECT_FALSE(connection.reused());
}

TEST(TlsClient, APinnedAuthorityIsTrustedAloneAndWithoutOneTheSystemIs) {
  const CertificateAuthority known_to_the_system("system-ca");
  const std::string file = testing::TempDir() + "tls-client-system-ca.pem";
  std::ofstream(file) << known_to_the_system.pem();
  ::setenv("SSL_CERT_FILE", file.c_str(), 1);
  RawServer server(AnswerAll, std::make_shared<TlsAcceptor>(
                                  known_to_the_system.Issue("server", "IP:127.0.0.1")));
  ClusterAccess access = TlsBed().Access(server.port());
  EXPECT_NE(OutcomeOf(TlsBed::Opened(access)).find("its certificate is not trusted"),
            std::string::npos);
  access.ca = {};
  EXPECT_EQ(OutcomeOf(TlsBed::Opened(access)), "ok");
  ::unsetenv("SSL_CERT_FILE");
}

TEST(TlsClient, TheAddressOrNameHasToStandInTheCertificate) {
  const CertificateAuthority ca("loopback-ca");
  struct Case {
    std::string common_name, alternatives, asked;
    bool trusted;
  };
  const std::vector<Case> cases = {
      {"s", "IP:127.0.0.1", "127.0.0.1", true},
      {"s", "IP:127.0.0.2,IP:127.0.0.1", "127.0.0.1", true},
      {"s", "IP:::1", "::1", true},
      {"s", "DNS:api.example", "api.example", true},
      {"s", "DNS:*.example.test", "a.example.test", true},
      {"s", "IP:127.0.0.2", "127.0.0.1", false},
      {"s", "DNS:localhost", "127.0.0.1", false},
      {"s", "DNS:127.0.0.1", "127.0.0.1", false},
      // Its first four bytes are those of the address that is asked for.
      {"s", "IP:7f00:1::", "127.0.0.1", false},
      {"127.0.0.1", "", "127.0.0.1", false},
      {"127.0.0.1", "DNS:localhost", "127.0.0.1", false},
      {"api.example", "", "api.example", false},
      {"s", "IP:127.0.0.1", "api.example", false},
      {"s", "DNS:*.example.test", "a.b.example.test", false},
      {"s", "DNS:*.example.test", "example.test", false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Trusts(ca, ca.Issue(c.common_name, c.alternatives), c.asked), c.trusted)
        << c.common_name << " " << c.alternatives << " asked for " << c.asked;
  }
}

TEST(TlsClient, AChainIsFollowedUpToTheAuthorityAndNoFurtherThanItsTime) {
  const CertificateAuthority root("root-ca");
  const CertificateAuthority middle("middle-ca", root);
  const CertificateAuthority other("root-ca");  // Of the same name.
  const Issued issued = middle.Issue("s", "IP:127.0.0.1");
  EXPECT_TRUE(Trusts(root, issued, "127.0.0.1"));
  EXPECT_TRUE(Trusts(middle, issued, "127.0.0.1"));
  EXPECT_FALSE(Trusts(other, issued, "127.0.0.1"));
  EXPECT_FALSE(Trusts(root, root.Issue("s", "IP:127.0.0.1", true), "127.0.0.1"));
}

TEST(TlsClient, OfTwoCertificatesOfABundleEitherWillDo) {
  const TlsBed bed;
  const CertificateAuthority next("next-ca");
  RawServer server(AnswerAll, bed.server);
  ClusterAccess access = bed.Access(server.port());
  access.ca.text = next.pem() + "a comment\n" + bed.ca.pem();
  EXPECT_EQ(OutcomeOf(TlsBed::Opened(access)), "ok");
}

TEST(TlsClient, WithoutVerificationAnyCertificateWillDo) {
  const CertificateAuthority other("other-ca");
  RawServer server(AnswerAll, std::make_shared<TlsAcceptor>(other.Issue("s", "", true)));
  ClusterAccess access = TlsBed().Access(server.port());
  access.ca = {};
  access.verify = false;
  EXPECT_EQ(OutcomeOf(TlsBed::Opened(access)), "ok");
}

TEST(TlsClient, AsksForTheNameButNeverForAnAddress) {
  const TlsBed bed;
  std::vector<std::string> asked;
  RawServer server(
      [&](RawServer::Peer& peer) {
        asked.push_back(peer.tls().server_name());
        AnswerAll(peer);
      },
      bed.server);
  ClusterAccess access = bed.Access(server.port());
  EXPECT_EQ(OutcomeOf(TlsBed::Opened(access)), "ok");
  access.server_name = "localhost";
  EXPECT_EQ(OutcomeOf(TlsBed::Opened(access)), "ok");
  EXPECT_EQ(asked, (std::vector<std::string>{"", "localhost"}));
}

TEST(TlsClient, ShowsItsCertificateWithTheIntermediates) {
  const TlsBed bed;
  const CertificateAuthority clients("clients-ca");
  const CertificateAuthority middle("clients-middle-ca", clients);
  std::string shown;
  RawServer server(
      [&](RawServer::Peer& peer) {
        shown = peer.tls().client_name();
        AnswerAll(peer);
      },
      std::make_shared<TlsAcceptor>(bed.ca.Issue("server", "IP:127.0.0.1"), clients.pem()));
  ClusterAccess access = bed.Access(server.port());
  const Issued ours = middle.Issue("system:muster", "");
  access.certificate.text = ours.certificate;
  access.key.text = ours.key;
  EXPECT_EQ(OutcomeOf(TlsBed::Opened(access)), "ok");
  EXPECT_EQ(shown, "system:muster");
}

// TLS 1.3 tells it after the request was sent, which may then not be repeated.
TEST(TlsClient, AServerThatWantsACertificateSaysSo) {
  const TlsBed bed;
  RawServer server(AnswerAll, std::make_shared<TlsAcceptor>(bed.ca.Issue("server", "IP:127.0.0.1"),
                                                            bed.ca.pem()));
  HttpConnection connection(bed.To(server.port()), {});
  const Result<HttpReply> reply = connection.Send(kTlsGet);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, Code::kDeadlineExceeded);
  EXPECT_NE(reply.error().message.find("certificate required"), std::string::npos)
      << reply.error().message;
}

TEST(TlsClient, OldVersionsAreNotSpoken) {
  const CertificateAuthority ca("loopback-ca");
  const auto old = std::make_shared<TlsAcceptor>(ca.Issue("s", "IP:127.0.0.1"));
  old->SpeakOnlyOldVersions();
  RawServer server(AnswerAll, old);
  ClusterAccess access = TlsBed().Access(server.port());
  access.ca.text = ca.pem();
  EXPECT_NE(OutcomeOf(TlsBed::Opened(access)).find("protocol version"), std::string::npos)
      << OutcomeOf(TlsBed::Opened(access));
}

TEST(TlsClient, AListenerThatNeverShakesHandsIsGivenUp) {
  const TlsBed bed;
  RawServer server([](RawServer::Peer& peer) { peer.Hold(); });
  HttpConnection connection(bed.To(server.port()), {.connect_ms = 50});
  EXPECT_EQ(connection.Send(kTlsPost).error().code, Code::kUnavailable);
}

TEST(TlsClient, AServerWithoutTlsIsNoServer) {
  const TlsBed bed;
  RawServer server([](RawServer::Peer& peer) { peer.Write(Answer(400, "Bad Request")); });
  EXPECT_NE(OutcomeOf(bed.To(server.port())).find("wrong version number"), std::string::npos);
}

// The library forgets an interrupt that comes before its request is sent.
TEST(TlsClient, AnInterruptBeforeTheRequestIsSentIsNotLost) {
  const TlsBed bed;
  RawServer server(
      [](RawServer::Peer& peer) {
        (void)peer.Read();
        peer.Write(ChunkedHead(200));
        peer.Hold();
      },
      bed.server);
  HttpConnection connection(bed.To(server.port()), {.read_ms = 600'000});
  std::atomic<bool> interrupted = false;
  IoThread thread(
      [&](const StopFlag&) {
        while (!interrupted) std::this_thread::yield();
        (void)connection.Stream(
            "/x", [](const HttpReply&) { return true; }, [](std::string_view) { return true; });
      },
      [&] {
        connection.Interrupt();
        interrupted = true;
      });
  thread.RequestStop();
  thread.Join();
}

TEST(TlsClient, AnInterruptEndsAStreamThatIsSilent) {
  const TlsBed bed;
  std::atomic<bool> open = false;
  RawServer server(
      [](RawServer::Peer& peer) {
        (void)peer.Read();
        peer.Write(ChunkedHead(200));
        peer.Hold();
      },
      bed.server);
  HttpConnection connection(bed.To(server.port()), {.read_ms = 600'000});
  IoThread thread(
      [&](const StopFlag&) {
        (void)connection.Stream(
            "/x", [&](const HttpReply&) { return open = true; },
            [](std::string_view) { return true; });
      },
      [&] { connection.Interrupt(); });
  while (!open) std::this_thread::yield();
  thread.RequestStop();
  thread.Join();
}

}  // namespace
}  // namespace muster::app
