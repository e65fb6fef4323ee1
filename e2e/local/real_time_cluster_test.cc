#include "e2e/local/real_time_cluster.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"
#include "e2e/harness/process.h"
#include "e2e/paths/paths.h"

namespace muster::e2e {
namespace {

constexpr const char* kNode = "/api/v1/nodes/n";

std::int64_t WallMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class RealTimeClusterTest : public testing::Test {
 protected:
  RealTimeClusterTest()
      : server_({}, WallMs),
        front_(server_, {}),
        cluster_(front_,
                 {.kubelets = {.lease_ms = 100},
                  .controllers = {.jobs = {.backoff_ms = 10}, .nodes = {.grace_ms = 2'000}}}) {
    EXPECT_EQ(server_.LoadCrds(CrdsFolder()), "");
    cluster_.Start();
  }

  Json Send(const std::string& method, const std::string& path, const Json& body = nullptr) {
    const HttpResponse answer = front_.Handle({.method = method,
                                               .path = path,
                                               .query = {},
                                               .content_type = "application/json",
                                               .accept = "application/json",
                                               .body = body.is_null() ? "" : Dump(body)});
    return Parse(answer.body).value_or(nullptr);
  }
  // At most 30 s.
  template <class Condition>
  bool Comes(const Condition& condition) {
    for (int i = 0; i < 3'000 && !condition(); ++i) SleepMs(10);
    return condition();
  }
  bool IsTainted() {
    return Dump(Send("GET", kNode)).find("node.kubernetes.io/unreachable") != std::string::npos;
  }
  std::size_t Pods() { return Send("GET", kPods).at("items").size(); }

  ApiServer server_;
  HttpFront front_;
  RealTimeCluster cluster_;
};

TEST_F(RealTimeClusterTest, RunsJobsToTheirEnd) {
  (void)Send("POST", "/api/v1/nodes",
             {{"metadata", {{"name", "n"}}},
              {"status", {{"allocatable", {{"cpu", "8"}, {"pods", "10"}}}}}});
  (void)Send("POST", "/apis/batch/v1/namespaces/default/jobs",
             {{"metadata", {{"name", "j"}}},
              {"spec",
               {{"completions", 2},
                {"parallelism", 2},
                {"template",
                 {{"metadata", {{"annotations", {{"sim.muster.dev/run-seconds", "0.1"}}}}},
                  {"spec",
                   {{"restartPolicy", "Never"},
                    {"nodeName", "n"},
                    {"containers", Json::array({{{"name", "c"}, {"image", "i"}}})}}}}}}}});
  const std::string job = "/apis/batch/v1/namespaces/default/jobs/j";
  EXPECT_TRUE(Comes([&] { return IntAt(Send("GET", job), {"status", "succeeded"}) == 2; }));
  EXPECT_EQ(Pods(), 2U);
}

TEST_F(RealTimeClusterTest, AStoppedKubeletIsMissed) {
  (void)Send("POST", "/api/v1/nodes", {{"metadata", {{"name", "n"}}}});
  EXPECT_TRUE(
      Comes([&] { return Dump(Send("GET", kNode)).find("KubeletReady") != std::string::npos; }));
  cluster_.SetStopped("n", true);
  EXPECT_TRUE(Comes([&] { return IsTainted(); }));
  cluster_.SetStopped("n", false);
  EXPECT_TRUE(Comes([&] { return !IsTainted(); }));
}

}  // namespace
}  // namespace muster::e2e
