// Who is who: pods and PodGroups that come again under a name, pods that are on their way out, pods
// of other schedulers. A name is no identity.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/paths/paths.h"
#include "e2e/sim/scripted_cluster.h"
#include "e2e/sim/shadow.h"

namespace muster::e2e {
namespace {

const std::string kPodList = "/api/v1/namespaces/default/pods";
const std::string kGroupList = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups";

class Identity : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  [[nodiscard]] std::string Used() {
    const Json now = cluster_.QueueNow("q");
    const Json* resources = Find(now, {"status", "resources"});
    return resources == nullptr || resources->empty() ? "" : StringAt((*resources)[0], {"used"});
  }
  [[nodiscard]] std::int64_t MembersOf(const std::string& group, const std::string& which) {
    return IntAt(cluster_.GroupNow(group), {"status", "members", which}).value_or(0);
  }
  [[nodiscard]] std::size_t Groups() { return cluster_.Get(kGroupList)["items"].size(); }
  [[nodiscard]] std::string Uid(const std::string& pod) {
    return StringAt(cluster_.PodNow(pod), {"metadata", "uid"});
  }
  // Bindings of the pod that were accepted, each with the uid that it carried.
  [[nodiscard]] std::vector<std::string> Bindings(const std::string& pod) const {
    std::vector<std::string> uids;
    for (const ScriptedCluster::Answered& answered : cluster_.answered()) {
      if (answered.what != "POST " + kPodList + "/" + pod + "/binding" || answered.status != 201) {
        continue;
      }
      uids.push_back(StringAt(Parse(answered.body).value_or(Json()), {"metadata", "uid"}));
    }
    return uids;
  }

  // Terminating pods stay for their grace of 30 s.
  ScriptedCluster cluster_{CrdsFolder(), GetParam(), {.grace_ms = 30 * kSecond}};
};
INSTANTIATE_TEST_SUITE_P(, Identity, ::testing::Range<std::uint64_t>(1, 5));

// Seen elsewhere: volcano-sh/volcano#2140.
TEST_P(Identity, AGroupMadeAgainHasNothingOfTheOneBefore) {
  cluster_.Node("n1", 2);
  cluster_.Queue("q", 2);
  cluster_.StartOperator();
  cluster_.Gang("j", "q", 2, 1);
  cluster_.Run(10 * kSecond);
  ASSERT_EQ(MembersOf("j", "running"), 2);
  cluster_.DeleteGroup("j");
  for (const char* pod : {"j-0", "j-1"}) cluster_.DeletePod(pod);
  cluster_.Group("j", "q", 2);
  cluster_.Run(1 * kSecond);
  cluster_.Member("j", 2, 1);
  for (int second = 1; second < 40; ++second) {
    cluster_.Run(1 * kSecond);
    EXPECT_EQ(cluster_.NodeOf("j-2"), "") << second;
    EXPECT_EQ(MembersOf("j", "bound"), 0) << second;
    EXPECT_LE(MembersOf("j", "total"), 1) << second;
    if (second < 25) {
      EXPECT_EQ(cluster_.NodeOf("j-0") + cluster_.NodeOf("j-1"), "n1n1");
    }
  }
  cluster_.Member("j", 3, 1);
  cluster_.Run(10 * kSecond);
  EXPECT_EQ(cluster_.NodeOf("j-2") + cluster_.NodeOf("j-3"), "n1n1");
  EXPECT_EQ(MembersOf("j", "running"), 2);
  EXPECT_EQ(cluster_.complaint(), "");
}

// Seen elsewhere: kubernetes/kubernetes#121436.
TEST_P(Identity, APodMadeAgainBetweenPlanAndBindingIsPlannedAnew) {
  for (const char* node : {"n1", "n2"}) cluster_.Node(node, 4);
  cluster_.Queue("q", 8);
  bool done = false;
  cluster_.SetTap([&](const HttpRequest& request, const ScriptedCluster::Serve& serve) {
    if (!done && request.path == kPodList + "/g-1/binding") {
      done = true;
      cluster_.DeletePod("g-1");
      cluster_.Member("g", 1, 1);
    }
    return serve();
  });
  cluster_.StartOperator();
  cluster_.Gang("g", "q", 2, 4);
  const std::string planned = Uid("g-1");
  cluster_.Run(6 * kMinute);  // Longer than an entry may take.
  ASSERT_TRUE(done);
  ASSERT_NE(Uid("g-1"), planned);
  if (cluster_.PodNow("g-0").is_null()) cluster_.Member("g", 0, 4);
  cluster_.Run(1 * kMinute);
  EXPECT_EQ(MembersOf("g", "running"), 2);
  EXPECT_EQ(Used(), "5");
  EXPECT_EQ(Bindings("g-1"), std::vector<std::string>{Uid("g-1")});
  EXPECT_EQ(cluster_.complaint(), "");
}

// Seen elsewhere: kubernetes-sigs/kueue#15148 (after a restart a corpse is queued as new work).
TEST_P(Identity, ATerminatingPodIsNoNewWorkAfterARestart) {
  cluster_.Node("n1", 1);
  cluster_.Queue("q", 2);
  cluster_.StartOperator();
  cluster_.Gang("z", "q", 1, 1);
  cluster_.Run(10 * kSecond);
  ASSERT_EQ(cluster_.NodeOf("z-0"), "n1");
  cluster_.Node("n2", 1);
  cluster_.DeletePod("z-0");
  cluster_.DeleteGroup("z");
  cluster_.KillOperator();
  cluster_.Run(1 * kSecond);
  cluster_.StartOperator();
  cluster_.Gang("g", "q", 1, 1);
  cluster_.Gang("h", "q", 1, 1);
  cluster_.Run(15 * kSecond);
  ASSERT_EQ(cluster_.NodeOf("z-0"), "n1");  // It is still there.
  EXPECT_EQ(cluster_.NodeOf("g-0"), "n2");
  EXPECT_EQ(cluster_.NodeOf("h-0"), "");  // n1 is in use until it is gone.
  EXPECT_EQ(Bindings("z-0").size(), 1U);
  EXPECT_EQ(Groups(), 2U);
  cluster_.Run(20 * kSecond);
  EXPECT_EQ(cluster_.NodeOf("h-0"), "n1");
  EXPECT_EQ(cluster_.complaint(), "");
}

// Seen elsewhere: kubernetes-sigs/kueue#14811 (the quota of what is gone stays taken).
TEST_P(Identity, WhatWasDeletedWhileNobodyLedIsNotAdmittedAnyMore) {
  cluster_.Node("n1", 4);
  cluster_.Queue("q", 4);
  cluster_.StartOperator();
  cluster_.Gang("e", "q", 4, 1);
  cluster_.Run(10 * kSecond);
  ASSERT_EQ(cluster_.Condition("e", "Admitted"), "True QuotaReserved");
  for (const char* pod : {"e-0", "e-1"}) cluster_.DeletePod(pod);
  cluster_.KillOperator();
  for (const char* pod : {"e-2", "e-3"}) cluster_.DeletePod(pod);
  cluster_.Run(10 * kSecond);
  cluster_.StartOperator();
  cluster_.Gang("nw", "q", 4, 1);
  cluster_.Run(1 * kMinute);
  EXPECT_EQ(MembersOf("nw", "running"), 4);
  EXPECT_EQ(cluster_.Condition("nw", "Admitted"), "True QuotaReserved");
  EXPECT_EQ(Used(), "4");
  EXPECT_EQ(MembersOf("e", "running") + MembersOf("e", "bound"), 0);
  EXPECT_EQ(cluster_.Condition("e", "Admitted").substr(0, 6), "False ");
  EXPECT_NE(cluster_.Condition("e", "DisruptionTarget").substr(0, 5), "True ");
  EXPECT_EQ(cluster_.complaint(), "");
}

// Seen elsewhere: volcano-sh/volcano#3671 (groups are made for pods of others).
TEST_P(Identity, PodsOfAnotherSchedulerUseTheirNodeAndNoQueue) {
  cluster_.Node("n1", 4);
  cluster_.Queue("q", 2);
  for (const char* name : {"web-0", "web-1"}) {
    const Json limits = {{kGpu, "1"}};
    cluster_.Make(
        kPodList,
        {{"apiVersion", "v1"},
         {"kind", "Pod"},
         {"metadata", {{"name", name}, {"namespace", "default"}}},
         {"spec",
          {{"schedulerName", "default-scheduler"},
           {"nodeName", "n1"},
           {"containers",
            {{{"name", "main"}, {"image", "web"}, {"resources", {{"limits", limits}}}}}}}}});
  }
  cluster_.StartOperator();
  cluster_.Run(1 * kSecond);
  cluster_.Gang("j", "q", 2, 1);
  cluster_.Run(10 * kSecond);
  EXPECT_EQ(MembersOf("j", "running"), 2);
  EXPECT_EQ(Used(), "2");
  EXPECT_EQ(Groups(), 1U);
  EXPECT_EQ(cluster_.CountSent("PATCH " + kPodList + "/web-0/status", 0, cluster_.now_ms()), 0);
  cluster_.Queue("more", 2);
  cluster_.Gang("k", "more", 1, 1);  // Its quota is free, the node is not.
  cluster_.Run(10 * kSecond);
  EXPECT_EQ(cluster_.Condition("k", "Scheduled"), "False Unschedulable");
  EXPECT_EQ(cluster_.complaint(), "");
}

}  // namespace
}  // namespace muster::e2e
