#include "e2e/apiserver/http_front.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include "e2e/apiserver/json.h"

namespace muster::e2e {
namespace {

constexpr const char* kPods = "/api/v1/namespaces/default/pods";

Json Pod(const std::string& name, std::size_t padding = 0) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name},
            {"namespace", "default"},
            {"annotations", {{"padding", std::string(padding, 'x')}}}}},
          {"spec", {{"containers", {{{"name", "c"}, {"image", "i"}}}}}}};
}

class HttpFrontTest : public testing::Test {
 protected:
  HttpFrontTest() : server_({}, [] { return 1'700'000'000'000; }) {}

  std::int32_t Start(HttpFront::Options options = {}, HttpFront::Gate gate = {}) {
    front_ = std::make_unique<HttpFront>(server_, options);
    if (gate) front_->SetGate(std::move(gate));
    const auto port = front_->Start();
    EXPECT_TRUE(port.ok());
    return port.ok() ? port.value() : 0;
  }
  static std::unique_ptr<httplib::Client> Connect(std::int32_t port) {
    auto client = std::make_unique<httplib::Client>("127.0.0.1", port);
    client->set_keep_alive(true);
    client->set_tcp_nodelay(true);
    client->set_read_timeout(std::chrono::seconds(20));
    return client;
  }
  // A connection of the bare system.
  static int Open(std::int32_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  static int Make(httplib::Client& client, const Json& pod) {
    const auto made = client.Post(kPods, Dump(pod), "application/json");
    return made ? made->status : 0;
  }

  ApiServer server_;
  std::unique_ptr<HttpFront> front_;
};

TEST_F(HttpFrontTest, AnswersOnOneConnectionAgainAndAgain) {
  const auto client = Connect(Start());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Make(*client, Pod("p" + std::to_string(i))), 201);
  const auto listed =
      client->Get(std::string(kPods) + "?fieldSelector=metadata.name%3Dp7&limit=500");
  ASSERT_TRUE(listed);
  EXPECT_EQ(Parse(listed->body).value()["items"].size(), 1U);
  EXPECT_EQ(client->Delete(std::string(kPods) + "/p7")->status, 200);
  EXPECT_EQ(client->Get(std::string(kPods) + "/p7")->status, 404);
  EXPECT_EQ(client->Get("/nowhere")->status, 404);
}

TEST_F(HttpFrontTest, RefusesAPortThatIsTaken) {
  const std::int32_t port = Start();
  HttpFront second(server_, {.port = port});
  const auto started = second.Start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().message, "port " + std::to_string(port) + " of 127.0.0.1 is taken");
}

TEST_F(HttpFrontTest, StreamsWhatIsAndWhatComesAndEndsInTime) {
  const std::int32_t port = Start();
  const auto writer = Connect(port);
  ASSERT_EQ(Make(*writer, Pod("before")), 201);
  std::atomic<int> lines = 0;
  std::string text;
  auto watching = std::async(std::launch::async, [&] {
    const auto client = Connect(port);
    // What a compressing client asks for must not hold the frames back.
    return client->Get(std::string(kPods) + "?watch=1&timeoutSeconds=2",
                       {{"Accept-Encoding", "gzip"}}, [&](const char* data, std::size_t size) {
                         text.append(data, size);
                         lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
                         return true;
                       });
  });
  while (lines < 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(Make(*writer, Pod("after")), 201);
  while (lines < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto result = watching.get();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_NE(text.find("\"before\""), std::string::npos);
  EXPECT_NE(text.find("\"after\""), std::string::npos);
}

TEST_F(HttpFrontTest, StopEndsOpenStreamsAndIdleConnections) {
  const std::int32_t port = Start();
  const auto idle = Connect(port);
  ASSERT_EQ(Make(*idle, Pod("p")), 201);
  std::atomic<bool> streams = false;
  auto watching = std::async(std::launch::async, [&] {
    const auto client = Connect(port);
    (void)client->Get(std::string(kPods) + "?watch=1", [&](const char*, std::size_t) {
      streams = true;
      return true;
    });
  });
  while (!streams) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto begin = std::chrono::steady_clock::now();
  front_->Stop();
  watching.get();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(HttpFrontTest, AReaderThatStopsReadingHoldsNoWriterBack) {
  const std::int32_t port = Start({.watch_bytes_max = std::size_t{1} << 20});
  const int fd = Open(port);
  const std::string request =
      std::string("GET ") + kPods + "?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ASSERT_EQ(::send(fd, request.data(), request.size(), 0), std::ssize(request));
  const auto writer = Connect(port);
  // More than the buffers of a connection hold: who waited for the reader would wait for ever.
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(Make(*writer, Pod("p" + std::to_string(i), 100'000)), 201);
  }
  ::close(fd);
}

TEST_F(HttpFrontTest, ARequestWithoutABodyIsAnsweredAtOnce) {
  const std::int32_t port = Start();
  for (const std::string request : {"POST /api/v1/namespaces", "PUT /api/v1/namespaces/default",
                                    "DELETE /api/v1/namespaces/default/pods/p"}) {
    const int fd = Open(port);
    const std::string text = request + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    ASSERT_EQ(::send(fd, text.data(), text.size(), 0), std::ssize(text));
    // Who waited for the end of a body would answer after 30 s.
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char answer[16] = {};
    EXPECT_GT(::recv(fd, answer, sizeof answer - 1, 0), 0) << request;
    EXPECT_TRUE(std::string_view(answer).starts_with("HTTP/1.1 40")) << request << ": " << answer;
    ::close(fd);
  }
}

TEST_F(HttpFrontTest, TheGateMayChangeRefuseAndDelay) {
  const auto gate = [](const HttpRequest& request, const HttpFront::Next& next) {
    if (request.path == "/refused") return HttpResponse{.status = 418, .headers = {}, .body = "{}"};
    if (request.method != "POST") return next(request);
    HttpRequest changed = request;
    changed.body = Dump(Pod("changed"));
    return next(changed);
  };
  const auto client = Connect(Start({}, gate));
  EXPECT_EQ(client->Get("/refused")->status, 418);
  EXPECT_EQ(Make(*client, Pod("sent")), 201);
  EXPECT_EQ(client->Get(std::string(kPods) + "/changed")->status, 200);
  EXPECT_EQ(client->Get(std::string(kPods) + "/sent")->status, 404);
}

TEST_F(HttpFrontTest, ARequestWaitsNoLongerThanItsTimeout) {
  const auto client = Connect(Start());
  std::promise<void> held, done;
  std::thread holder([&] {
    front_->Locked([&](ApiServer&) {
      held.set_value();
      done.get_future().wait();
    });
  });
  held.get_future().wait();
  const auto answer =
      client->Post(std::string(kPods) + "?timeout=50ms", Dump(Pod("p")), "application/json");
  done.set_value();
  holder.join();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 504);
  EXPECT_EQ(client->Get(std::string(kPods) + "/p")->status, 404);
  const auto unread = client->Get(std::string(kPods) + "?timeout=5");
  EXPECT_EQ(unread->status, 400);
  EXPECT_EQ(StringAt(Json::parse(unread->body), {"message"}),
            "invalid timeout specified in the request URL - time: missing unit in duration \"5\"");
}

TEST_F(HttpFrontTest, TwoDoorsLeadToOneServerAndOneMayBeClosed) {
  const std::int32_t port = Start();
  front_->SetToken("secret");
  HttpFront side(*front_, {});
  const auto opened = side.Start();
  ASSERT_TRUE(opened.ok());
  const auto client = Connect(opened.value());
  EXPECT_EQ(Make(*client, Pod("p")), 201);
  const std::string pod = std::string(kPods) + "/p";
  const httplib::Headers secret = {{"Authorization", "Bearer secret"}};
  EXPECT_EQ(Connect(port)->Get(pod)->status, 401);
  EXPECT_EQ(front_->unauthorized(), 1);
  EXPECT_EQ(Connect(port)->Get(pod, secret)->status, 200);
  front_->Stop();
  EXPECT_EQ(Connect(port)->Get(pod, secret).error(), httplib::Error::Connection);
  EXPECT_EQ(client->Get(pod)->status, 200);
  // Nobody else could have taken its port.
  HttpFront other(server_, {.port = port});
  EXPECT_TRUE(front_->Start().ok());
  EXPECT_EQ(Connect(port)->Get(pod, secret)->status, 200);
  EXPECT_FALSE(other.Start().ok());
}

TEST_F(HttpFrontTest, TermsOfAWatchRefuseCutAndReplaceIt) {
  const std::int32_t port = Start();
  HttpFront::WatchTerms terms;
  front_->SetWatchGate([&terms](const HttpRequest&) { return terms; });
  ASSERT_EQ(Make(*Connect(port), Pod("p")), 201);
  std::string text;
  const auto watch = [&] {
    text.clear();
    return Connect(port)->Get(std::string(kPods) + "?watch=1",
                              [&](const char* data, std::size_t n) {
                                text.append(data, n);
                                return true;
                              });
  };
  terms = {.refusal = HttpResponse{.status = 410, .headers = {}, .body = "{}"}};
  EXPECT_EQ(watch()->status, 410);
  terms = {.only = "{}"};
  EXPECT_EQ(watch()->status, 200);
  EXPECT_EQ(text, "{}\n");
  terms = {.at_most = std::chrono::milliseconds(1)};
  EXPECT_TRUE(watch());
  EXPECT_NE(text.find("\"p\""), std::string::npos);
  terms.broken = true;
  EXPECT_FALSE(watch());
  EXPECT_NE(text.find("\"p\""), std::string::npos);
}

}  // namespace
}  // namespace muster::e2e
