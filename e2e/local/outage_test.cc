#include "e2e/local/outage.h"

#include <atomic>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"
#include "e2e/harness/client.h"
#include "e2e/harness/process.h"

namespace muster::e2e {
namespace {

constexpr const char* kOutage = "/muster-local/outage";

// Requests go by the door that the outage is at, `drive` past it.
class OutageTest : public testing::Test {
 protected:
  OutageTest() : server_({}, [] { return 1'700'000'000'000; }), front_(server_, {}) {
    outage_ = std::make_unique<Outage>(front_);
    front_.SetGate([this](const HttpRequest& request, const HttpFront::Next& next) {
      return outage_->Pass(request, next);
    });
    front_.SetWatchGate([this](const HttpRequest& request) { return outage_->Watch(request); });
    port_ = front_.Start().value();
    client_ = std::make_unique<Client>(port_);
    for (const char* const name : {"p", "q"}) {
      EXPECT_EQ(client_
                    ->Post(kPods, {{"apiVersion", "v1"},
                                   {"kind", "Pod"},
                                   {"metadata", {{"name", name}}},
                                   {"spec", {{"containers", {{{"name", "c"}, {"image", "i"}}}}}}})
                    .status,
                201);
    }
  }

  HttpResponse Drive(const std::string& method, const Json& body = nullptr) {
    HttpRequest request;
    request.method = method;
    request.path = kOutage;
    if (!body.is_null()) request.body = Dump(body);
    return outage_->Control(request).value();
  }
  int Order(const std::string& kind, int at = 1) {
    return Drive("POST", {{"kind", kind}, {"at", at}, {"token", "new"}}).status;
  }
  Json Report() { return Parse(Drive("GET").body).value_or(nullptr); }
  int Bind(const std::string& pod) {
    return client_
        ->Post(std::string(kPods) + "/" + pod + "/binding",
               {{"apiVersion", "v1"},
                {"kind", "Binding"},
                {"metadata", {{"name", pod}, {"namespace", "default"}}},
                {"target", {{"kind", "Node"}, {"name", "n"}}}})
        .status;
  }
  bool IsBound(const std::string& pod) {
    HttpRequest get;
    get.method = "GET";
    get.path = std::string(kPods) + "/" + pod;
    return !StringAt(Parse(front_.Handle(get).body).value_or(nullptr), {"spec", "nodeName"})
                .empty();
  }

  ApiServer server_;
  HttpFront front_;
  std::unique_ptr<Outage> outage_;
  std::int32_t port_ = 0;
  std::unique_ptr<Client> client_;
};

TEST_F(OutageTest, BeginsWithTheBindingThatItWasOrderedFor) {
  ASSERT_EQ(Order("throttled", 2), 200);
  EXPECT_EQ(Order("down"), 409);
  EXPECT_EQ(Bind("p"), 201);
  EXPECT_EQ(StringAt(Report(), {"state"}), "due");
  EXPECT_EQ(Bind("q"), 429);
  EXPECT_EQ(client_->Get(kPods).status, 429);
  EXPECT_EQ(client_->Get(std::string(kPods) + "?watch=1").status, 429);
  EXPECT_EQ(Report(), Json({{"state", "on"}, {"struck", 3}}));
  EXPECT_EQ(Drive("DELETE").status, 200);
  EXPECT_EQ(Bind("q"), 201);
}

TEST_F(OutageTest, DownTheBindingTakesEffectUnansweredAndNobodyListens) {
  ASSERT_EQ(Order("down"), 200);
  EXPECT_EQ(Bind("p"), 0);
  EXPECT_TRUE(IsBound("p"));
  EXPECT_EQ(client_->Get(kPods).status, 0);
  EXPECT_EQ(Drive("DELETE").status, 200);
  EXPECT_EQ(client_->Get(kPods).status, 200);
  ASSERT_EQ(Order("down"), 200);
  EXPECT_EQ(Bind("q"), 0);
  EXPECT_EQ(Drive("DELETE").status, 200);
  EXPECT_EQ(client_->Get(kPods).status, 200);
}

TEST_F(OutageTest, EachThirdWriteFailsBeforeOrAfterItsEffect) {
  ASSERT_EQ(Order("errors"), 200);
  EXPECT_EQ(Bind("p"), 201);
  const Json pod = client_->Get(std::string(kPods) + "/q").body;
  const auto note = [&](const std::string& value) {
    return client_
        ->Patch(std::string(kPods) + "/q", {{"metadata", {{"annotations", {{"a", value}}}}}},
                "application/merge-patch+json")
        .status;
  };
  const auto noted = [&] {
    return StringAt(client_->Get(std::string(kPods) + "/q").body, {"metadata", "annotations", "a"});
  };
  EXPECT_EQ(note("2"), 200);
  EXPECT_EQ(note("3"), 500);
  EXPECT_EQ(noted(), "2");
  EXPECT_EQ(note("4"), 200);
  EXPECT_EQ(note("5"), 200);
  EXPECT_EQ(note("6"), 500);
  EXPECT_EQ(noted(), "6");
  EXPECT_EQ(IntAt(Report(), {"struck"}), 2);
}

TEST_F(OutageTest, NoVersionCanBeGoneOnFrom) {
  const std::string version = StringAt(client_->Get(kPods).body, {"metadata", "resourceVersion"});
  const std::string token =
      StringAt(client_->Get(std::string(kPods) + "?limit=1").body, {"metadata", "continue"});
  ASSERT_FALSE(token.empty());
  ASSERT_EQ(Order("expired"), 200);
  EXPECT_EQ(Bind("p"), 201);
  EXPECT_EQ(client_->Get(std::string(kPods) + "?limit=1&continue=" + token).status, 410);
  EXPECT_EQ(client_->Get(std::string(kPods) + "?limit=1").status, 200);
  const std::string watch = std::string(kPods) + "?watch=1&resourceVersion=" + version;
  EXPECT_EQ(client_->Get(watch).status, 410);
  const Answer told = client_->Get(watch);
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(StringAt(told.body, {"type"}), "ERROR");
  EXPECT_EQ(IntAt(told.body, {"object", "code"}), 410);
}

TEST_F(OutageTest, EachWatchIsCut) {
  const std::string watch = std::string(kPods) + "?watch=1";
  ASSERT_EQ(Order("cut"), 200);
  std::atomic<int> frames = 0;
  WatchStream before(port_, watch, [&frames](const Json&) { ++frames; });
  ASSERT_TRUE(WaitFor(10'000, [&] { return frames > 0; }));
  EXPECT_EQ(Bind("p"), 201);
  EXPECT_TRUE(WaitFor(10'000, [&] { return before.ended(); }));
  EXPECT_EQ(client_->Get(watch).status, 200);
  EXPECT_EQ(client_->Get(watch).status, 0);
}

TEST_F(OutageTest, TheOldTokenIsRefused) {
  ASSERT_EQ(Order("rotated"), 200);
  EXPECT_EQ(Bind("p"), 201);
  EXPECT_EQ(client_->Get(kPods).status, 401);
  EXPECT_EQ(IntAt(Report(), {"struck"}), 1);
}

TEST_F(OutageTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(Order("gone"), 400);
  EXPECT_EQ(Order("down", 0), 400);
  EXPECT_EQ(Drive("POST", "text").status, 400);
  HttpRequest other;
  other.path = "/muster-local/hooks";
  EXPECT_FALSE(outage_->Control(other).has_value());
}

}  // namespace
}  // namespace muster::e2e
