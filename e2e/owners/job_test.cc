#include "e2e/owners/job.h"

#include <gtest/gtest.h>

#include "e2e/owners/test_bed.h"

namespace muster::e2e {
namespace {

class JobTest : public testing::Test {
 protected:
  JobTest() { bed.AddNode("n"); }
  void Make(const Json& job) { ASSERT_EQ(bed.client.Post(kJobsPath, job).code, 201); }
  void BindAll() {
    for (const Json& pod : bed.Pods()) {
      if (StringAt(pod, {"spec", "nodeName"}).empty()) bed.Bind(pod["metadata"]["name"], "n");
    }
  }
  Json Status() { return bed.client.Get(kTrain).body["status"]; }
  std::string Conditions() {
    std::string text;
    for (const Json& one : Status().value("conditions", Json::array())) {
      text += StringAt(one, {"type"}) + " " + StringAt(one, {"status"}) + " " +
              StringAt(one, {"reason"}) + "; ";
    }
    return text;
  }
  std::string NameOfPod(std::size_t i) { return bed.Pods().at(i)["metadata"]["name"]; }

  Bed bed;
};

TEST_F(JobTest, MakesAPodForEachIndex) {
  Make(JobOf("train", 3));
  bed.Pass(0);
  EXPECT_EQ(bed.PodNames(), "train-0 train-1 train-2");
  const Json job = bed.client.Get(kTrain).body;
  const Json pod = bed.Pods().at(1);
  EXPECT_EQ(pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"], "1");
  EXPECT_EQ(pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"], "1");
  EXPECT_EQ(pod["metadata"]["labels"]["batch.kubernetes.io/job-name"], "train");
  EXPECT_EQ(pod["metadata"]["labels"]["muster.dev/pod-group"], "train");
  EXPECT_EQ(pod["spec"]["hostname"], "train-1");
  EXPECT_EQ(pod["metadata"]["ownerReferences"], Json::array({{{"apiVersion", "batch/v1"},
                                                              {"kind", "Job"},
                                                              {"name", "train"},
                                                              {"uid", job["metadata"]["uid"]},
                                                              {"controller", true},
                                                              {"blockOwnerDeletion", true}}}));
  EXPECT_EQ(job["status"]["active"], 3);
  EXPECT_EQ(job["status"]["ready"], 0);
  EXPECT_TRUE(job["status"].contains("startTime"));
}

// What the others compare with: the API server alone makes nothing.
TEST_F(JobTest, WithoutTheControllerThereAreNoPods) {
  bed.controllers_run = false;
  Make(JobOf("train", 3));
  bed.Pass(10'000);
  EXPECT_EQ(bed.PodNames(), "");
  EXPECT_EQ(Status(), Json::object());
}

TEST_F(JobTest, EndsWhenEachIndexHasSucceeded) {
  Make(JobOf("train", 3, "5"));
  bed.Pass(0);
  BindAll();
  bed.Pass(1'000);
  EXPECT_EQ(Status()["ready"], 3);
  bed.Pass(10'000);
  EXPECT_EQ(Status()["succeeded"], 3);
  EXPECT_EQ(Status()["completedIndexes"], "0-2");
  EXPECT_FALSE(Status().contains("active"));
  EXPECT_TRUE(Status().contains("completionTime"));
  EXPECT_EQ(Conditions(),
            "SuccessCriteriaMet True CompletionsReached; "
            "Complete True CompletionsReached; ");
  EXPECT_EQ(bed.PodNames(), "train-0 train-1 train-2");
}

TEST_F(JobTest, KeepsToItsParallelism) {
  Json job = JobOf("train", 5);
  job["spec"]["parallelism"] = 2;
  Make(job);
  bed.Pass(0);
  EXPECT_EQ(bed.PodNames(), "train-0 train-1");
  bed.SetPhase(NameOfPod(0), "Succeeded");
  bed.Pass(0);
  EXPECT_EQ(bed.PodNames(), "train-0 train-1 train-2");
  ASSERT_EQ(bed.client.Patch("merge", kTrain, {{"spec", {{"parallelism", 1}}}}).code, 200);
  bed.Pass(0);
  EXPECT_EQ(bed.PodNames(), "train-0 train-1");
}

TEST_F(JobTest, MakesADeletedPodAgainUnderANewUid) {
  Make(JobOf("train", 2));
  bed.Pass(0);
  BindAll();
  bed.Pass(1'000);
  const Json lost = bed.Pods().at(1);
  ASSERT_EQ(bed.client.Delete(std::string(kPods) + "/" + NameOfPod(1)).code, 200);
  bed.Pass(9'000);
  EXPECT_EQ(bed.PodNames(), "train-0");  // The back-off.
  EXPECT_EQ(Status()["failed"], 1);
  bed.Pass(2'000);
  EXPECT_EQ(bed.PodNames(), "train-0 train-1");
  EXPECT_NE(bed.Pods().at(1)["metadata"]["uid"], lost["metadata"]["uid"]);
  // One that nobody ran goes at once, and is missed all the same.
  ASSERT_EQ(bed.client.Delete(std::string(kPods) + "/" + NameOfPod(1)).code, 200);
  bed.Pass(19'000);
  EXPECT_EQ(bed.PodNames(), "train-0");
  bed.Pass(2'000);
  EXPECT_EQ(bed.PodNames(), "train-0 train-1");
  EXPECT_EQ(Status()["failed"], 2);
}

TEST_F(JobTest, FailsAtItsBackoffLimit) {
  Json job = JobOf("train", 2);
  job["spec"]["backoffLimit"] = 1;
  Make(job);
  bed.Pass(0);
  bed.SetPhase(NameOfPod(0), "Failed");
  bed.Pass(11'000);
  EXPECT_EQ(bed.PodNames(), "train-0 train-0 train-1");
  for (std::size_t i = 0; i < 2; ++i) bed.SetPhase(NameOfPod(i), "Failed");
  bed.Pass(60'000);
  EXPECT_EQ(bed.PodNames(), "train-0 train-0");  // What ran on is stopped.
  EXPECT_EQ(Status()["failed"], 2);
  EXPECT_EQ(Conditions(),
            "FailureTarget True BackoffLimitExceeded; "
            "Failed True BackoffLimitExceeded; ");
}

TEST_F(JobTest, WaitsForTheLastPodBeforeItIsFailed) {
  Json job = JobOf("train", 2);
  job["spec"]["backoffLimit"] = 0;
  Make(job);
  bed.Pass(0);
  BindAll();
  bed.Pass(1'000);
  bed.kubelets.SetStopped("n", true);
  bed.SetPhase(NameOfPod(0), "Failed");
  bed.Pass(1'000);
  EXPECT_EQ(Conditions(), "FailureTarget True BackoffLimitExceeded; ");
  EXPECT_EQ(Status()["terminating"], 1);
  bed.kubelets.SetStopped("n", false);
  bed.Pass(1'000);
  EXPECT_EQ(Conditions(),
            "FailureTarget True BackoffLimitExceeded; "
            "Failed True BackoffLimitExceeded; ");
}

TEST_F(JobTest, StopsWhileItIsSuspended) {
  Json job = JobOf("train", 2);
  job["spec"]["suspend"] = true;
  Make(job);
  bed.Pass(0);
  EXPECT_EQ(bed.PodNames(), "");
  EXPECT_EQ(Conditions(), "Suspended True JobSuspended; ");
  EXPECT_FALSE(Status().contains("startTime"));
  ASSERT_EQ(bed.client.Patch("merge", kTrain, {{"spec", {{"suspend", false}}}}).code, 200);
  bed.Pass(0);
  EXPECT_EQ(bed.PodNames(), "train-0 train-1");
  EXPECT_EQ(Conditions(), "Suspended False JobResumed; ");
  ASSERT_EQ(bed.client.Patch("merge", kTrain, {{"spec", {{"suspend", true}}}}).code, 200);
  bed.Pass(0);
  EXPECT_EQ(bed.PodNames(), "");
  EXPECT_FALSE(Status().contains("failed"));  // Its own deletions are no failures.
}

TEST_F(JobTest, EndsAtItsDeadlineAndGoesAfterItsTtl) {
  Json job = JobOf("train", 1);
  job["spec"]["activeDeadlineSeconds"] = 20;
  job["spec"]["ttlSecondsAfterFinished"] = 30;
  Make(job);
  bed.Pass(19'000);
  EXPECT_EQ(Conditions(), "");
  bed.Pass(2'000);
  EXPECT_EQ(Conditions(), "FailureTarget True DeadlineExceeded; Failed True DeadlineExceeded; ");
  bed.Pass(27'000);
  EXPECT_EQ(bed.client.Get(kTrain).code, 200);
  bed.Pass(5'000);
  EXPECT_EQ(bed.client.Get(kTrain).code, 404);
}

TEST_F(JobTest, AWorkQueueEndsWithItsFirstSuccessAndItsLastPod) {
  Json job = JobOf("train", 2);
  job["spec"].erase("completions");
  job["spec"]["completionMode"] = "NonIndexed";
  Make(job);
  bed.Pass(0);
  EXPECT_EQ(bed.PodNames(), "train train");
  bed.SetPhase(NameOfPod(0), "Succeeded");
  bed.Pass(20'000);
  EXPECT_EQ(Conditions(), "");
  EXPECT_EQ(bed.PodNames(), "train train");
  bed.SetPhase(NameOfPod(1), "Succeeded");
  bed.Pass(0);
  EXPECT_EQ(Status()["succeeded"], 2);
  EXPECT_EQ(Conditions(),
            "SuccessCriteriaMet True CompletionsReached; "
            "Complete True CompletionsReached; ");
}

TEST(JobIndexes, AreWrittenAsIntervals) {
  EXPECT_EQ(IndexesText({}), "");
  EXPECT_EQ(IndexesText({0}), "0");
  EXPECT_EQ(IndexesText({1, 3, 4, 5, 7, 8}), "1,3-5,7,8");
  for (const char* text : {"", "0", "1,3-5,7,8", "0-100"}) {
    EXPECT_EQ(IndexesText(ParseIndexes(text)), text);
  }
}

}  // namespace
}  // namespace muster::e2e
