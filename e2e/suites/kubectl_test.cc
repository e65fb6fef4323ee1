// What users read with the real kubectl, to the character: the real binary against the served API
// server, with the oldest kubectl that is supported and with a newer one.
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/suites/mask.h"
#include "e2e/suites/stand.h"

namespace muster::e2e {
namespace {

using Arguments = std::vector<std::string>;

class KubectlTest : public testing::TestWithParam<std::string> {
 protected:
  // Two gangs of which one runs and does not end.
  void SetUp() override {
    const std::string name = GetParam().substr(GetParam().rfind('-') + 1);
    auto started = Stand::Start("kubectl-" + name, "config/samples/2-two-gangs/cluster.yaml");
    ASSERT_TRUE(started.ok()) << started.error().message;
    stand_ = std::move(started).value();
    const std::string gangs =
        std::regex_replace(ReadText("config/samples/2-two-gangs/gangs.yaml"),
                           std::regex("run-seconds: \"3\""), "run-seconds: \"36000\"");
    ASSERT_NE(gangs.find("36000"), std::string::npos);
    Ok({"apply", "-f", stand_->Write("gangs.yaml", gangs)});
    Ok({"wait", "podgroups.muster.dev/train-a", "--for=condition=Scheduled", "--timeout=30s"});
    // Statuses follow a moment later: both gangs', their queue's, and the pods'.
    Wait({"get", "podgroups.muster.dev", "-o", "wide"}, "Unschedulable");
    Wait({"get", "queues.muster.dev"}, "1         1          True");
    Wait({"get", "podgroups.muster.dev"}, "Running");
    Wait({"describe", "pod", "train-b-2"}, "PodScheduled   False");
  }

  void Ok(const Arguments& arguments) {
    const Output output = stand_->Kubectl(GetParam(), arguments);
    EXPECT_EQ(output.code, 0) << output.text;
  }
  void Wait(const Arguments& arguments, const std::string& text) {
    const std::string seen = stand_->WaitFor(GetParam(), arguments, text);
    EXPECT_NE(Mask(seen).find(text), std::string::npos) << seen;
  }
  void Prints(const Arguments& arguments, const std::string& file) {
    const Output output = stand_->Kubectl(GetParam(), arguments);
    const std::string expected = ReadText("e2e/suites/testdata/" + file);
    ASSERT_FALSE(expected.empty()) << file;
    EXPECT_EQ(Difference(expected, output.text), "") << output.text;
  }
  // "pod/train-b-2-x7k2p": the pod of a Job's index.
  std::string PodOf(const std::string& job, const std::string& index) {
    std::string name =
        stand_
            ->Kubectl(GetParam(), {"get", "pods", "-o", "name", "-l",
                                   "batch.kubernetes.io/job-name=" + job +
                                       ",batch.kubernetes.io/job-completion-index=" + index})
            .text;
    while (name.ends_with('\n')) name.pop_back();
    return name;
  }
  void Refuses(const std::string& name, const std::string& yaml, const std::string& text) {
    const Output output =
        stand_->Kubectl(GetParam(), {"create", "-f", stand_->Write(name + ".yaml", yaml)});
    EXPECT_NE(output.code, 0) << name;
    EXPECT_NE(output.text.find(text), std::string::npos) << name << ": " << output.text;
  }

  std::unique_ptr<Stand> stand_;
};

std::string Group(const std::string& name, const std::string& spec) {
  return "apiVersion: muster.dev/v1alpha1\nkind: PodGroup\nmetadata: {name: " + name +
         "}\nspec: {" + spec + "}\n";
}

// "minSubGroups: 1": "minSubGroups".
std::string FieldOf(const std::string& field) {
  if (field.starts_with("subGroups")) return "subGroups[0].topology";
  return field.substr(0, field.find(':'));
}

// A Job of two short pods without a GPU.
std::string Quick() {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: quick}\nspec:\n"
         "  completionMode: Indexed\n  completions: 2\n  parallelism: 2\n  template:\n"
         "    metadata:\n      labels: {muster.dev/queue: research}\n"
         "      annotations: {sim.muster.dev/run-seconds: '1'}\n    spec:\n"
         "      schedulerName: muster\n      restartPolicy: Never\n"
         "      containers: [{name: main, image: 'quick:1'}]\n";
}

TEST_P(KubectlTest, ShowsAWaitingGang) {
  Prints({"get", "queues.muster.dev"}, "get-queues.txt");
  Prints({"get", "podgroups.muster.dev"}, "get-podgroups.txt");
  Prints({"get", "podgroups.muster.dev", "-o", "wide"}, "get-podgroups-wide.txt");
  Prints({"describe", "podgroups.muster.dev", "train-b"}, "describe-podgroup.txt");
  Prints({"describe", PodOf("train-b", "2")}, "describe-pod.txt");
  Prints({"get", "events", "--field-selector", "involvedObject.kind=PodGroup"}, "get-events.txt");
}

TEST_P(KubectlTest, ShowsJobs) {
  Wait({"get", "jobs"}, "train-b   Running   0/4");
  Prints({"get", "jobs"}, "get-jobs.txt");
  Wait({"describe", "job", "train-a"}, "4 Active (4 Ready) / 0 Succeeded / 0 Failed");
  Ok({"apply", "-f", stand_->Write("quick.yaml", Quick())});
  Ok({"wait", "job/quick", "--for=condition=Complete", "--timeout=30s"});
  Wait({"get", "job", "quick"}, "quick   Complete   2/2");
  // Deleted, its pods go with it, and train-b gets its room.
  Ok({"delete", "job", "train-a"});
  Ok({"wait", "podgroups.muster.dev/train-b", "--for=condition=Scheduled", "--timeout=30s"});
  const Output gone =
      stand_->Kubectl(GetParam(), {"get", "pods", "-l", "muster.dev/pod-group=train-a"});
  EXPECT_EQ(gone.text, "No resources found in default namespace.\n");
  Refuses("always", std::regex_replace(Quick(), std::regex("restartPolicy: Never"), "hostname: h"),
          "The Job \"quick\" is invalid: spec.template.spec.restartPolicy: Required value: valid "
          "values: \"OnFailure\", \"Never\"");
}

TEST_P(KubectlTest, ShowsReplicaSets) {
  const std::string web =
      "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec:\n  replicas: 3\n"
      "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
      "    spec: {schedulerName: muster, containers: [{name: main, image: 'web:1'}]}\n";
  Ok({"apply", "-f", stand_->Write("web.yaml", web)});
  Wait({"get", "rs"}, "web    3         3         0");
  Prints({"get", "rs"}, "get-replicasets.txt");
  Wait({"describe", "rs", "web"}, "Replicas:     3 current / 3 desired");
  Ok({"apply", "-f",
      stand_->Write("web.yaml",
                    std::regex_replace(web, std::regex("replicas: 3"), "replicas: 1"))});
  Wait({"get", "rs"}, "web    1         1         0");
  Ok({"delete", "rs", "web", "--cascade=orphan"});
  const Output kept = stand_->Kubectl(GetParam(), {"get", "pods", "-l", "app=web", "-o", "name"});
  EXPECT_TRUE(kept.text.starts_with("pod/web-")) << kept.text;
}

TEST_P(KubectlTest, AnswersWhatAUserGetsWrong) {
  Refuses("typo", Group("typo", "minMembers: 4"),
          "PodGroup in version \"v1alpha1\" cannot be handled as a PodGroup: strict decoding "
          "error: unknown field \"spec.minMembers\"");
  Refuses("zero", Group("zero", "minMember: 0"),
          "spec.minMember: Invalid value: 0: spec.minMember in body should be greater than or "
          "equal to 1");
  Refuses("text", Group("text", "minMember: '4'"),
          "spec.minMember in body must be of type integer: \"string\"");
  Refuses("long", Group(std::string(64, 'a'), "minMember: 1"),
          "name must fit a label value: at most 63 characters");
  const std::string queue = "apiVersion: muster.dev/v1alpha1\nkind: Queue\nmetadata: {name: q}\n";
  Refuses("negative", queue + "spec: {resources: [{name: nvidia.com/gpu, nominalQuota: -1}]}\n",
          "spec.resources[0].nominalQuota in body should be greater than or equal to 0");
  Refuses("lots", queue + "spec: {resources: [{name: nvidia.com/gpu, nominalQuota: lots}]}\n",
          "spec.resources[0].nominalQuota in body should match");
  // What other schedulers call a part of the gang: accepted silently it would promise a start that
  // nobody holds (koordinator-sh/koordinator#872, kai-scheduler/KAI-Scheduler#2208,
  // volcano-sh/volcano#5075).
  for (const char* field : {"minSubGroups: 1", "minResources: {nvidia.com/gpu: 8}", "gangGroup: g1",
                            "subGroups: [{name: web, minMember: 1, topology: {}}]"}) {
    Refuses("unknown", Group("unknown", std::string("minMember: 1, ") + field),
            "strict decoding error: unknown field \"spec." + FieldOf(field) + "\"");
  }
  Refuses("no-minimum", Group("no-minimum", "subGroups: [{name: web}]"),
          "spec.subGroups[0].minMember: Required value");
  Refuses("role-of-none", Group("role-of-none", "subGroups: [{name: web, minMember: 0}]"),
          "spec.subGroups[0].minMember in body should be greater than or equal to 1");
  Refuses("twice",
          Group("twice",
                "subGroups: [{name: web, minMember: 1}, {name: web, minMember: "
                "2}]"),
          "spec.subGroups[1]: Duplicate value: ");
  // A field of later: kept silently it would promise an order that nobody holds.
  Refuses("strict", queue + "spec: {queueingStrategy: StrictFIFO}\n",
          "strict decoding error: unknown field \"spec.queueingStrategy\"");
  const Output patched =
      stand_->Kubectl(GetParam(), {"patch", "podgroups.muster.dev", "train-a", "--type=merge", "-p",
                                   R"({"spec":{"queue":"other"}})"});
  EXPECT_NE(patched.text.find("spec.queue: Forbidden: queue cannot change while admitted"),
            std::string::npos)
      << patched.text;
  const Output moved =
      stand_->Kubectl(GetParam(), {"patch", "podgroups.muster.dev", "train-a", "--type=merge", "-p",
                                   R"({"spec":{"topology":{"required":"rack"}}})"});
  EXPECT_NE(moved.text.find("spec.topology: Forbidden: topology cannot change while admitted"),
            std::string::npos)
      << moved.text;
}

TEST_P(KubectlTest, MakesANamespaceAndSaysWhatToDoWhereItCannot) {
  Ok({"create", "namespace", "team-a"});
  Ok({"get", "namespace", "team-a"});
  const Output refused =
      stand_->Kubectl(GetParam(), {"create", "priorityclass", "high", "--value=1000"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.text.find("--dry-run=client -o yaml | kubectl apply -f -"), std::string::npos)
      << refused.text;
}

TEST_P(KubectlTest, SaysWhyAGangIsNotAdmitted) {
  Ok({"create", "-f", stand_->Write("lost.yaml", Group("lost", "queue: reserach"))});
  Wait({"get", "podgroups.muster.dev", "lost", "-o", "wide"},
       "queue \"reserach\" does not exist; queues this namespace may use: research");
  Ok({"create", "-f", stand_->Write("few.yaml", Group("few", "queue: research, minMember: 4"))});
  Wait({"get", "podgroups.muster.dev", "few", "-o", "wide"}, "0 of 4 members exist");
  Ok({"create", "-f",
      stand_->Write("shelf.yaml", Group("shelf", "queue: research, topology: {required: shelf}"))});
  Wait({"get", "podgroups.muster.dev", "shelf", "-o", "wide"},
       "spec.topology.required: there is no level \"shelf\"; the levels are zone, block, rack, "
       "nvlink, "
       "host");
  const std::string queue =
      "apiVersion: muster.dev/v1alpha1\nkind: Queue\nmetadata: {name: huge}\n"
      "spec: {resources: [{name: nvidia.com/gpu, nominalQuota: '1e30'}]}\n";
  Ok({"create", "-f", stand_->Write("huge.yaml", queue)});
  Wait({"get", "queues.muster.dev", "huge", "-o", "yaml"},
       "spec.resources[0].nominalQuota: 1e30 is more than 9223372036854775807");
}

INSTANTIATE_TEST_SUITE_P(OldestAndNewer, KubectlTest, testing::ValuesIn(TestKubectls()),
                         [](const auto& kubectl) {
                           return kubectl.param.substr(kubectl.param.rfind('-') + 1);
                         });

}  // namespace
}  // namespace muster::e2e
