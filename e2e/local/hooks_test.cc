#include "e2e/local/hooks.h"

#include <csignal>
#include <filesystem>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"
#include "e2e/harness/process.h"
#include "e2e/paths/paths.h"

namespace muster::e2e {
namespace {

constexpr const char* kHooks = "/muster-local/hooks";

class HooksTest : public testing::Test {
 protected:
  explicit HooksTest(Hooks::Plant plant = Hooks::Plant::kNone)
      : server_({}, [] { return 1'700'000'000'000; }), front_(server_, {}), hooks_(front_, plant) {
    for (const char* const name : {"g-0", "g-1", "g-2", "other"}) AddPod(name);
    auto victim = Child::Start({.argv = {"sleep", "60"}, .env = {}, .cwd = {}}, "/dev/null");
    if (victim.ok()) victim_ = std::move(victim).value();
  }

  HttpResponse Send(const std::string& method, const std::string& path, const Json& body) {
    return hooks_.Pass({.method = method,
                        .path = path,
                        .query = {},
                        .content_type = "application/json",
                        .accept = "application/json",
                        .body = body.is_null() ? "" : Dump(body)},
                       [this](const HttpRequest& request) { return front_.Handle(request); });
  }
  void AddPod(const std::string& name) {
    Json metadata = {{"name", name}, {"namespace", "default"}};
    if (name != "other") metadata["labels"] = {{"muster.dev/pod-group", "g"}};
    const HttpResponse made = Send("POST", kPods,
                                   {{"apiVersion", "v1"},
                                    {"kind", "Pod"},
                                    {"metadata", metadata},
                                    {"spec", {{"containers", {{{"name", "c"}, {"image", "i"}}}}}}});
    EXPECT_EQ(made.status, 201) << made.body;
  }
  int Bind(const std::string& pod, const std::string& resource_version = "") {
    Json metadata = {{"name", pod}, {"namespace", "default"}};
    if (!resource_version.empty()) metadata["resourceVersion"] = resource_version;
    return Send("POST", std::string(kPods) + "/" + pod + "/binding",
                {{"apiVersion", "v1"},
                 {"kind", "Binding"},
                 {"metadata", metadata},
                 {"target", {{"kind", "Node"}, {"name", "n"}}}})
        .status;
  }
  bool IsBound(const std::string& pod) {
    const Json object =
        Parse(Send("GET", std::string(kPods) + "/" + pod, nullptr).body).value_or(nullptr);
    return !StringAt(object, {"spec", "nodeName"}).empty();
  }
  bool IsLive(const std::string& pod) {
    const HttpResponse answer = Send("GET", std::string(kPods) + "/" + pod, nullptr);
    const Json object = Parse(answer.body).value_or(nullptr);
    return answer.status == 200 && Find(object, {"metadata", "deletionTimestamp"}) == nullptr;
  }
  int Arm(const std::string& when, int at) {
    return Send("POST", kHooks,
                {{"gang", "default/g"}, {"when", when}, {"at", at}, {"pid", victim_.pid()}})
        .status;
  }
  Json Report() { return Parse(Send("GET", kHooks, nullptr).body).value_or(nullptr); }

  ApiServer server_;
  HttpFront front_;
  Hooks hooks_;
  Child victim_;
};

TEST_F(HooksTest, RefusesTheBindingsOfAPodUntilItIsLifted) {
  const std::string path = std::string(kHooks) + "/refusals";
  EXPECT_EQ(Send("POST", path, {{"pod", "g-0"}}).status, 400);
  EXPECT_EQ(Send("POST", path, {{"pod", "default/g-0"}, {"code", 422}, {"message", "no"}}).status,
            200);
  EXPECT_EQ(Bind("g-0"), 422);
  EXPECT_EQ(Bind("g-0"), 422);
  EXPECT_EQ(Bind("g-1"), 201);
  EXPECT_FALSE(IsBound("g-0"));
  EXPECT_EQ(Send("DELETE", path, nullptr).status, 200);
  EXPECT_EQ(Bind("g-0"), 201);
}

TEST_F(HooksTest, KillsBeforeTheBindingTakesEffectAndDropsTheRest) {
  ASSERT_EQ(Arm("before", 2), 200);
  EXPECT_EQ(Bind("other"), 201);
  EXPECT_EQ(Bind("g-0"), 201);
  EXPECT_NE(Bind("g-1"), 201);
  EXPECT_TRUE(victim_.WaitEnd(5000));
  EXPECT_NE(Bind("g-2"), 201);
  EXPECT_EQ(StringAt(Report(), {"state"}), "killed");
  EXPECT_TRUE(IsBound("g-0"));
  EXPECT_FALSE(IsBound("g-1"));
  EXPECT_FALSE(IsBound("g-2"));
  EXPECT_EQ(Send("DELETE", kHooks, nullptr).status, 200);
  EXPECT_EQ(Bind("g-1"), 201);
}

TEST_F(HooksTest, KillsAfterTheBindingTookEffect) {
  ASSERT_EQ(Arm("after", 2), 200);
  EXPECT_EQ(Bind("g-0"), 201);
  EXPECT_FALSE(victim_.ended());
  EXPECT_EQ(Bind("g-1"), 201);
  EXPECT_TRUE(victim_.WaitEnd(5000));
  EXPECT_NE(Bind("g-2"), 201);
  EXPECT_TRUE(IsBound("g-1"));
  EXPECT_FALSE(IsBound("g-2"));
}

TEST_F(HooksTest, HoldsOneBindingBackUntilItIsReleased) {
  ASSERT_EQ(Arm("hold", 1), 200);
  auto held = std::async(std::launch::async, [this] { return Bind("g-0"); });
  while (StringAt(Report(), {"held"}).empty()) SleepMs(1);
  EXPECT_EQ(Bind("g-1"), 201);
  EXPECT_FALSE(IsBound("g-0"));
  const Json released =
      Parse(Send("POST", std::string(kHooks) + "/release", nullptr).body).value_or(nullptr);
  EXPECT_EQ(IntAt(released, {"code"}), 201);
  EXPECT_EQ(held.get(), 504);
  EXPECT_TRUE(IsBound("g-0"));
  EXPECT_EQ(Send("POST", std::string(kHooks) + "/release", nullptr).status, 409);
}

TEST_F(HooksTest, RecordsEveryBindingWithItsAnswer) {
  EXPECT_EQ(Bind("g-0"), 201);
  EXPECT_EQ(Bind("g-0"), 409);
  const Json bindings = Report().at("bindings");
  ASSERT_EQ(bindings.size(), 2U);
  EXPECT_EQ(StringAt(bindings[0], {"pod"}), "g-0");
  EXPECT_EQ(StringAt(bindings[0], {"node"}), "n");
  EXPECT_EQ(IntAt(bindings[0], {"code"}), 201);
  EXPECT_EQ(IntAt(bindings[1], {"code"}), 409);
}

TEST_F(HooksTest, CountsTheBindingsThatTookEffect) {
  const auto tally = [this] {
    return Parse(Send("GET", std::string(kHooks) + "/tally", nullptr).body).value_or(nullptr);
  };
  EXPECT_EQ(IntAt(tally(), {"done"}), 0);
  EXPECT_EQ(Bind("g-0"), 201);
  const Json one = tally();
  EXPECT_EQ(IntAt(one, {"done"}), 1);
  EXPECT_EQ(IntAt(one, {"first_us"}), IntAt(one, {"last_us"}));
  EXPECT_EQ(Bind("g-0"), 409);
  EXPECT_EQ(tally(), one);
  EXPECT_EQ(Bind("g-1"), 201);
  EXPECT_EQ(IntAt(tally(), {"done"}), 2);
  EXPECT_EQ(IntAt(tally(), {"first_us"}), IntAt(one, {"first_us"}));
}

TEST_F(HooksTest, APlantedFaultTakesTheResourceVersionFromABinding) {
  EXPECT_EQ(Bind("g-0", "1"), 409);
  Hooks planted(front_, Hooks::Plant::kNoResourceVersion);
  const HttpRequest stale{
      .method = "POST",
      .path = std::string(kPods) + "/g-0/binding",
      .query = {},
      .content_type = "application/json",
      .accept = {},
      .body = R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"g-0",)"
              R"("namespace":"default","resourceVersion":"1"},"target":{"name":"n"}})"};
  const auto next = [this](const HttpRequest& request) { return front_.Handle(request); };
  EXPECT_EQ(planted.Pass(stale, next).status, 201);
}

class DeletingHooksTest : public HooksTest {
 protected:
  DeletingHooksTest() : HooksTest(Hooks::Plant::kDeleteMember) {}
};

TEST_F(DeletingHooksTest, DeletesWhatWasBoundLastWhenAPageLosesItsEntries) {
  ASSERT_EQ(server_.LoadCrds(CrdsFolder()), "");
  EXPECT_EQ(Bind("g-0"), 201);
  EXPECT_EQ(Bind("g-1"), 201);
  const std::string pages = "/apis/muster.dev/v1alpha1/namespaces/default/bindingjournals";
  Json page = {{"apiVersion", "muster.dev/v1alpha1"},
               {"kind", "BindingJournal"},
               {"metadata", {{"name", "p"}}},
               {"spec", {{"holder", "h"}, {"sequence", 0}, {"entries", R"({"v":1,"e":[{}]})"}}}};
  page = Parse(Send("POST", pages, page).body).value_or(nullptr);
  page["spec"]["sequence"] = 1;
  page = Parse(Send("PUT", pages + "/p", page).body).value_or(nullptr);
  EXPECT_TRUE(IsLive("g-1"));
  page["spec"]["entries"] = R"({"v":1,"e":[]})";
  EXPECT_EQ(Send("PUT", pages + "/p", page).status, 200);
  EXPECT_FALSE(IsLive("g-1"));
  EXPECT_TRUE(IsLive("g-0"));
}

class OneNodeHooksTest : public HooksTest {
 protected:
  OneNodeHooksTest() : HooksTest(Hooks::Plant::kOneNode) {}
};

TEST_F(OneNodeHooksTest, APlantedFaultSendsEachBindingToOneNode) {
  EXPECT_EQ(Bind("g-0"), 201);
  EXPECT_EQ(StringAt(Report().at("bindings")[0], {"node"}), "n1");
}

TEST_F(HooksTest, RefusesAnOrderThatItDoesNotKnow) {
  EXPECT_EQ(Arm("sometimes", 1), 400);
  EXPECT_EQ(StringAt(Report(), {"state"}), "off");
}

}  // namespace
}  // namespace muster::e2e
