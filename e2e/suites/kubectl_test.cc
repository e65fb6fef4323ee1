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

TEST_P(KubectlTest, ShowsAWaitingGang) {
  Prints({"get", "queues.muster.dev"}, "get-queues.txt");
  Prints({"get", "podgroups.muster.dev"}, "get-podgroups.txt");
  Prints({"get", "podgroups.muster.dev", "-o", "wide"}, "get-podgroups-wide.txt");
  Prints({"describe", "podgroups.muster.dev", "train-b"}, "describe-podgroup.txt");
  Prints({"describe", "pod", "train-b-2"}, "describe-pod.txt");
  Prints({"get", "events", "--field-selector", "involvedObject.kind=PodGroup"}, "get-events.txt");
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
}

TEST_P(KubectlTest, SaysWhyAGangIsNotAdmitted) {
  Ok({"create", "-f", stand_->Write("lost.yaml", Group("lost", "queue: reserach"))});
  Wait({"get", "podgroups.muster.dev", "lost", "-o", "wide"},
       "queue \"reserach\" does not exist; queues this namespace may use: research");
  Ok({"create", "-f", stand_->Write("few.yaml", Group("few", "queue: research, minMember: 4"))});
  Wait({"get", "podgroups.muster.dev", "few", "-o", "wide"}, "0 of 4 members exist");
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
