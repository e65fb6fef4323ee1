// What real servers and networks did to other clients, played over TLS against ours: half-open
// connections, every form of 410, cuts at every byte, silence, crowds.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "operator/api_client.h"
#include "operator/testing/scripted_api.h"
#include "operator/testing/tls_bed.h"
#include "operator/testing/watch_bed.h"

namespace muster::app {
namespace {

using Seen = std::vector<std::string>;

// A server that speaks TLS and plays its steps, and what a watch stream makes of them.
class NetworkTraps : public testing::Test {
 protected:
  void Play(std::vector<ScriptedApi::Step> steps) {
    api_ = std::make_unique<ScriptedApi>(std::move(steps), bed_.server);
  }
  [[nodiscard]] Seen Follow(std::size_t count, const WatchOptions& options = QuickWatch()) const {
    return CollectEvents(bed_.To(api_->port()), count, options);
  }

  const TlsBed bed_;
  std::unique_ptr<ScriptedApi> api_;
};

std::string ListAnswer(const Seen& objects, const std::string& version) {
  return Answer(200, ListBody(objects, version));
}

std::string WatchAnswer(const std::string& lines) {
  return ChunkedHead(200) + Chunk(lines) + Chunk("");
}

TEST_F(NetworkTraps, AWatchWhosePeerIsGoneWithoutAWordIsBegunAgain) {
  Play({{ListAnswer({}, "9")},
        {ChunkedHead(200) + Chunk(Frame("ADDED", "a@10"))},
        {WatchAnswer(Frame("ADDED", "b@11"))}});
  WatchOptions options = QuickWatch();
  options.http.read_ms = 500;
  EXPECT_EQ(Follow(3, options), (Seen{"end 9", "added a@10", "added b@11"}));
  EXPECT_EQ(api_->asked(), (Seen{kListLine, WatchLine("9"), WatchLine("10")}));
}

TEST_F(NetworkTraps, GoneAsTheStatusOfTheAnswerLeadsToANewList) {
  Play({{ListAnswer({"a@5"}, "9")},
        {Answer(410, R"({"kind":"Status","code":410})")},
        {ListAnswer({"a@5"}, "30")}});
  EXPECT_EQ(Follow(5), (Seen{"listed a@5", "end 9", "lost", "listed a@5", "end 30"}));
}

TEST_F(NetworkTraps, GoneAsAnEventLeadsToANewList) {
  Play({{ListAnswer({"a@5"}, "9")},
        {WatchAnswer(Frame("ADDED", "b@31") + ErrorFrame(410))},
        {ListAnswer({"b@31"}, "40")}});
  EXPECT_EQ(Follow(6),
            (Seen{"listed a@5", "end 9", "added b@31", "lost", "listed b@31", "end 40"}));
}

TEST_F(NetworkTraps, EventsAreTheSameAtWhicheverByteTheyAreCut) {
  const std::string lines = Frame("ADDED", "a@10") + Frame("DELETED", "a@11");
  for (std::size_t cut = 1; cut < lines.size(); ++cut) {
    Play({{ListAnswer({}, "9")},
          {ChunkedHead(200) + Chunk(lines.substr(0, cut)) + Chunk(lines.substr(cut)) + Chunk("")}});
    ASSERT_EQ(Follow(3), (Seen{"end 9", "added a@10", "deleted a@11"})) << cut;
  }
}

// As few bytes of a record, and so of a read, as there can be.
TEST_F(NetworkTraps, AnAnswerInRecordsOfOneByteIsAnAnswer) {
  const std::string watch = WatchAnswer(Frame("ADDED", "a@10") + Frame("MODIFIED", "a@11"));
  RawServer server(
      [&](RawServer::Peer& peer) {
        (void)peer.Read();
        for (const char byte : ListAnswer({"z@5"}, "9")) peer.Write(std::string_view(&byte, 1));
        (void)peer.Read();
        for (const char byte : watch) peer.Write(std::string_view(&byte, 1));
        peer.Hold();
      },
      bed_.server);
  EXPECT_EQ(CollectEvents(bed_.To(server.port()), 4, QuickWatch()),
            (Seen{"listed z@5", "end 9", "added a@10", "modified a@11"}));
}

TEST_F(NetworkTraps, AChunkMayHoldManyEvents) {
  std::string lines;
  Seen expected = {"end 9"};
  for (int i = 10; i < 510; ++i) {
    const std::string object = "a" + std::to_string(i) + "@" + std::to_string(i);
    lines += Frame("ADDED", object);
    expected.push_back("added " + object);
  }
  Play({{ListAnswer({}, "9")}, {WatchAnswer(lines)}});
  EXPECT_EQ(Follow(expected.size()), expected);
}

// A resourceVersion is a text: huge, no number, or with what a query has to hide.
TEST_F(NetworkTraps, AResourceVersionIsTakenAndGivenBackAsItIs) {
  const std::string huge = "99999999999999999999999999999999999999999999";
  Play({{ListAnswer({}, huge)},
        {WatchAnswer(Frame("ADDED", "a@v1/x+y=&z"))},
        {WatchAnswer(Frame("MODIFIED", "a@7"))},
        {WatchAnswer(Frame("DELETED", "a@00"))}});
  WatchOptions options = QuickWatch();
  options.short_ms = 0;
  EXPECT_EQ(Follow(4, options),
            (Seen{"end " + huge, "added a@v1/x+y=&z", "modified a@7", "deleted a@00"}));
  EXPECT_EQ(api_->asked(),
            (Seen{kListLine, WatchLine(huge), WatchLine("v1%2Fx%2By%3D%26z"), WatchLine("7")}));
}

TEST_F(NetworkTraps, AListOfMoreThanAHundredMegabytesIsAList) {
  constexpr int kObjects = 40'000;
  const std::string filler(2'700, 'x');
  std::string body = R"({"metadata":{"resourceVersion":"9"},"items":[)";
  for (int i = 0; i < kObjects; ++i) {
    body += std::string(i == 0 ? "" : ",") + R"({"metadata":{"name":"n)" + std::to_string(i) +
            R"(","uid":"u","resourceVersion":"5","annotations":{"a":")" + filler + "\"}}}";
  }
  body += "]}";
  ASSERT_GT(body.size(), 100'000'000U);
  Play({{Answer(200, body)}});
  const Seen seen = Follow(kObjects + 1);
  ASSERT_EQ(seen.size(), kObjects + 1U);
  EXPECT_EQ(seen.front(), "listed n0@5");
  EXPECT_EQ(seen[kObjects - 1], "listed n39999@5");
  EXPECT_EQ(seen.back(), "end 9");
}

TEST_F(NetworkTraps, AStreamOfBookmarksAloneMovesTheVersion) {
  Play({{ListAnswer({}, "9")},
        {WatchAnswer(Frame("BOOKMARK", "@15") + Frame("BOOKMARK", "@20"))},
        {WatchAnswer(Frame("BOOKMARK", "@25"))}});
  WatchOptions options = QuickWatch();
  options.short_ms = 0;
  EXPECT_EQ(Follow(4, options), (Seen{"end 9", "bookmark 15", "bookmark 20", "bookmark 25"}));
  EXPECT_EQ(api_->asked(), (Seen{kListLine, WatchLine("9"), WatchLine("20")}));
}

TEST_F(NetworkTraps, AServerThatEndsInTheMiddleOfAnEventIsAskedForItAgain) {
  const std::string half = Frame("ADDED", "b@11").substr(0, 30);
  Play({{ListAnswer({}, "9")},
        {ChunkedHead(200) + Chunk(Frame("ADDED", "a@10") + half), true},
        {ChunkedHead(200) + "ff\r\n" + half, true},
        {WatchAnswer(Frame("ADDED", "b@11"))}});
  WatchOptions options = QuickWatch();
  options.short_ms = 600'000;  // None lasts for long, however slow the machine.
  EXPECT_EQ(Follow(7, options), (Seen{"end 9", "added a@10", "cut", "bookmark 10", "cut",
                                      "bookmark 10", "added b@11"}));
  EXPECT_EQ(api_->asked(), (Seen{kListLine, WatchLine("9"), WatchLine("10"), WatchLine("10")}));
}

TEST_F(NetworkTraps, RetryAfterIsWaitedFor) {
  Play({{Answer(429, "slow down", "Retry-After: 1\r\n")}, {ListAnswer({"a@5"}, "9")}});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Follow(2), (Seen{"listed a@5", "end 9"}));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_F(NetworkTraps, ALoadBalancerThatTakesTheRequestAndNeverAnswersIsAskedAgain) {
  RawServer server(
      [&](RawServer::Peer& peer) {
        (void)peer.Read();
        if (peer.number() == 0) return peer.Hold();
        peer.Write(ListAnswer({"a@5"}, "9"));
        peer.Hold();
      },
      bed_.server);
  WatchOptions options = QuickWatch();
  options.http.read_ms = 100;
  EXPECT_EQ(CollectEvents(bed_.To(server.port()), 2, options), (Seen{"listed a@5", "end 9"}));
}

// The same without TLS behind it: it takes the connection, and that is all.
TEST_F(NetworkTraps, ALoadBalancerWithoutABackendIsAskedAgain) {
  std::atomic<int> taken = 0;
  RawServer silent([&](RawServer::Peer& peer) {
    ++taken;
    peer.Hold();
  });
  const Result<Logger> logger = Logger::Open({.file = "/dev/null"});
  WatchOptions options = QuickWatch();
  options.http.connect_ms = 20;
  WatchStream stream(
      bed_.To(silent.port()), options,
      {.resource = {"", "v1", "namespaces"}, .decode = DecodeNamed},
      [](const std::vector<ports::WatchEvent>&) { return true; }, logger.value());
  IoThread thread([&](const StopFlag& stop) { stream.Run(stop); }, [&] { stream.Interrupt(); });
  while (taken < 3) std::this_thread::yield();
}

// A watch that nobody takes events from fills its queue; a lease is renewed all the same.
TEST_F(NetworkTraps, ASlowConsumerHoldsNeitherHeartbeatNorLeaseBack) {
  std::atomic<bool> flooded = false, renewed = false;
  RawServer server(
      [&](RawServer::Peer& peer) {
        for (std::string request = peer.Read(); !request.empty(); request = peer.Read()) {
          if (request.starts_with("PUT")) {
            peer.Write(Answer(200, "renewed"));
            renewed = true;
          } else if (request.find("watch=1") == std::string::npos) {
            peer.Write(ListAnswer({}, "9"));
          } else {
            peer.Write(ChunkedHead(200));
            for (int i = 10; i < 60; ++i) {
              peer.Write(Chunk(Frame("ADDED", "a@" + std::to_string(i))));
            }
            flooded = true;
            return peer.Hold();
          }
        }
      },
      bed_.server);
  ThreadLoop loop(4);
  const Result<Logger> logger = Logger::Open({.file = "/dev/null"});
  ApiClient client(bed_.To(server.port()), {}, loop, logger.value());
  client.ListAndWatch({"", "v1", "namespaces"}, DecodeNamed, [](const ports::WatchEvent&) {});
  while (!flooded) std::this_thread::yield();
  ports::Request lease;
  lease.verb = ports::Verb::kUpdate;
  lease.resource = {"coordination.k8s.io", "v1", "leases"};
  lease.ns = "muster-system";
  lease.name = "muster";
  lease.body = R"({"metadata":{"resourceVersion":"7"}})";
  lease.lane = ports::Lane::kLease;
  std::string answered;
  client.Call(lease, [&](const Result<ports::Response>& answer) {
    answered = answer.ok() ? answer.value().body : answer.error().message;
    loop.Stop();
  });
  while (!renewed) std::this_thread::yield();  // Though the loop takes no event meanwhile.
  loop.Run();
  EXPECT_EQ(answered, "renewed");
  client.Stop();
}

}  // namespace
}  // namespace muster::app
