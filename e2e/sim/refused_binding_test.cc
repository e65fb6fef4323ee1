// Bindings that the API server refuses for good: the gang is given up at once and whole, it says
// why, and nobody else waits for it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/paths/paths.h"
#include "e2e/sim/scripted_cluster.h"
#include "e2e/sim/shadow.h"

namespace muster::e2e {
namespace {

const std::string kPodPaths = "/api/v1/namespaces/default/pods/";
const std::string kGroupPaths = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups/";

HttpResponse Forbidden(const std::string& message) {
  HttpResponse response;
  response.status = 403;
  response.body = Dump({{"kind", "Status"},
                        {"apiVersion", "v1"},
                        {"status", "Failure"},
                        {"reason", "Forbidden"},
                        {"message", message},
                        {"code", 403}});
  return response;
}

// Each seed draws another order of what the operator hears of one event.
class RefusedBinding : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  // Every Binding of the pod, until AcceptAll.
  void Refuse(const std::string& pod, const std::string& message) {
    cluster_.SetTap([this, path = kPodPaths + pod + "/binding", message](
                        const HttpRequest& request, const ScriptedCluster::Serve& serve) {
      if (request.path != path) return serve();
      refused_ms_.push_back(cluster_.now_ms());
      return Forbidden(message);
    });
  }
  void AcceptAll() { cluster_.SetTap({}); }
  // False: it took more than 10 s.
  [[nodiscard]] bool RunUntilRefused(std::size_t times) {
    for (int ms = 0; ms < 10'000 && refused_ms_.size() < times; ++ms) cluster_.Run(1);
    return refused_ms_.size() >= times;
  }
  // Requests of this name whose body has the text, answered so.
  [[nodiscard]] std::int64_t Count(const std::string& what, int status,
                                   const std::vector<std::string>& texts = {}) const {
    std::int64_t count = 0;
    for (const ScriptedCluster::Answered& answered : cluster_.answered()) {
      if (answered.what != what || answered.status != status) continue;
      bool all = true;
      for (const std::string& text : texts) {
        all = all && answered.body.find(text) != std::string::npos;
      }
      if (all) ++count;
    }
    return count;
  }
  // Events about the object with this text.
  [[nodiscard]] std::int64_t Events(const std::string& object, const std::string& text) const {
    return Count("POST /apis/events.k8s.io/v1/namespaces/default/events", 201,
                 {"\"name\":\"" + object + "\"", text});
  }
  // GPUs that the queue's status counts.
  [[nodiscard]] std::string Used() {
    const Json now = cluster_.QueueNow("q");
    const Json* resources = Find(now, {"status", "resources"});
    return resources == nullptr || resources->empty() ? "" : StringAt((*resources)[0], {"used"});
  }
  [[nodiscard]] std::int64_t Running(const std::string& group) {
    return IntAt(cluster_.GroupNow(group), {"status", "members", "running"}).value_or(0);
  }

  ScriptedCluster cluster_{CrdsFolder(), GetParam()};
  std::vector<std::int64_t> refused_ms_;
};
INSTANTIATE_TEST_SUITE_P(, RefusedBinding, ::testing::Range<std::uint64_t>(1, 9));

// Seen elsewhere: Project-HAMi/HAMi#2308 (what was reserved is never given back),
// kubernetes/kubernetes#28883, apache/yunikorn-core#1098.
TEST_P(RefusedBinding, OfOneMemberUndoesTheGangAndTheNextOneStarts) {
  const std::string text = "pods \\\"g-1\\\" is forbidden: not in this cluster";
  for (const char* node : {"n1", "n2"}) cluster_.Node(node, 4);
  cluster_.Queue("q", 8);
  Refuse("g-1", "pods \"g-1\" is forbidden: not in this cluster");
  cluster_.StartOperator();
  cluster_.Gang("g", "q", 2, 4);
  // While retries run: the place of the refused member is kept for it.
  ASSERT_TRUE(RunUntilRefused(1));
  cluster_.Gang("s", "q", 2, 4);
  for (std::size_t times = 2; times <= 3; ++times) {
    ASSERT_TRUE(RunUntilRefused(times));
    EXPECT_EQ(cluster_.NodeOf("s-0") + cluster_.NodeOf("s-1"), "");
  }
  cluster_.Run(1 * kSecond);
  EXPECT_EQ(cluster_.NodeOf("s-0") + cluster_.NodeOf("s-1"), "n1n2");
  EXPECT_TRUE(cluster_.PodNow("g-0").is_null());
  cluster_.Member("g", 0, 4);  // Its owner makes it again.
  cluster_.Run(1 * kMinute);

  EXPECT_EQ(Running("s"), 2);
  EXPECT_EQ(Running("g"), 0);
  EXPECT_EQ(cluster_.NodeOf("g-0") + cluster_.NodeOf("g-1"), "");
  EXPECT_EQ(Used(), "8");
  EXPECT_EQ(cluster_.Condition("g", "Scheduled").substr(0, 6), "False ");
  EXPECT_EQ(StringAt(cluster_.GroupNow("g"), {"status", "phase"}), "Queued");

  EXPECT_EQ(refused_ms_.size(), 3U);
  EXPECT_EQ(Count("DELETE " + kPodPaths + "g-0", 200), 1);
  EXPECT_EQ(Count("DELETE " + kPodPaths + "g-1", 200), 0);
  // It says why: on the group, in its events, and on each pod.
  const std::vector<std::string> why = {"BindFailed", "g-1: 403 " + text};
  EXPECT_GE(Count("PATCH " + kGroupPaths + "g/status", 200, {why[1]}), 1);
  EXPECT_GE(Events("g", why[1]), 1);
  EXPECT_EQ(Count("PATCH " + kPodPaths + "g-0/status", 200, {"DisruptionTarget", why[0], why[1]}),
            1);
  EXPECT_EQ(Count("PATCH " + kPodPaths + "g-1/status", 200, {"PodScheduled", why[0], why[1]}), 1);
  EXPECT_EQ(cluster_.complaint(), "");
}

// Seen elsewhere: kai-scheduler/KAI-Scheduler#2075 (the refused one wins its place in every cycle).
TEST_P(RefusedBinding, BacksOffAndLetsTheNextOneRun) {
  cluster_.Node("n1", 1);
  cluster_.Queue("q", 1);
  Refuse("d-0", "admission webhook \"quota.example.com\" denied the request");
  cluster_.StartOperator();
  cluster_.Gang("d", "q", 1, 1);
  cluster_.Run(1);
  cluster_.Gang("e", "q", 1, 1);
  ASSERT_TRUE(RunUntilRefused(3));
  cluster_.Run(500);  // Within the backoff of the first failure.
  EXPECT_EQ(cluster_.NodeOf("e-0"), "n1");
  cluster_.Run(1 * kMinute);
  EXPECT_EQ(cluster_.Condition("e", "Admitted"), "True QuotaReserved");
  EXPECT_EQ(cluster_.NodeOf("d-0"), "");
  EXPECT_EQ(StringAt(cluster_.GroupNow("d"), {"status", "phase"}), "Queued");
  EXPECT_LE(refused_ms_.size(), 7U);
  EXPECT_NE(
      StringAt(cluster_.GroupNow("d"), {"status", "message"}).find("d-0: 403 admission webhook"),
      std::string::npos);
  EXPECT_GE(Events("d", "webhook"), 1);
  EXPECT_EQ(cluster_.complaint(), "");
}

// Alone, it is tried again after 1 s, 2 s, 4 s and so on, at most 5 minutes apart; and runs when
// the refusals end.
TEST_P(RefusedBinding, IsTriedAgainAtGrowingDistances) {
  cluster_.Node("n1", 1);
  cluster_.Queue("q", 1);
  Refuse("d-0", "not yet");
  cluster_.StartOperator();
  cluster_.Gang("d", "q", 1, 1);
  cluster_.Run(40 * kMinute);
  std::vector<std::int64_t> tries;  // The first of three.
  for (std::size_t i = 0; i < refused_ms_.size(); i += 3) tries.push_back(refused_ms_[i]);
  ASSERT_GE(tries.size(), 12U);
  std::int64_t wait_ms = kSecond;
  for (std::size_t i = 1; i < tries.size(); ++i) {
    const std::int64_t waited_ms = tries[i] - tries[i - 1];
    EXPECT_GE(waited_ms, wait_ms) << i;
    EXPECT_LE(waited_ms, wait_ms + 2 * kSecond) << i;
    wait_ms = std::min(2 * wait_ms, 5 * kMinute);
  }
  EXPECT_EQ(cluster_.Condition("d", "Scheduled"), "False BindFailed");
  EXPECT_EQ(StringAt(cluster_.GroupNow("d"), {"status", "reason"}), "BindFailed");
  EXPECT_EQ(StringAt(cluster_.GroupNow("d"), {"status", "message"}), "d-0: 403 not yet");
  EXPECT_GE(Events("d", "d-0: 403 not yet"), 1);
  EXPECT_GE(Events("d-0", "d-0: 403 not yet"), 1);
  AcceptAll();
  cluster_.Run(6 * kMinute);
  EXPECT_EQ(cluster_.NodeOf("d-0"), "n1");
  EXPECT_EQ(cluster_.complaint(), "");
}

}  // namespace
}  // namespace muster::e2e
