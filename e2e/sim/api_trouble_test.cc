// What an API server does on a bad day, each as one told story with its whole outcome: the answer
// of a Binding that is lost, a watch that has expired.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "crds/decode.h"
#include "e2e/paths/paths.h"
#include "e2e/sim/scripted_cluster.h"
#include "e2e/sim/shadow.h"

namespace muster::e2e {
namespace {

// "8/12": what the status of the queue says of its GPUs.
std::string GpusOfQueue(ScriptedCluster& cluster, const std::string& queue) {
  const Json now = cluster.QueueNow(queue);
  const Json* resources = Find(now, {"status", "resources"});
  if (resources == nullptr) return "";
  for (const Json& resource : *resources) {
    if (StringAt(resource, {"name"}) != kGpu) continue;
    return StringAt(resource, {"used"}) + "/" + StringAt(resource, {"nominal"});
  }
  return "";
}

// The nodes for which any page ever planned the pod.
std::set<std::string> PlannedNodes(const ScriptedCluster& cluster, const std::string& pod) {
  std::set<std::string> nodes;
  for (const ScriptedCluster::Answered& answered : cluster.answered()) {
    if (answered.what.find("/bindingjournals/") == std::string::npos) continue;
    const Result<crds::BindingJournal> page = crds::DecodeBindingJournal(answered.body);
    if (!page.ok()) continue;  // A read.
    for (const crds::JournalEntry& entry : page.value().entries) {
      for (const crds::JournalEntry::Node& node : entry.nodes) {
        for (const crds::JournalEntry::Pod& planned : node.pods) {
          if (planned.name == pod) nodes.insert(node.name);
        }
      }
    }
  }
  return nodes;
}

std::int64_t RunningPods(ScriptedCluster& cluster, const std::vector<std::string>& pods) {
  std::int64_t running = 0;
  for (const std::string& pod : pods) {
    if (StringAt(cluster.PodNow(pod), {"status", "phase"}) == "Running") ++running;
  }
  return running;
}

// Each seed draws another order of what the operator hears of one event: answers, frames, kinds.
class TimedOutBinding : public ::testing::TestWithParam<std::uint64_t> {};
class ExpiredWatch : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(ApiTrouble, TimedOutBinding, ::testing::Range<std::uint64_t>(1, 9));
INSTANTIATE_TEST_SUITE_P(ApiTrouble, ExpiredWatch, ::testing::Range<std::uint64_t>(1, 9));

// A time-out means "unknown": the reservation is kept and the truth is read back.
// Seen elsewhere: kubernetes/kubernetes#108665 (the pod runs, and FailedScheduling is reported for
// days), kubernetes/kubernetes#96579 (the bind is tried again for ever).
TEST_P(TimedOutBinding, ThatWasStoredCountsOnce) {
  ScriptedCluster cluster(CrdsFolder(), GetParam());
  for (const char* node : {"n1", "n2", "n3"}) cluster.Node(node, 4);
  cluster.Queue("q", 12);
  const std::string path = "/api/v1/namespaces/default/pods/g-1/binding";
  std::int64_t shown_ms = 0;
  cluster.SetTap([&](const HttpRequest& request, const ScriptedCluster::Serve& serve) {
    HttpResponse response = serve();
    if (request.path != path || shown_ms != 0) return response;
    shown_ms = cluster.now_ms();
    response = {};
    response.status = 504;
    response.content_type = "text/plain";
    response.body = "timeout";
    return response;
  });
  cluster.StartOperator();
  cluster.Gang("g", "q", 2, 4);
  cluster.Run(10 * kMinute);  // Beyond the time-out of the entry and every back-off.

  // It went wrong as it was meant to.
  ASSERT_NE(shown_ms, 0);
  ASSERT_EQ(cluster.NodeOf("g-1"), "n2");

  EXPECT_EQ(RunningPods(cluster, {"g-0", "g-1"}), 2);
  EXPECT_EQ(IntAt(cluster.GroupNow("g"), {"status", "members", "running"}), 2);
  EXPECT_EQ(GpusOfQueue(cluster, "q"), "8/12");

  std::int64_t accepted = 0;
  for (const ScriptedCluster::Answered& answered : cluster.answered()) {
    if (answered.what == "POST " + path && answered.status == 201) ++accepted;
    // Nothing is said of a failure once the API server shows the node: no event about the pod or
    // its gang, no condition.
    if (answered.at_ms < shown_ms) continue;
    EXPECT_EQ(answered.body.find("FailedScheduling"), std::string::npos) << answered.body;
    EXPECT_NE(answered.what, "PATCH /api/v1/namespaces/default/pods/g-1/status");
  }
  EXPECT_EQ(accepted, 1);
  EXPECT_EQ(PlannedNodes(cluster, "g-1"), std::set<std::string>{"n2"});

  cluster.Pod("z", "q", 4);
  cluster.Run(10 * kSecond);
  EXPECT_EQ(cluster.NodeOf("z"), "n3");
  EXPECT_EQ(cluster.NodeOf("g-0"), "n1");
  EXPECT_EQ(GpusOfQueue(cluster, "q"), "12/12");
  EXPECT_EQ(cluster.complaint(), "");
}

// A full list replaces the local view, and what is not in it is gone.
// Seen elsewhere: apache/airflow#23521 (the watcher repeats the expired version for ever),
// kubernetes-sigs/controller-runtime#869 (watches are dead after it), kubernetes/kubernetes#94437
// (one missed update and nothing is scheduled any more).
TEST_P(ExpiredWatch, IsListedAgainOnceAndLeavesNoHoles) {
  ScriptedCluster cluster(CrdsFolder(), GetParam());
  cluster.Node("n1", 2);
  cluster.Queue("q", 4);
  cluster.StartOperator();
  cluster.Gang("p", "q", 2, 1);
  cluster.Run(30 * kSecond);
  ASSERT_EQ(cluster.NodeOf("p-0") + cluster.NodeOf("p-1"), "n1n1");
  ASSERT_EQ(GpusOfQueue(cluster, "q"), "2/4");

  const std::int64_t cut_ms = cluster.now_ms();
  cluster.SetReachable(false);
  cluster.Run(5 * kMinute);
  cluster.DeleteGroup("p");
  for (const char* pod : {"p-0", "p-1"}) cluster.DeletePod(pod);
  cluster.Run(1 * kMinute);
  cluster.DeleteNode("n1");
  cluster.Node("n2", 2);
  cluster.Gang("g", "q", 2, 1);
  cluster.Run(9 * kMinute);
  cluster.Compact();  // Every version that the operator knows is too old now.
  const std::int64_t back_ms = cluster.now_ms();
  cluster.SetReachable(true);
  cluster.Run(5 * kMinute);

  EXPECT_EQ(cluster.Condition("g", "Admitted"), "True QuotaReserved");
  EXPECT_EQ(cluster.Condition("g", "Scheduled"), "True Bound");
  EXPECT_EQ(cluster.NodeOf("g-0"), "n2");
  EXPECT_EQ(cluster.NodeOf("g-1"), "n2");
  EXPECT_EQ(GpusOfQueue(cluster, "q"), "2/4");

  for (const std::string kind :
       {"/api/v1/pods", "/api/v1/nodes", "/api/v1/namespaces",
        "/apis/scheduling.k8s.io/v1/priorityclasses", "/apis/muster.dev/v1alpha1/podgroups",
        "/apis/muster.dev/v1alpha1/queues"}) {
    const auto count = [&](const char* verb, std::int64_t from_ms, std::int64_t to_ms) {
      return cluster.CountSent(verb + (" " + kind), from_ms, to_ms);
    };
    EXPECT_EQ(count("LIST", 0, cut_ms), 1) << kind;
    // Tries that fail come 0.8 s apart at first and half a minute or more in the end.
    EXPECT_EQ(count("LIST", cut_ms, back_ms), 0) << kind;
    EXPECT_GE(count("WATCH", cut_ms, back_ms), 10) << kind;
    EXPECT_LE(count("WATCH", cut_ms, back_ms), 36) << kind;
    // One watch is refused with 410, one list heals it, and one watch goes on from there.
    EXPECT_EQ(count("LIST", back_ms, cluster.now_ms()), 1) << kind;
    EXPECT_EQ(count("WATCH", back_ms, cluster.now_ms()), 2) << kind;
  }
  // The same process all along.
  EXPECT_TRUE(cluster.synced());
  EXPECT_EQ(cluster.complaint(), "");
}

}  // namespace
}  // namespace muster::e2e
