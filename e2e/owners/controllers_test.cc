// The other controllers of a cluster: ReplicaSets, the garbage collector, nodes.
#include "e2e/owners/controllers.h"

#include <gtest/gtest.h>

#include "e2e/owners/test_bed.h"

namespace muster::e2e {
namespace {

const std::string kWeb = std::string(kSetsPath) + "/web";
const std::string kNode = "/api/v1/nodes/n";

Json Web(std::int64_t replicas) {
  return {{"metadata", {{"name", "web"}}},
          {"spec",
           {{"replicas", replicas},
            {"selector", {{"matchLabels", {{"app", "web"}}}}},
            {"template",
             {{"metadata", {{"labels", {{"app", "web"}}}}}, {"spec", PodBody("p")["spec"]}}}}}};
}

class ControllersTest : public testing::Test {
 protected:
  ControllersTest() { bed.AddNode("n"); }
  void Make(const std::string& path, const Json& object) {
    const Reply made = bed.client.Post(path, object);
    ASSERT_EQ(made.code, 201) << made.text;
    bed.Pass(0);
  }
  void BindAll() {
    for (const Json& pod : bed.Pods()) {
      if (StringAt(pod, {"spec", "nodeName"}).empty()) bed.Bind(pod["metadata"]["name"], "n");
    }
  }
  std::string PathOfPod(std::size_t i) {
    return std::string(kPods) + "/" + bed.Pods().at(i)["metadata"]["name"].get<std::string>();
  }
  void Delete(const std::string& path, const char* propagation) {
    ASSERT_EQ(bed.client.Delete(path, {{"propagationPolicy", propagation}}).code, 200);
  }
  // "NoSchedule NoExecute" of the taints of this key.
  std::string Taints(const std::string& key) {
    std::string text;
    const Json node = bed.client.Get(kNode).body;
    const Json* taints = Find(node, {"spec", "taints"});
    if (taints == nullptr) return text;
    for (const Json& taint : *taints) {
      if (StringAt(taint, {"key"}) != "node.kubernetes.io/" + key) continue;
      text += (text.empty() ? "" : " ") + StringAt(taint, {"effect"});
    }
    return text;
  }

  Bed bed;
};

TEST_F(ControllersTest, AReplicaSetKeepsItsCount) {
  Make(kSetsPath, Web(2));
  EXPECT_EQ(bed.PodNames(), "web web");
  BindAll();
  bed.Pass(1'000);
  EXPECT_EQ(bed.client.Get(kWeb).body["status"]["readyReplicas"], 2);
  ASSERT_EQ(bed.client.Delete(PathOfPod(0)).code, 200);
  bed.Pass(0);  // Before the kubelet confirms.
  EXPECT_EQ(bed.Pods().size(), 3U);
  bed.Pass(1'000);
  EXPECT_EQ(bed.Pods().size(), 2U);
  ASSERT_EQ(bed.client.Patch("merge", kWeb, {{"spec", {{"replicas", 1}}}}).code, 200);
  bed.Pass(1'000);
  ASSERT_EQ(bed.Pods().size(), 1U);
  // The one that runs stays.
  EXPECT_EQ(bed.Pods().at(0)["status"]["phase"], "Running");
  EXPECT_EQ(bed.client.Get(kWeb).body["status"]["replicas"], 1);
  EXPECT_EQ(bed.client.Get(kWeb).body["status"]["observedGeneration"], 2);
}

TEST_F(ControllersTest, PodsGoWithTheirOwner) {
  Make(kSetsPath, Web(2));
  Make(kJobsPath, JobOf("train", 2));
  Delete(kTrain, "Background");
  EXPECT_EQ(bed.client.Get(kTrain).code, 404);
  bed.Pass(0);
  EXPECT_EQ(bed.PodNames(), "web web");
}

TEST_F(ControllersTest, InTheForegroundTheOwnerGoesLast) {
  Make(kJobsPath, JobOf("train", 2));
  BindAll();
  bed.Pass(1'000);
  Delete(kTrain, "Foreground");
  bed.Pass(0);
  EXPECT_EQ(bed.client.Get(kTrain).code, 200);
  EXPECT_EQ(bed.PodNames(), "");
  EXPECT_EQ(bed.Pods().size(), 2U);  // Their kubelet is at it.
  bed.Pass(1'000);
  EXPECT_EQ(bed.Pods().size(), 0U);
  EXPECT_EQ(bed.client.Get(kTrain).code, 404);
}

TEST_F(ControllersTest, OrphansStayWithoutAnOwner) {
  Make(kJobsPath, JobOf("train", 2));
  Delete(kTrain, "Orphan");
  bed.Pass(5'000);
  EXPECT_EQ(bed.client.Get(kTrain).code, 404);
  EXPECT_EQ(bed.PodNames(), "train-0 train-1");
  EXPECT_FALSE(bed.Pods().at(0)["metadata"].contains("ownerReferences"));
}

TEST_F(ControllersTest, OneOwnerThatIsLeftIsEnough) {
  Make(kJobsPath, JobOf("train", 0));
  const Json job = bed.client.Get(kTrain).body;
  const auto reference = [](const Json& name, const Json& uid) {
    return Json{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", name}, {"uid", uid}};
  };
  Json pod = PodBody("held");
  pod["metadata"]["ownerReferences"] =
      Json::array({reference("train", job["metadata"]["uid"]), reference("gone", "0000")});
  Make(kPods, pod);
  EXPECT_EQ(bed.client.Get(std::string(kPods) + "/held").body["metadata"]["ownerReferences"],
            Json::array({reference("train", job["metadata"]["uid"])}));
  // Of the name alone nobody is an owner.
  Json stranger = PodBody("stranger");
  stranger["metadata"]["ownerReferences"] = Json::array({reference("train", "0000")});
  Make(kPods, stranger);
  EXPECT_EQ(bed.client.Get(std::string(kPods) + "/stranger").code, 404);
  // Nobody can say of a kind that is not known.
  Json foreign = PodBody("foreign");
  foreign["metadata"]["ownerReferences"] =
      Json::array({{{"apiVersion", "x.dev/v1"}, {"kind", "Set"}, {"name", "s"}, {"uid", "1"}}});
  Make(kPods, foreign);
  bed.Pass(60'000);
  EXPECT_EQ(bed.client.Get(std::string(kPods) + "/foreign").code, 200);
}

TEST_F(ControllersTest, ANamespaceThatEndsTakesAllAndGetsNothingNew) {
  ASSERT_EQ(bed.client.Post("/api/v1/namespaces", {{"metadata", {{"name", "lab"}}}}).code, 201);
  const std::string jobs = "/apis/batch/v1/namespaces/lab/jobs";
  const std::string pods = "/api/v1/namespaces/lab/pods";
  Make(jobs, JobOf("train", 2));
  const Json list = bed.client.Get(pods).body;
  ASSERT_EQ(list["items"].size(), 2U);
  for (const Json& pod : list["items"]) {
    const std::string name = pod["metadata"]["name"];
    ASSERT_EQ(bed.client.Post(pods + "/" + name + "/binding", BindingBody(name, "n")).code, 201);
  }
  bed.Pass(1'000);
  ASSERT_EQ(bed.client.Delete("/api/v1/namespaces/lab").code, 200);
  bed.Pass(0);
  const Reply refused = bed.client.Post(pods, PodBody("late"));
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.body["details"]["causes"][0]["reason"], "NamespaceTerminating");
  EXPECT_EQ(bed.client.Get(pods).body["items"].size(), 2U);
  bed.Pass(1'000);
  EXPECT_EQ(bed.client.Get("/api/v1/namespaces/lab").code, 404);
}

TEST_F(ControllersTest, ANodeWithoutItsKubeletLosesItsPods) {
  Make(kJobsPath, JobOf("train", 1));
  BindAll();
  bed.Pass(120'000);
  EXPECT_EQ(Taints("unreachable"), "");
  const std::string lost = bed.Pods().at(0)["metadata"]["uid"];
  bed.kubelets.SetStopped("n", true);
  bed.Pass(62'000);
  EXPECT_EQ(Taints("unreachable"), "NoSchedule NoExecute");
  EXPECT_EQ(bed.client.Table("/api/v1/nodes").body["rows"][0]["cells"][1], "NotReady");
  const Json ready = bed.client.Get(kNode).body["status"]["conditions"][0];
  EXPECT_EQ(ready["status"], "Unknown");
  EXPECT_EQ(ready["reason"], "NodeStatusUnknown");
  bed.Pass(280'000);
  EXPECT_EQ(bed.PodNames(), "train-0");  // Tolerated for 300 s, by default.
  bed.Pass(40'000);
  // It stays, as nobody can say that it ended; the Job has another.
  ASSERT_EQ(bed.Pods().size(), 2U);
  EXPECT_EQ(bed.PodNames(), "train-0");
  for (const Json& pod : bed.Pods()) {
    if (pod["metadata"]["uid"] != lost) continue;
    EXPECT_TRUE(pod["metadata"].contains("deletionTimestamp"));
    EXPECT_NE(Dump(pod).find("DeletionByTaintManager"), std::string::npos);
  }
  ASSERT_EQ(bed.client.Delete(kNode).code, 200);
  bed.Pass(2'000);
  ASSERT_EQ(bed.Pods().size(), 1U);
  EXPECT_NE(bed.Pods().at(0)["metadata"]["uid"], lost);
  // The Lease has gone with its node.
  EXPECT_EQ(bed.client.Get("/apis/coordination.k8s.io/v1/leases").body["items"].size(), 0U);
}

TEST_F(ControllersTest, AKubeletThatComesBackIsBelieved) {
  Make(kPods, PodBody("p"));
  BindAll();
  bed.kubelets.SetStopped("n", true);
  bed.Pass(100'000);
  EXPECT_EQ(Taints("unreachable"), "NoSchedule NoExecute");
  bed.kubelets.SetStopped("n", false);
  bed.Pass(1'000);
  EXPECT_EQ(Taints("unreachable"), "");
  bed.Pass(400'000);
  EXPECT_EQ(bed.client.Get(std::string(kPods) + "/p").body["status"]["phase"], "Running");
}

TEST_F(ControllersTest, TolerationsSayForHowLong) {
  const auto pod = [](const char* name, const Json& tolerations) {
    Json body = PodBody(name);
    body["spec"]["tolerations"] = tolerations;
    return body;
  };
  const Json all = Json::array({{{"operator", "Exists"}}});
  const Json five = Json::array({{{"key", "node.kubernetes.io/unreachable"},
                                  {"operator", "Exists"},
                                  {"effect", "NoExecute"},
                                  {"tolerationSeconds", 5}}});
  Make(kPods, pod("always", all));
  Make(kPods, pod("briefly", five));
  BindAll();
  bed.kubelets.SetStopped("n", true);
  bed.Pass(400'000);
  const auto leaves = [&](const char* name) {
    return bed.client.Get(std::string(kPods) + "/" + name)
        .body["metadata"]
        .contains("deletionTimestamp");
  };
  EXPECT_FALSE(leaves("always"));
  EXPECT_TRUE(leaves("briefly"));
}

// Timers, watches and requests in the same order give the same objects.
TEST(ControllersRun, AreTheSameEveryTime) {
  const auto run = [] {
    Bed bed;
    bed.AddNode("n");
    EXPECT_EQ(bed.client.Post(kJobsPath, JobOf("train", 4, "3")).code, 201);
    EXPECT_EQ(bed.client.Post(kSetsPath, Web(3)).code, 201);
    bed.Pass(0);
    for (const Json& pod : bed.Pods()) bed.Bind(pod["metadata"]["name"], "n");
    bed.Pass(10'000);
    return bed.client.Get("/api/v1/pods").text;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace muster::e2e
