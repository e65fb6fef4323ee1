#include "operator/watch_stream.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "operator/testing/scripted_api.h"
#include "operator/testing/watch_bed.h"

namespace muster::app {
namespace {

using ports::WatchEvent;
using std::chrono::steady_clock;
using Step = ScriptedApi::Step;
using Texts = std::vector<std::string>;

Texts Collect(const ScriptedApi& api, std::size_t count,
              const WatchOptions& options = QuickWatch()) {
  return CollectEvents({"127.0.0.1", api.port(), ""}, count, options);
}

std::string Listed(const Texts& objects, const std::string& version, const std::string& next = "") {
  return Answer(200, ListBody(objects, version, next));
}

// A watch that sends these lines and ends well.
std::string Watched(const std::string& lines) {
  return ChunkedHead(200) + Chunk(lines) + Chunk("");
}

TEST(WatchStream, ListsPageByPageThenWatchesFromTheVersionOfTheList) {
  const ScriptedApi api({{Listed({"a@5", "b@6"}, "9", "t/1=")},
                         {Listed({"c@7"}, "9")},
                         {Watched(Frame("ADDED", "d@10") + Frame("MODIFIED", "a@11") +
                                  Frame("DELETED", "b@12") + Frame("BOOKMARK", "@20"))}});
  EXPECT_EQ(Collect(api, 8), (Texts{"listed a@5", "listed b@6", "listed c@7", "end 9", "added d@10",
                                    "modified a@11", "deleted b@12", "bookmark 20"}));
  EXPECT_EQ(api.asked(), (Texts{kListLine, kListLine + "&continue=t%2F1%3D", WatchLine("9")}));
}

TEST(WatchStream, AfterAnEndItWatchesAgainFromTheLastVersionItSaw) {
  const ScriptedApi api({{Listed({}, "9")},
                         {Watched(Frame("ADDED", "a@10"))},
                         {Watched(Frame("BOOKMARK", "@15"))},
                         {Watched(Frame("ADDED", "b@16"))}});
  WatchOptions options = QuickWatch();
  options.short_ms = 0;  // Each of them lasted for long enough.
  EXPECT_EQ(Collect(api, 4, options), (Texts{"end 9", "added a@10", "bookmark 15", "added b@16"}));
  EXPECT_EQ(api.asked(), (Texts{kListLine, WatchLine("9"), WatchLine("10"), WatchLine("15")}));
}

TEST(WatchStream, GoneAsAStatusAndAsAnEventBothLeadToANewList) {
  const ScriptedApi api({{Listed({"a@5"}, "9")},
                         {Answer(410, R"({"kind":"Status","code":410})")},
                         {Listed({"a@5"}, "30")},
                         {Watched(Frame("ADDED", "b@31") + ErrorFrame(410))},
                         {Listed({"b@31"}, "40")}});
  EXPECT_EQ(Collect(api, 9), (Texts{"listed a@5", "end 9", "lost", "listed a@5", "end 30",
                                    "added b@31", "lost", "listed b@31", "end 40"}));
  EXPECT_EQ(api.asked(), (Texts{kListLine, WatchLine("9"), kListLine, WatchLine("30"), kListLine}));
}

TEST(WatchStream, GoneOnAPageTokenStartsTheListOver) {
  const ScriptedApi api(
      {{Listed({"a@5"}, "9", "t")},
       {Answer(410, R"({"kind":"Status","code":410,"metadata":{"continue":"x"}})")},
       {Listed({"b@20"}, "21")}});
  EXPECT_EQ(Collect(api, 4), (Texts{"listed a@5", "lost", "listed b@20", "end 21"}));
  EXPECT_EQ(api.asked(), (Texts{kListLine, kListLine + "&continue=t", kListLine}));
}

TEST(WatchStream, APageThatFailsIsAskedForAgain) {
  const ScriptedApi api(
      {{Listed({"a@5"}, "9", "t")}, {"", true}, {Answer(503, "busy")}, {Listed({"b@6"}, "9")}});
  EXPECT_EQ(Collect(api, 3), (Texts{"listed a@5", "listed b@6", "end 9"}));
  EXPECT_EQ(api.asked(), (Texts{kListLine, kListLine + "&continue=t", kListLine + "&continue=t",
                                kListLine + "&continue=t"}));
}

TEST(WatchStream, AKindThatIsNotServedIsNeverAnEmptyList) {
  const ScriptedApi api({{Answer(404, "404 page not found\n")},
                         {Answer(404, R"({"kind":"Status","code":404})")},
                         {Answer(200, "404 page not found\n")},
                         {Answer(200, "{}")},
                         {Listed({"a@5"}, "9")},
                         {Answer(404, "404 page not found\n")},
                         {Answer(404, "404 page not found\n")},
                         {Listed({"a@5"}, "9")}});
  EXPECT_EQ(Collect(api, 6), (Texts{"lost", "listed a@5", "end 9", "lost", "listed a@5", "end 9"}));
}

TEST(WatchStream, ARefusedWatchIsTriedAgainFromTheSameVersion) {
  const ScriptedApi api({{Listed({}, "9")},
                         {Answer(429, "slow down")},
                         {Answer(500, "oops")},
                         {Answer(504, R"({"kind":"Status","code":504,"message":"too large"})")},
                         {"", true},
                         {Watched(ErrorFrame(500))},
                         {Watched(Frame("ADDED", "a@10"))}});
  // The last watch but one was let in, and ended by a frame.
  EXPECT_EQ(Collect(api, 6),
            (Texts{"end 9", "cut", "bookmark 9", "cut", "bookmark 9", "added a@10"}));
  EXPECT_EQ(api.asked(), (Texts{kListLine, WatchLine("9"), WatchLine("9"), WatchLine("9"),
                                WatchLine("9"), WatchLine("9"), WatchLine("9")}));
}

TEST(WatchStream, RetryAfterIsWaitedFor) {
  const ScriptedApi api({{Listed({}, "9")},
                         {Answer(429, "slow down", "Retry-After: 1\r\n")},
                         {Watched(Frame("ADDED", "a@10"))}});
  const auto start = steady_clock::now();
  EXPECT_EQ(Collect(api, 4), (Texts{"end 9", "cut", "bookmark 9", "added a@10"}));
  EXPECT_GE(steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(WatchStream, AnEventCutOffByALostConnectionIsNotGivenAndComesAgain) {
  const std::string whole = Frame("ADDED", "a@10");
  const std::string half = Frame("ADDED", "b@11").substr(0, 30);
  const ScriptedApi api({{Listed({}, "9")},
                         {ChunkedHead(200) + Chunk(whole + half), true},
                         {ChunkedHead(200) + "ff\r\n" + half, true},
                         {Watched(Frame("ADDED", "b@11"))}});
  WatchOptions options = QuickWatch();
  options.short_ms = 600'000;  // None lasts for long, however slow the machine.
  EXPECT_EQ(Collect(api, 7, options), (Texts{"end 9", "added a@10", "cut", "bookmark 10", "cut",
                                             "bookmark 10", "added b@11"}));
  EXPECT_EQ(api.asked(), (Texts{kListLine, WatchLine("9"), WatchLine("10"), WatchLine("10")}));
}

TEST(WatchStream, EventsAreTheSameWhereverTheNetworkCutsThem) {
  const std::string lines = Frame("ADDED", "a@10") + Frame("DELETED", "a@11");
  for (std::size_t cut = 1; cut < lines.size(); ++cut) {
    const ScriptedApi api(
        {{Listed({}, "9")},
         {ChunkedHead(200) + Chunk(lines.substr(0, cut)) + Chunk(lines.substr(cut)) + Chunk("")}});
    ASSERT_EQ(Collect(api, 3), (Texts{"end 9", "added a@10", "deleted a@11"})) << cut;
  }
}

TEST(WatchStream, AnObjectThatDoesNotDecodeStopsNothing) {
  const ScriptedApi api({{Listed({"bad@5", "a@6"}, "9")},
                         {Watched(Frame("MODIFIED", "bad@10") + Frame("DELETED", "bad@11") +
                                  Frame("ADDED", "b@12"))}});
  EXPECT_EQ(Collect(api, 6), (Texts{"invalid bad@5 bad: spec.x: expected an integer", "listed a@6",
                                    "end 9", "invalid bad@10 bad: spec.x: expected an integer",
                                    "deleted bad@11 by name", "added b@12"}));
}

TEST(WatchStream, ALineThatIsNoFrameLeadsToANewList) {
  const ScriptedApi api({{Listed({}, "9")},
                         {Watched(Frame("ADDED", "a@10") + "1f4\n" + Frame("ADDED", "b@11"))},
                         {Listed({"a@10", "b@11"}, "11")}});
  EXPECT_EQ(Collect(api, 6),
            (Texts{"end 9", "added a@10", "lost", "listed a@10", "listed b@11", "end 11"}));
}

TEST(WatchStream, VeryShortWatchesAreNoTightLoop) {
  std::vector<Step> steps = {{Listed({}, "9")}};
  for (int i = 0; i < 200; ++i) steps.push_back({Watched("")});
  const ScriptedApi api(steps);
  WatchOptions options = QuickWatch();
  options.backoff_min_ms = 20;
  options.backoff_max_ms = 160;
  Result<Logger> logger = Logger::Open({.file = "/dev/null"});
  WatchStream stream(
      {"127.0.0.1", api.port(), ""}, options,
      {.resource = {"", "v1", "namespaces"}, .decode = DecodeNamed},
      [](const std::vector<WatchEvent>&) { return true; }, logger.value());
  const auto start = steady_clock::now();
  {
    IoThread thread([&](const StopFlag& stop) { stream.Run(stop); }, [&] { stream.Interrupt(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
  }
  // The list, then watches 20, 40, 80, 160, 160 ... ms apart: the jitter only adds.
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start);
  EXPECT_LE(api.asked().size(), 6U + static_cast<std::size_t>(ms.count()) / 160);
  EXPECT_GE(api.asked().size(), 2U);
}

TEST(WatchStream, ASilentStreamIsTakenForLostAfterTheReadTimeOut) {
  const ScriptedApi api({{Listed({}, "9")},
                         {ChunkedHead(200) + Chunk(Frame("ADDED", "a@10"))},
                         {Watched(Frame("ADDED", "b@11"))}});
  WatchOptions options = QuickWatch();
  options.http.read_ms = 500;
  EXPECT_EQ(Collect(api, 3, options), (Texts{"end 9", "added a@10", "added b@11"}));
}

}  // namespace
}  // namespace muster::app
