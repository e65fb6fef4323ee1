// Where nothing changes nothing is written, and a gang that cannot run costs nothing. And a kind
// that the API server does not know for a while is no empty list.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/paths/paths.h"
#include "e2e/sim/scripted_cluster.h"

namespace muster::e2e {
namespace {

const std::string kEvents = "POST /apis/events.k8s.io/v1/namespaces/default/events";
const std::string kGroupPrefix = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups/";

class Quiet : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  // Writes and events in [from, now) whose body or path has the text.
  [[nodiscard]] std::int64_t Writes(const std::string& text, std::int64_t from_ms) const {
    std::int64_t count = 0;
    for (const ScriptedCluster::Answered& answered : cluster_.answered()) {
      if (answered.at_ms < from_ms || answered.what.starts_with("GET")) continue;
      if (answered.what.starts_with("LIST")) continue;
      const bool about = answered.what.find(text) != std::string::npos ||
                         answered.body.find(text) != std::string::npos;
      if (about) ++count;
    }
    return count;
  }
  [[nodiscard]] std::int64_t Events(const std::string& reason, const std::string& object) const {
    std::int64_t count = 0;
    for (const ScriptedCluster::Answered& answered : cluster_.answered()) {
      const bool about = answered.body.find("\"name\":\"" + object + "\"") != std::string::npos &&
                         answered.body.find("\"reason\":\"" + reason + "\"") != std::string::npos;
      if (answered.what == kEvents && about) ++count;
    }
    return count;
  }
  [[nodiscard]] std::string VersionOf(const std::string& group) {
    return StringAt(cluster_.GroupNow(group), {"metadata", "resourceVersion"});
  }

  ScriptedCluster cluster_{CrdsFolder(), GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, Quiet, ::testing::Range<std::uint64_t>(1, 5));

// Seen elsewhere: kubernetes-sigs/scheduler-plugins#682.
TEST_P(Quiet, AHopelessGangKeepsNobodyBusy) {
  cluster_.Node("n1", 4);
  cluster_.Queue("q", 100);
  cluster_.StartOperator();
  cluster_.Gang("w", "q", 64, 1);
  cluster_.Run(20 * kSecond);
  const std::int64_t attempts = IntAt(cluster_.GroupNow("w"), {"status", "attempts"}).value_or(0);
  const std::int64_t from_ms = cluster_.now_ms();
  cluster_.Run(1 * kMinute);
  EXPECT_LE(Writes("w", from_ms), 3);
  EXPECT_LE(IntAt(cluster_.GroupNow("w"), {"status", "attempts"}).value_or(0), attempts + 3);
  cluster_.Gang("s", "q", 1, 1);
  cluster_.Run(200);
  EXPECT_EQ(cluster_.NodeOf("s-0"), "n1");
  EXPECT_EQ(cluster_.complaint(), "");
}

// Seen elsewhere: volcano-sh/volcano#3116, kubernetes/kubernetes#47366.
TEST_P(Quiet, AStableStateIsToldOnce) {
  cluster_.Node("n1", 6);
  cluster_.Queue("q", 6);
  cluster_.StartOperator();
  cluster_.Group("r", "q", 3);
  for (int i = 0; i < 6; ++i) cluster_.Member("r", i, 1);
  cluster_.Run(20 * kSecond);
  cluster_.Gang("w", "q", 1, 1);
  cluster_.Run(20 * kSecond);
  const std::string versions = VersionOf("r") + " " + VersionOf("w");
  cluster_.Run(10 * kMinute);
  EXPECT_EQ(IntAt(cluster_.GroupNow("r"), {"status", "members", "running"}), 6);
  EXPECT_EQ(VersionOf("r") + " " + VersionOf("w"), versions);
  EXPECT_EQ(Events("Scheduled", "r"), 1);
  // Once, and again every 5 minutes at most.
  EXPECT_GE(Events("FailedScheduling", "w"), 1);
  EXPECT_LE(Events("FailedScheduling", "w"), 3);
  EXPECT_EQ(cluster_.complaint(), "");
}

// The PodGroups' CRD is deleted, or not established yet: 404 in plain text.
TEST_P(Quiet, AKindThatIsNotServedIsNoEmptyList) {
  for (const char* node : {"n1", "n2"}) cluster_.Node(node, 1);
  cluster_.Queue("q", 2);
  cluster_.StartOperator();
  cluster_.Gang("g", "q", 1, 1);
  cluster_.Run(20 * kSecond);
  ASSERT_EQ(cluster_.NodeOf("g-0"), "n1");
  ASSERT_TRUE(cluster_.synced());
  bool served = false;
  cluster_.SetTap([&served](const HttpRequest& request, const ScriptedCluster::Serve& serve) {
    if (served || !request.path.ends_with("/podgroups")) return serve();
    HttpResponse response;
    response.status = 404;
    response.content_type = "text/plain";
    response.body = "404 page not found\n";
    return response;
  });
  cluster_.SetReachable(false);
  cluster_.Run(1 * kSecond);
  cluster_.Compact();  // The watches cannot go on, so everything is listed again.
  cluster_.SetReachable(true);
  cluster_.Run(5 * kSecond);
  const std::int64_t from_ms = cluster_.now_ms();
  cluster_.Pod("lone", "q", 1);
  cluster_.Run(5 * kMinute);
  EXPECT_FALSE(cluster_.synced());
  EXPECT_EQ(cluster_.NodeOf("lone"), "");
  EXPECT_EQ(Writes("/binding", from_ms) + Writes("PodGroupNotFound", from_ms), 0);
  EXPECT_EQ(Writes(kGroupPrefix + "g/status", from_ms), 0);
  served = true;
  cluster_.Run(2 * kMinute);
  EXPECT_TRUE(cluster_.synced());
  EXPECT_EQ(cluster_.NodeOf("lone"), "n2");
  EXPECT_EQ(cluster_.Condition("g", "Scheduled"), "True Bound");
  EXPECT_EQ(cluster_.complaint(), "");
}

}  // namespace
}  // namespace muster::e2e
