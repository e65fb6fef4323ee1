#include "operator/http_server.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "operator/http_client.h"

namespace muster::app {
namespace {

const BindAddress kAnyPort{"127.0.0.1", 0};
constexpr std::int64_t kPatienceMs = 20'000;

// A connection to loopback on which `text` was sent.
class Socket {
 public:
  Socket(std::int32_t port, const std::string& text) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
    const auto size = static_cast<ssize_t>(text.size());
    EXPECT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL), size);
  }
  ~Socket() {
    if (fd_ >= 0) (void)::close(fd_);
  }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

 private:
  int fd_;
};

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() : server_(loop_, {.answer_ms = 20'000}) {
    server_.Get("/explain/([^/]+)/(podgroups|pods)/([^/]+)",
                [this](const std::vector<std::string>& parts) {
                  on_loop_ = std::this_thread::get_id();
                  std::string all;
                  for (const std::string& part : parts) all += part + ";";
                  return HttpAnswer{
                      .status = 404, .content_type = "application/json", .body = std::move(all)};
                });
    const Result<std::int32_t> port = server_.Start(kAnyPort, "--http-port");
    EXPECT_TRUE(port.ok());
    if (port.ok()) port_ = port.value();
  }
  ~HttpServerTest() override {
    loop_.Stop();
    if (runner_.joinable()) runner_.join();
  }
  HttpServerTest(const HttpServerTest&) = delete;
  HttpServerTest& operator=(const HttpServerTest&) = delete;

  void RunLoop() {
    runner_ = std::thread([this] { loop_.Run(); });
  }
  HttpReply Ask(const std::string& path) const {
    HttpConnection connection({"127.0.0.1", port_, ""}, {});
    const Result<HttpReply> reply =
        connection.Send({.method = "GET", .target = path, .content_type = "", .body = ""});
    EXPECT_TRUE(reply.ok());
    return reply.ok() ? reply.value() : HttpReply{};
  }

  ThreadLoop loop_;
  HttpServer server_;
  std::thread runner_;
  std::int32_t port_ = 0;
  std::thread::id on_loop_;
};

TEST_F(HttpServerTest, AnswersOnTheLoopFromThePartsOfThePath) {
  RunLoop();
  const HttpReply reply = Ask("/explain/default/podgroups/train-%62");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.body, "default;podgroups;train-b;");
  EXPECT_EQ(on_loop_, runner_.get_id());
  EXPECT_EQ(Ask("/nothing").status, 404);
  EXPECT_EQ(Ask("/explain/default/nodes/a").body, "");
}

TEST_F(HttpServerTest, ALoopThatDoesNotAnswerIs503InBoundedTime) {
  ThreadLoop idle;  // Does not run.
  HttpServer server(idle, {.answer_ms = 50});
  server.Get("/healthz", [](const std::vector<std::string>&) { return HttpAnswer{}; });
  port_ = server.Start(kAnyPort, "--http-port").value();
  const HttpReply reply = Ask("/healthz");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body, "the loop does not answer\n");
}

TEST_F(HttpServerTest, WhatIsServedOffTheLoopNeedsNoLoop) {
  ThreadLoop idle;  // Does not run.
  HttpServer server(idle, {});
  server.GetOffLoop("/metrics", [this](const std::vector<std::string>&) {
    on_loop_ = std::this_thread::get_id();
    return HttpAnswer{.body = "text\n"};
  });
  port_ = server.Start(kAnyPort, "--http-port").value();
  EXPECT_EQ(Ask("/metrics").body, "text\n");
  EXPECT_NE(on_loop_, std::this_thread::get_id());
}

TEST_F(HttpServerTest, AQuestionToAStoppedLoopIs503AtOnce) {
  loop_.Stop();
  EXPECT_EQ(Ask("/explain/a/pods/b").body, "the operator is stopping\n");
}

TEST_F(HttpServerTest, ATakenPortIsAnErrorThatNamesIt) {
  HttpServer second(loop_, {});
  const Result<std::int32_t> port = second.Start({"127.0.0.1", port_}, "--http-port");
  ASSERT_FALSE(port.ok());
  EXPECT_EQ(port.error().message, "port " + std::to_string(port_) +
                                      " on 127.0.0.1 is taken or not allowed; choose another with "
                                      "--http-port (port 0 = any free one)");
}

// 192.0.2.0/24 is for documentation (RFC 5737): nobody has it.
TEST_F(HttpServerTest, AnAddressOfAnotherMachineIsAnErrorThatSaysSo) {
  HttpServer second(loop_, {});
  const auto error = [&second](std::int32_t port) {
    const auto started = second.Start({"192.0.2.1", port}, "--metrics-bind-address");
    return started.ok() ? "" : started.error().message;
  };
  const std::string end =
      ", or the address is none of this machine's; choose another with --metrics-bind-address "
      "(port 0 = any free one)";
  EXPECT_EQ(error(8080), "port 8080 on 192.0.2.1 is taken or not allowed" + end);
  EXPECT_EQ(error(0), "no port of 192.0.2.1 is free" + end);
}

// Else whoever opens connections takes all file descriptors of the process.
TEST_F(HttpServerTest, BeyondThoseThatMayWaitNoneIsAccepted) {
  ThreadLoop idle;  // Does not run.
  StopFlag release;
  std::atomic<int> running = 0;
  HttpServer server(idle, {});
  server.GetOffLoop("/hold", [&](const std::vector<std::string>&) {
    ++running;
    (void)release.WaitFor(kPatienceMs);
    return HttpAnswer{};
  });
  const std::int32_t port = server.Start(kAnyPort, "--http-port").value();
  std::vector<Socket> open;
  const auto hold_until = [&](int wanted) {
    open.emplace_back(port, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
    while (running < wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return running.load();
  };
  for (int i = 1; i <= HttpServer::kThreads; ++i) ASSERT_EQ(hold_until(i), i);
  for (int i = 0; i < HttpServer::kWaiting; ++i) open.emplace_back(port, "");
  // Its thread is the one that accepts.
  EXPECT_EQ(hold_until(HttpServer::kThreads + 1), HttpServer::kThreads + 1);
  release.Set();
  open.clear();
}

TEST_F(HttpServerTest, StopRightAfterStartDoesNotHang) {
  for (int i = 0; i < 10; ++i) {
    HttpServer other(loop_, {});
    EXPECT_TRUE(other.Start(kAnyPort, "--http-port").ok());
    other.Stop();
  }
}

}  // namespace
}  // namespace muster::app
