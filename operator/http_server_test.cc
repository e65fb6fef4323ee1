#include "operator/http_server.h"

#include <thread>

#include <gtest/gtest.h>

#include "operator/http_client.h"

namespace muster::app {
namespace {

const BindAddress kAnyPort{"127.0.0.1", 0};

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
  EXPECT_NE(port.error().message.find("port " + std::to_string(port_)), std::string::npos);
  EXPECT_NE(port.error().message.find("--http-port"), std::string::npos);
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
