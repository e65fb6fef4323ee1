#include "operator/api_client.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "crds/decode.h"
#include "operator/testing/scripted_api.h"

namespace muster::app {
namespace {

using ports::Lane;
using ports::Request;
using ports::Verb;
using std::chrono::steady_clock;

const ports::Resource kPods = {"", "v1", "pods"};

Request Make(Verb verb, std::string name, std::string subresource, std::string body) {
  Request request;
  request.verb = verb;
  request.resource = kPods;
  request.ns = "a";
  request.name = std::move(name);
  request.subresource = std::move(subresource);
  request.body = std::move(body);
  request.lane = Lane::kBind;
  return request;
}

Request Get() {
  return Make(Verb::kGet, "p", "", "");
}
Request Binding() {
  return Make(Verb::kCreate, "p", "binding", R"({"resourceVersion":"7"})");
}
Request Put() {
  return Make(Verb::kUpdate, "p", "", R"({"resourceVersion":"7"})");
}

class ApiClientTest : public testing::Test {
 protected:
  ApiClientTest() : logger_(Logger::Open({.file = "/dev/null"})) {}
  ~ApiClientTest() override { loop_.Stop(); }
  ApiClientTest(const ApiClientTest&) = delete;
  ApiClientTest& operator=(const ApiClientTest&) = delete;

  // One connection a lane: requests of a lane go out in order, over a connection kept alive.
  void Connect(std::int32_t port) {
    ApiClientOptions options;
    options.bind_connections = options.removal_connections = options.status_connections = 1;
    options.watch.backoff_min_ms = options.watch.backoff_max_ms = 1;
    client_ = std::make_unique<ApiClient>(Endpoint{"127.0.0.1", port, ""}, options, loop_,
                                          logger_.value());
  }
  // Sends all at once; the answers in the order in which they came: "200 body", "error 7".
  std::vector<std::string> Send(std::vector<Request> requests) {
    std::vector<std::string> answers;
    const std::size_t count = requests.size();
    for (Request& request : requests) {
      client_->Call(std::move(request), [&, count](const Result<ports::Response>& answer) {
        answers.push_back(answer.ok()
                              ? std::to_string(answer.value().status) + " " + answer.value().body
                              : "error");
        codes_.push_back(answer.ok() ? Code::kInternal : answer.error().code);
        if (answers.size() == count) loop_.Stop();
      });
    }
    loop_.Run();
    return answers;
  }

  ThreadLoop loop_{4};
  Result<Logger> logger_;
  std::vector<Code> codes_;
  std::unique_ptr<ApiClient> client_;
};

using Texts = std::vector<std::string>;
const ScriptedApi::Step kClosedUnderIt = {"", true};

TEST_F(ApiClientTest, AnswersComeBackThroughTheLoop) {
  const ScriptedApi api({{Answer(201, "{}")}});
  Connect(api.port());
  EXPECT_EQ(Send({Binding()}), Texts{"201 {}"});
  EXPECT_EQ(api.asked(), Texts{"POST /api/v1/namespaces/a/pods/p/binding"});
}

// R8: looked at when the request is about to leave, not when it was asked for.
TEST_F(ApiClientTest, NoWriteLeavesAfterTheEndOfTheLease) {
  const ScriptedApi api({{Answer(200, "taken")}, {Answer(200, "taken")}});
  Connect(api.port());
  client_->AllowWritesUntil(loop_.now().mono);
  Request lease = Put();
  lease.lane = Lane::kLease;
  Texts answers = Send({Binding(), Get(), lease});
  std::ranges::sort(answers);  // Two lanes.
  EXPECT_EQ(answers, (Texts{"200 taken", "200 taken", "error"}));
  EXPECT_EQ(std::ranges::count(codes_, Code::kUnavailable), 1);
  for (const std::string& asked : api.asked()) EXPECT_FALSE(asked.starts_with("POST")) << asked;
}

TEST_F(ApiClientTest, WritesLeaveBeforeTheEndOfTheLease) {
  const ScriptedApi api({{Answer(201, "{}")}});
  Connect(api.port());
  client_->AllowWritesUntil(Ticks{loop_.now().mono.ms + 60'000});
  EXPECT_EQ(Send({Binding()}), Texts{"201 {}"});
}

TEST_F(ApiClientTest, ABindingIsNeverSentASecondTime) {
  const ScriptedApi api({{Answer(200, "warm")}, kClosedUnderIt, {Answer(201, "second")}});
  Connect(api.port());
  EXPECT_EQ(Send({Get(), Binding()}), (Texts{"200 warm", "error"}));
  EXPECT_EQ(codes_.back(), Code::kDeadlineExceeded);
  EXPECT_EQ(api.asked().size(), 2U);
}

TEST_F(ApiClientTest, AReadOnAStaleConnectionIsRepeatedOnceOnAFreshOne) {
  const ScriptedApi api({{Answer(200, "warm")}, kClosedUnderIt, {Answer(200, "fresh")}});
  Connect(api.port());
  EXPECT_EQ(Send({Get(), Get()}), (Texts{"200 warm", "200 fresh"}));
}

TEST_F(ApiClientTest, AReadThatFailsOnAFreshConnectionIsNotRepeated) {
  const ScriptedApi api({kClosedUnderIt, {Answer(200, "second")}});
  Connect(api.port());
  EXPECT_EQ(Send({Get()}), Texts{"error"});
  EXPECT_EQ(api.asked().size(), 1U);
}

TEST_F(ApiClientTest, AWriteAtAResourceVersionIsRepeatedAndItsConflictIsNoAnswer) {
  const ScriptedApi api({{Answer(200, "warm")},
                         kClosedUnderIt,
                         {Answer(200, "stored")},
                         kClosedUnderIt,
                         {Answer(409, "conflict")}});
  Connect(api.port());
  // The third may have been stored by its first sending: a 409 would be a lie.
  EXPECT_EQ(Send({Get(), Put(), Put()}), (Texts{"200 warm", "200 stored", "error"}));
  EXPECT_EQ(codes_.back(), Code::kDeadlineExceeded);
}

TEST_F(ApiClientTest, AConflictOfTheFirstSendingIsTheAnswer) {
  const ScriptedApi api({{Answer(409, "conflict")}});
  Connect(api.port());
  EXPECT_EQ(Send({Put()}), Texts{"409 conflict"});
}

TEST_F(ApiClientTest, RetryAfterReachesTheCaller) {
  const ScriptedApi api({{Answer(429, "", "Retry-After: 3\r\n")}});
  Connect(api.port());
  std::optional<std::int64_t> retry_after_ms;
  client_->Call(Get(), [&](const Result<ports::Response>& answer) {
    if (answer.ok()) retry_after_ms = answer.value().retry_after_ms;
    loop_.Stop();
  });
  loop_.Run();
  EXPECT_EQ(retry_after_ms, 3000);
}

TEST_F(ApiClientTest, ALineEndInARequestIsRefusedWithoutSendingAnything) {
  const ScriptedApi api({});
  Connect(api.port());
  Request typed = Binding();
  typed.content_type = "application/json\r\nX-Remote-User: root";
  EXPECT_EQ(Send({Make(Verb::kGet, "p\r\nX: y", "", ""), std::move(typed)}),
            (Texts{"error", "error"}));
  EXPECT_EQ(codes_, (std::vector<Code>{Code::kInvalidArgument, Code::kInvalidArgument}));
  EXPECT_TRUE(api.asked().empty());
}

// Each lane's requests are answered when as many of it wait as it has connections.
TEST_F(ApiClientTest, EachLaneHasAsManyConnectionsAsItIsGiven) {
  std::atomic<int> binds = 0;
  std::atomic<int> removals = 0;
  RawServer server([&](RawServer::Peer& peer) {
    for (std::string request = peer.Read(); !request.empty(); request = peer.Read()) {
      const bool bind = request.starts_with("POST");
      std::atomic<int>& waiting = bind ? binds : removals;
      ++waiting;
      while (waiting < (bind ? 3 : 2)) std::this_thread::yield();
      peer.Write(Answer(200, "done"));
    }
  });
  ApiClientOptions options;
  options.bind_connections = 3;
  options.removal_connections = 2;
  options.status_connections = 1;
  client_ = std::make_unique<ApiClient>(Endpoint{"127.0.0.1", server.port(), ""}, options, loop_,
                                        logger_.value());
  std::vector<Request> requests;
  for (int i = 0; i < 6; ++i) {
    requests.push_back(Binding());
    requests.push_back(Put());
    requests.back().lane = Lane::kRemoval;
  }
  EXPECT_EQ(Send(std::move(requests)), Texts(12, "200 done"));
  EXPECT_EQ(server.connections(), 5);
}

// A line for each request, where debug lines are written.
TEST_F(ApiClientTest, ARequestIsADebugLine) {
  const std::string path = testing::TempDir() + "muster-requests-" + std::to_string(::getpid());
  (void)::unlink(path.c_str());
  logger_ = Logger::Open({.file = path, .level = ports::Level::kDebug});
  const ScriptedApi api({{Answer(409, "conflict")}});
  Connect(api.port());
  (void)Send({Put()});
  std::ostringstream log;
  log << std::ifstream(path).rdbuf();
  EXPECT_NE(
      log.str().find(" debug request method=PUT target=/api/v1/namespaces/a/pods/p status=409\n"),
      std::string::npos)
      << log.str();
  (void)::unlink(path.c_str());
}

TEST_F(ApiClientTest, AStormOfStatusWritesDoesNotDelayABinding) {
  RawServer server([](RawServer::Peer& peer) {
    const std::string request = peer.Read();
    if (request.starts_with("POST")) peer.Write(Answer(201, "bound"));
    peer.Hold();  // Status writes get no answer.
  });
  Connect(server.port());
  for (int i = 0; i < 50; ++i) {
    Request status = Make(Verb::kPatch, "p", "status", "{}");
    status.lane = Lane::kStatus;
    client_->Call(std::move(status), [](const Result<ports::Response>&) {});
  }
  EXPECT_EQ(Send({Binding()}), Texts{"201 bound"});
}

Result<crds::Object> DecodeAny(std::string_view json) {
  MUSTER_ASSIGN(crds::Namespace decoded, crds::DecodeNamespace(json));
  return crds::Object(std::move(decoded));
}

TEST_F(ApiClientTest, AFullQueueStallsTheWatchButNoAnswer) {
  // Ten pages of two objects; the loop has room for four events and does not run.
  std::atomic<int> pages = 0;
  std::atomic<bool> bound = false;
  RawServer server([&](RawServer::Peer& peer) {
    for (std::string request = peer.Read(); !request.empty(); request = peer.Read()) {
      if (request.starts_with("POST")) {
        bound = true;
        peer.Write(Answer(201, "bound"));
      } else if (request.find("watch=1") != std::string::npos) {
        return peer.Hold();
      } else {
        const int page = ++pages;
        peer.Write(Answer(200, ListBody({"a@1", "b@1"}, "9", page < 10 ? "t" : "")));
      }
    }
  });
  Connect(server.port());
  int events = 0;
  bool answered = false;
  const auto stop_when_complete = [&] {
    if (events == 21 && answered) loop_.Stop();
  };
  client_->ListAndWatch({"", "v1", "namespaces"}, DecodeAny, [&](const ports::WatchEvent&) {
    ++events;
    stop_when_complete();
  });
  while (pages < 3) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(pages, 3);  // Two pages are queued, the third waits for room.
  client_->Call(Binding(), [&](const Result<ports::Response>&) {
    answered = true;
    stop_when_complete();
  });
  while (!bound) std::this_thread::yield();  // Though no page is taken meanwhile.
  EXPECT_EQ(pages, 3);
  loop_.Run();
  EXPECT_EQ(events, 21);
}

// The stream before ends with the next that it is shown, and nothing of that is heard.
TEST_F(ApiClientTest, AKindThatIsFollowedAgainBeginsAnew) {
  std::atomic<int> lists = 0;
  RawServer server([&](RawServer::Peer& peer) {
    if (peer.Read().empty()) return;
    const bool former = ++lists == 1;
    peer.Write(Answer(200, ListBody({former ? "old@1" : "new@2"}, "9")));
    (void)peer.Read();
    peer.Write(ChunkedHead(200));
    if (!former) return peer.Hold();
    while (lists < 2) std::this_thread::yield();
    peer.Write(Chunk(Frame("ADDED", "late@10")));
    EXPECT_EQ(peer.Read(), "");  // Closed.
    loop_.Post([this] { loop_.Stop(); });
  });
  Connect(server.port());
  Texts shown;
  const auto follow = [&](const std::function<void()>& listed) {
    client_->ListAndWatch({"", "v1", "namespaces"}, DecodeAny,
                          [&shown, listed](const ports::WatchEvent& event) {
                            if (event.type == ports::WatchEvent::Type::kListEnd) return listed();
                            shown.push_back(event.name);
                          });
  };
  follow([&] { loop_.Post([&] { follow([] {}); }); });
  loop_.Run();
  EXPECT_EQ(shown.front(), "old");
  EXPECT_EQ(std::ranges::count(shown, "late"), 0);
}

TEST_F(ApiClientTest, StopEndsHeldRequestsAndWatchesQuickly) {
  RawServer server([](RawServer::Peer& peer) { peer.Hold(); });
  Connect(server.port());
  std::atomic<bool> told = false;
  for (int i = 0; i < 3; ++i) {
    client_->Call(Get(), [&](const Result<ports::Response>&) { told = true; });
  }
  client_->ListAndWatch(kPods, DecodeAny, [](const ports::WatchEvent&) {});
  while (server.connections() < 2) std::this_thread::yield();
  const auto start = steady_clock::now();
  loop_.Stop();
  client_->Stop();
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace muster::app
