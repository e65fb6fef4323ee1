#include "e2e/harness/client.h"

#include <memory>

#include <gtest/gtest.h>

#include "e2e/apiserver/http_front.h"
#include "e2e/harness/process.h"

namespace muster::e2e {
namespace {

constexpr const char* kPods = "/api/v1/namespaces/default/pods";

class ClientTest : public testing::Test {
 protected:
  ClientTest() : server_({}, [] { return 1'700'000'000'000; }), front_(server_, {}) {
    const auto port = front_.Start();
    EXPECT_TRUE(port.ok());
    port_ = port.value();
    client_ = std::make_unique<Client>(port_);
  }

  ApiServer server_;
  HttpFront front_;
  std::int32_t port_ = 0;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, AListWithoutItemsIsEmpty) {
  const auto pods = client_->List(kPods);
  ASSERT_TRUE(pods.ok()) << pods.error().message;
  EXPECT_EQ(pods.value(), Json::array());
}

TEST_F(ClientTest, WhatIsNoListIsAnError) {
  const auto misspelt = client_->List("/api/v1/namespaces/default/pod");
  ASSERT_FALSE(misspelt.ok());
  EXPECT_NE(misspelt.error().message.find("GET /api/v1/namespaces/default/pod: 404"),
            std::string::npos)
      << misspelt.error().message;
  EXPECT_FALSE(client_->List("/api/v1/namespaces/default").ok());
  front_.Stop();
  EXPECT_FALSE(client_->List(kPods).ok());
}

TEST_F(ClientTest, AWatchSaysThatItHasEnded) {
  const WatchStream watch(port_, std::string(kPods) + "?watch=1", [](const Json&) {});
  EXPECT_FALSE(watch.ended());
  front_.Stop();
  while (!watch.ended()) SleepMs(1);
}

}  // namespace
}  // namespace muster::e2e
