#include "operator/http_client.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "operator/testing/raw_server.h"

namespace muster::app {
namespace {

using std::chrono::steady_clock;

Endpoint To(const RawServer& server) {
  return {"127.0.0.1", server.port(), "secret"};
}

HttpCall Post(std::string body) {
  return {.method = "POST", .target = "/x?a=b", .content_type = "", .body = std::move(body)};
}

HttpCall GetCall() {
  return {.method = "GET", .target = "/x", .content_type = "", .body = ""};
}

TEST(HttpClient, SendsTheTokenTheBodyAndTheEncodedTargetAndReadsTheAnswer) {
  std::string seen;
  RawServer server([&](RawServer::Peer& peer) {
    seen = peer.Read();
    peer.Write(Answer(429, "slow down", "Retry-After: 7\r\n"));
    peer.Hold();
  });
  HttpConnection connection(To(server), {});
  const Result<HttpReply> reply = connection.Send(Post("{}"));
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply.value().status, 429);
  EXPECT_EQ(reply.value().body, "slow down");
  EXPECT_EQ(reply.value().retry_after_ms, 7000);
  EXPECT_TRUE(seen.starts_with("POST /x?a=b HTTP/1.1\r\n")) << seen;
  EXPECT_NE(seen.find("Authorization: Bearer secret\r\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find("Content-Type: application/json\r\n"), std::string::npos) << seen;
  EXPECT_TRUE(seen.ends_with("\r\n\r\n{}")) << seen;
}

TEST(HttpClient, KeepsTheConnectionAndSaysWhenItWasReused) {
  RawServer server([](RawServer::Peer& peer) {
    while (!peer.Read().empty()) peer.Write(Answer(200, "ok"));
  });
  HttpConnection connection(To(server), {});
  ASSERT_TRUE(connection.Send(GetCall()).ok());
  EXPECT_FALSE(connection.reused());
  ASSERT_TRUE(connection.Send(GetCall()).ok());
  EXPECT_TRUE(connection.reused());
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, TellsOfEveryRequestAndTheTimeOfThoseThatEndByThemselves) {
  RawServer server([](RawServer::Peer& peer) {
    (void)peer.Read();
    peer.Write(Answer(201, "ok"));
    (void)peer.Read();
    peer.Write(ChunkedHead(200) + Chunk("x"));
    peer.Hold();
  });
  std::vector<std::string> told;
  const auto tell = [&told](const HttpSent& sent) {
    told.push_back(std::string(sent.method) + " " + std::to_string(sent.status) +
                   (sent.micros ? " timed" : ""));
  };
  HttpConnection connection(To(server), {}), nowhere({"127.0.0.1", 1, ""}, {});
  connection.Observe(tell);
  nowhere.Observe(tell);
  for (HttpConnection* one : {&connection, &nowhere}) {
    (void)one->Send(Post("{}"));
    (void)one->Stream(
        "/x", [](const HttpReply&) { return true; }, [](std::string_view) { return false; });
  }
  EXPECT_EQ(told, (std::vector<std::string>{"POST 201 timed", "GET 200", "POST 0 timed", "GET 0"}));
}

TEST(HttpClient, ARequestIsNotHeldBackByDelayedAcknowledgements) {
  RawServer server([](RawServer::Peer& peer) {
    while (!peer.Read().empty()) peer.Write(Answer(201, "{}"));
  });
  HttpConnection connection(To(server), {});
  ASSERT_TRUE(connection.Send(Post("warm")).ok());
  steady_clock::duration fastest = std::chrono::hours(1);
  for (int i = 0; i < 20; ++i) {
    const auto start = steady_clock::now();
    ASSERT_TRUE(connection.Send(Post("{\"a\":1}")).ok());
    fastest = std::min(fastest, steady_clock::now() - start);
  }
  // None is faster than 40 ms when the body waits for the ACK of the head.
  EXPECT_LT(fastest, std::chrono::milliseconds(25));
}

TEST(HttpClient, AnIdleConnectionIsNotUsedAgain) {
  RawServer server([](RawServer::Peer& peer) {
    while (!peer.Read().empty()) peer.Write(Answer(200, "ok"));
  });
  HttpConnection connection(To(server), {.idle_ms = 20});
  ASSERT_TRUE(connection.Send(GetCall()).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  ASSERT_TRUE(connection.Send(GetCall()).ok());
  EXPECT_FALSE(connection.reused());
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttpClient, AConnectionThatTheServerClosesUnderARequestIsAnErrorOfAReusedOne) {
  RawServer server([](RawServer::Peer& peer) {
    (void)peer.Read();
    peer.Write(Answer(200, "ok"));
    (void)peer.Read();  // Closed without an answer.
  });
  HttpConnection connection(To(server), {});
  ASSERT_TRUE(connection.Send(GetCall()).ok());
  const Result<HttpReply> reply = connection.Send(Post("{}"));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, Code::kDeadlineExceeded);
  EXPECT_TRUE(connection.reused());
  EXPECT_TRUE(connection.Send(GetCall()).ok());  // On a fresh one.
  EXPECT_FALSE(connection.reused());
}

TEST(HttpClient, NoListenerMeansThatNothingWasSent) {
  std::int32_t port = 0;
  {
    const RawServer gone([](RawServer::Peer&) {});
    port = gone.port();
  }
  HttpConnection connection({"127.0.0.1", port, ""}, {});
  EXPECT_EQ(connection.Send(GetCall()).error().code, Code::kUnavailable);
}

TEST(HttpClient, AServerThatNeverAnswersEndsInATimeOut) {
  RawServer server([](RawServer::Peer& peer) { peer.Hold(); });
  HttpConnection connection(To(server), {.read_ms = 30});
  EXPECT_EQ(connection.Send(GetCall()).error().code, Code::kDeadlineExceeded);
}

TEST(HttpClient, LineEndsInAnyPartOfTheHeadAreRefusedBeforeAnythingIsSent) {
  RawServer server([](RawServer::Peer& peer) { peer.Hold(); });
  struct Case {
    std::string token, target, content_type;
  };
  const std::vector<Case> cases = {
      {"secret\r\nX-A: b", "/x", ""},
      {"secret", "/x\r\nX-A: b", ""},
      {"secret", "/x HTTP/1.1\n", ""},
      {"secret", "/x", "application/json\r\nX-A: b"},
      {"sec\nret", "/x", ""},
      {"secret", "/a b", ""},
      {std::string("s\0t", 3), "/x", ""},
  };
  for (const Case& c : cases) {
    HttpConnection connection({"127.0.0.1", server.port(), c.token}, {});
    const Result<HttpReply> reply = connection.Send(
        {.method = "POST", .target = c.target, .content_type = c.content_type, .body = "{}"});
    ASSERT_FALSE(reply.ok()) << c.target << c.content_type;
    EXPECT_EQ(reply.error().code, Code::kInvalidArgument);
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttpClient, AStreamGivesItsHeadFirstThenItsBytesAndEndsWell) {
  RawServer server([](RawServer::Peer& peer) {
    (void)peer.Read();
    peer.Write(ChunkedHead(200) + Chunk("one") + Chunk("two") + Chunk(""));
    peer.Hold();
  });
  HttpConnection connection(To(server), {});
  std::string seen;
  const Result<void> end = connection.Stream(
      "/x",
      [&](const HttpReply& head) {
        seen += std::to_string(head.status) + ":";
        return true;
      },
      [&](std::string_view bytes) {
        seen += bytes;
        return true;
      });
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(seen, "200:onetwo");
}

TEST(HttpClient, AStreamThatBreaksIsAnErrorAndOneThatTheReceiverEndsIsNot) {
  RawServer server([](RawServer::Peer& peer) {
    (void)peer.Read();
    peer.Write(ChunkedHead(200) + "20\r\nhalf of it");
  });
  const auto any = [](const HttpReply&) { return true; };
  HttpConnection connection(To(server), {});
  EXPECT_FALSE(connection.Stream("/x", any, [](std::string_view) { return true; }).ok());
  EXPECT_TRUE(connection.Stream("/x", any, [](std::string_view) { return false; }).ok());
  EXPECT_TRUE(connection
                  .Stream(
                      "/x", [](const HttpReply&) { return false; }, nullptr)
                  .ok());
}

TEST(HttpClient, AnInterruptFromAnotherThreadEndsAStream) {
  RawServer server([](RawServer::Peer& peer) {
    (void)peer.Read();
    peer.Write(ChunkedHead(200) + Chunk("first"));
    peer.Hold();
  });
  HttpConnection connection(To(server), {.read_ms = 60'000});
  std::thread other;
  const auto start = steady_clock::now();
  const Result<void> end = connection.Stream(
      "/x", [](const HttpReply&) { return true; },
      [&](std::string_view) {
        other = std::thread([&] { connection.Interrupt(); });
        return true;
      });
  EXPECT_FALSE(end.ok());
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(10));
  other.join();
}

TEST(HttpClient, RetryAfterIsSecondsWithinAnHour) {
  EXPECT_EQ(ParseRetryAfter("1"), 1000);
  EXPECT_EQ(ParseRetryAfter("0"), 0);
  EXPECT_EQ(ParseRetryAfter("99999999"), 3'600'000);
  for (const char* bad : {"", "-1", "soon", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT"}) {
    EXPECT_EQ(ParseRetryAfter(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace muster::app
