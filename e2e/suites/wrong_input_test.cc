// What a user gets wrong, typed with the real kubectl: the answer, to the character, while a gang
// runs beside it that nothing of it may touch.
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/apiserver/json.h"
#include "e2e/suites/stand.h"

namespace muster::e2e {
namespace {

using Arguments = std::vector<std::string>;

std::string Gang(const std::string& name, const std::string& spec,
                 const std::string& ns = "default") {
  return "apiVersion: muster.dev/v1alpha1\nkind: PodGroup\nmetadata: {name: " + name +
         ", namespace: " + ns + "}\nspec: {" + spec + "}\n---\n";
}

std::string QueueOf(const std::string& name, const std::string& spec) {
  return "apiVersion: muster.dev/v1alpha1\nkind: Queue\nmetadata: {name: " + name + "}\nspec: {" +
         spec + "}\n---\n";
}

struct MemberOf {
  std::string group{};
  std::string limits{};  // "nvidia.com/gpu: 8".
  std::string spec{};    // More of it: "schedulingGates: [{name: wait}]".
  std::string ns = "default";
};

std::string Member(const std::string& name, const MemberOf& of) {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n  namespace: " + of.ns +
         "\n  labels: {muster.dev/pod-group: " + of.group +
         "}\n  annotations: {sim.muster.dev/run-seconds: '36000'}\nspec:\n  schedulerName: "
         "muster\n  restartPolicy: Never\n  containers:\n  - {name: main, image: 'train:1', "
         "resources: {limits: {" +
         of.limits + "}}}\n" + (of.spec.empty() ? "" : "  " + of.spec + "\n") + "---\n";
}

class WrongInputTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string name = GetParam().substr(GetParam().rfind('-') + 1);
    auto started = Stand::Start("wrong-" + name, "config/samples/2-two-gangs/cluster.yaml");
    ASSERT_TRUE(started.ok()) << started.error().message;
    stand_ = std::move(started).value();
    Create("steady", Gang("steady", "queue: research, minMember: 2, topology: {preferred: host}") +
                         Member("steady-0", {"steady", "nvidia.com/gpu: 8"}) +
                         Member("steady-1", {"steady", "nvidia.com/gpu: 8"}));
    Becomes(
        {"get", "podgroups.muster.dev", "steady", "-o=jsonpath={.status.phase} {.status.summary}"},
        "Running 2/2");
    steady_ = Steady();
  }
  void TearDown() override {
    if (stand_ == nullptr) return;
    EXPECT_EQ(Steady(), steady_);
    Becomes(
        {"get", "podgroups.muster.dev", "steady", "-o=jsonpath={.status.phase} {.status.summary}"},
        "Running 2/2");
  }

  // Which pods they are, where they run, and that they do.
  std::string Steady() {
    return Output({"get", "pods", "steady-0", "steady-1",
                   "-o=custom-columns=A:.metadata.uid,B:.spec.nodeName,C:.status.phase,"
                   "D:.metadata.deletionTimestamp"});
  }

  std::string Output(const Arguments& arguments) {
    return stand_->Kubectl(GetParam(), arguments).text;
  }
  void Create(const std::string& name, const std::string& yaml) {
    const auto output =
        stand_->Kubectl(GetParam(), {"create", "-f", stand_->Write(name + ".yaml", yaml)});
    ASSERT_EQ(output.code, 0) << output.text;
  }
  // Within 30 s, and no more than this.
  void Becomes(const Arguments& arguments, const std::string& text) {
    (void)stand_->WaitFor(GetParam(), arguments, text);
    EXPECT_EQ(Output(arguments), text);
  }
  // `kubectl create` of this fails, and says just that. "FILE" stands for the path.
  void Refuses(const std::string& yaml, const std::string& text) {
    const std::string file = stand_->Write("wrong.yaml", yaml);
    const auto output = stand_->Kubectl(GetParam(), {"create", "-f", file});
    EXPECT_NE(output.code, 0) << yaml;
    EXPECT_EQ(output.text, std::regex_replace(text, std::regex("FILE"), file) + "\n");
  }
  void Says(const std::string& group, const std::string& condition, const std::string& text) {
    const std::string at = "{.status.conditions[?(@.type==\"" + condition + "\")]";
    Becomes({"get", "podgroups.muster.dev", group,
             "-o=jsonpath=" + at + ".status} " + at + ".reason}: " + at + ".message}"},
            "False " + text);
  }
  void PodSays(const std::string& pod, const std::string& text) {
    Becomes({"get", "pod", pod,
             "-o=jsonpath={.status.conditions[?(@.type==\"PodScheduled\")].message}"},
            text);
  }
  void IsScheduled(const std::string& group) {
    const auto output = stand_->Kubectl(GetParam(), {"wait", "podgroups.muster.dev/" + group,
                                                     "--for=condition=Scheduled", "--timeout=30s"});
    EXPECT_EQ(output.text, "podgroup.muster.dev/" + group + " condition met\n");
  }

  std::unique_ptr<Stand> stand_;
  std::string steady_;
};

constexpr const char* kMore =
    "\n* <nil>: Invalid value: null: some validation rules were not checked because the object was "
    "invalid; correct the existing errors to complete validation";

TEST_P(WrongInputTest, IsRefusedAtOnce) {
  const std::string quantity =
      R"('^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]+)?$')";
  const auto strict = [](const std::string& kind, const std::string& fields) {
    return "Error from server (BadRequest): error when creating \"FILE\": " + kind +
           " in version \"v1alpha1\" cannot be handled as a " + kind +
           ": strict decoding error: " + fields;
  };
  const auto quota = [](const std::string& amount) {
    return QueueOf("q", "resources: [{name: nvidia.com/gpu, nominalQuota: " + amount + "}]");
  };
  Refuses(Gang("g", "minMembers: 4"), strict("PodGroup", "unknown field \"spec.minMembers\""));
  Refuses(Gang("g", "onMemberLoss: Explode, topology: {sliceSize: 4}"),
          strict("PodGroup",
                 "unknown field \"spec.onMemberLoss\", unknown field \"spec.topology.sliceSize\""));
  Refuses(QueueOf("q", "parent: q"), strict("Queue", "unknown field \"spec.parent\""));
  Refuses(Gang("g", "minMember: 0"),
          "The PodGroup \"g\" is invalid: spec.minMember: Invalid value: 0: spec.minMember in body "
          "should be greater than or equal to 1");
  Refuses(Gang("g", "minMember: '4'"),
          std::string("The PodGroup \"g\" is invalid: \n* spec.minMember: Invalid value: "
                      "\"string\": spec.minMember in body must be of type integer: \"string\"") +
              kMore);
  const std::string name(64, 'a');
  Refuses(Gang(name, ""), "The PodGroup \"" + name +
                              "\" is invalid: <nil>: Invalid value: \"object\": name must fit a "
                              "label value: at most 63 characters");
  Refuses(quota("-1"),
          "The Queue \"q\" is invalid: spec.resources[0].nominalQuota: Invalid value: -1: "
          "spec.resources[0].nominalQuota in body should be greater than or equal to 0");
  Refuses(quota("lots"),
          "The Queue \"q\" is invalid: spec.resources[0].nominalQuota: Invalid value: \"lots\": "
          "spec.resources[0].nominalQuota in body should match " +
              quantity);
}

TEST_P(WrongInputTest, IsRefusedOfWhatIsAdmitted) {
  const auto patch = [&](const char* spec) {
    return Output({"patch", "podgroups.muster.dev", "steady", "--type=merge", "-p",
                   std::string("{\"spec\":") + spec + "}"});
  };
  EXPECT_EQ(patch(R"({"queue":"other"})"),
            "The PodGroup \"steady\" is invalid: spec.queue: Forbidden: queue cannot change while "
            "admitted\n");
  EXPECT_EQ(patch(R"({"queue":null})"),
            "The PodGroup \"steady\" is invalid: spec.queue: Forbidden: queue cannot change while "
            "admitted\n");
  EXPECT_EQ(patch(R"({"priorityClassName":"system-node-critical"})"),
            "The PodGroup \"steady\" is invalid: spec.priorityClassName: Forbidden: "
            "priorityClassName cannot change while admitted\n");
  EXPECT_EQ(patch(R"({"topology":{"required":"rack"}})"),
            "The PodGroup \"steady\" is invalid: spec.topology: Forbidden: topology cannot change "
            "while admitted\n");
  EXPECT_EQ(patch(R"({"topology":{"preferred":null}})"),
            "The PodGroup \"steady\" is invalid: spec.topology: Forbidden: topology cannot change "
            "while admitted\n");
  EXPECT_EQ(patch(R"({"topology":null})"),
            "The PodGroup \"steady\" is invalid: spec.topology: Forbidden: topology cannot change "
            "while admitted\n");
  // The minimum may change, and does not matter any more.
  EXPECT_EQ(patch(R"({"minMember":50})"), "podgroup.muster.dev/steady patched\n");
  EXPECT_EQ(patch(R"({"minMember":2})"), "podgroup.muster.dev/steady patched\n");
}

TEST_P(WrongInputTest, AQueueThatDoesNotExistIsNamedUntilItDoes) {
  Create("lost", Gang("lost", "queue: reserach, minMember: 2") + Member("lost-0", {"lost"}) +
                     Member("lost-1", {"lost"}) + Gang("none", ""));
  const std::string text =
      "queue \"reserach\" does not exist; queues this namespace may use: research";
  Says("lost", "Admitted", "QueueNotFound: " + text);
  PodSays("lost-0", text);
  PodSays("lost-1", text);
  Says("none", "Admitted",
       "QueueNotFound: queue \"default\" does not exist (spec.queue is unset); queues this "
       "namespace may use: research");
  Create("queue", QueueOf("reserach", "namespaceSelector: {}"));
  IsScheduled("lost");
}

TEST_P(WrongInputTest, AQueueSaysWhomItAdmitsAndWhatIsWrongWithIt) {
  Create("queues",
         QueueOf("closed", "namespaceSelector: {matchLabels: {team: research}}") +
             QueueOf("shut", "") +
             QueueOf("huge", "resources: [{name: nvidia.com/gpu, nominalQuota: '1e30'}]") +
             Gang("foreign", "queue: closed") + Gang("nobody", "queue: shut"));
  Says("foreign", "Admitted",
       "NamespaceNotAllowed: queue \"closed\" admits namespaces with team=research");
  Says("nobody", "Admitted",
       "NamespaceNotAllowed: queue \"shut\" admits no namespace: its namespaceSelector is unset "
       "({} admits all)");
  Becomes({"get", "queues.muster.dev", "huge",
           "-o=jsonpath={.status.conditions[0].type}={.status.conditions[0].status} "
           "{.status.conditions[0].reason}: {.status.conditions[0].message}"},
          "Active=False Misconfigured: spec.resources[0].nominalQuota: 1e30 is more than "
          "9223372036854775807");
}

TEST_P(WrongInputTest, AGangThatIsNotThereYetIsCounted) {
  Create("few", Gang("few", "queue: research, minMember: 4") + Member("few-0", {"few"}) +
                    Member("few-1", {"few"}) + Member("few-2", {"few"}) +
                    Gang("gated", "queue: research, minMember: 2") + Member("gated-0", {"gated"}) +
                    Member("gated-1", {.group = "gated",
                                       .spec = "schedulingGates: [{name: example.com/wait}]"}) +
                    Member("early-0", {"early"}));
  Says("few", "Admitted", "NotEnoughMembers: 3 of 4 members exist");
  Says("gated", "Admitted", "NotEnoughMembers: 2 exist, 1 behind a scheduling gate");
  Becomes({"get", "podgroups.muster.dev", "few", "-o=jsonpath={.status.phase}"}, "Pending");
  PodSays("early-0", "PodGroup \"early\" does not exist in namespace default");
  // Each is mended, and starts.
  Create("more", Member("few-3", {"few"}) + Gang("early", "queue: research"));
  EXPECT_EQ(Output({"patch", "pod", "gated-1", "--type=json", "-p",
                    R"([{"op":"remove","path":"/spec/schedulingGates"}])"}),
            "pod/gated-1 patched\n");
  for (const char* gang : {"few", "gated", "early"}) IsScheduled(gang);
}

TEST_P(WrongInputTest, MoreThanAnyNodeHasNeverFits) {
  Create("wide",
         Gang("wide", "queue: research") + Member("wide-0", {"wide", "nvidia.com/gpu: 16"}));
  Says("wide", "Scheduled",
       "NeverFits: needs 16 nvidia.com/gpu on one node; the largest node has 8 (node-1)");
  Becomes({"get", "podgroups.muster.dev", "wide", "-o=jsonpath={.status.phase} {.status.reason}"},
          "Queued NeverFits");
}

TEST_P(WrongInputTest, ALevelThatNobodyConfiguredIsNamed) {
  Create("shelf", Gang("shelf", "queue: research, topology: {required: shelf}") +
                      Member("shelf-0", {"shelf"}));
  Says("shelf", "Admitted",
       "Invalid: spec.topology.required: there is no level \"shelf\"; the levels are zone, block, "
       "rack, nvlink, host");
  EXPECT_EQ(Output({"patch", "podgroups.muster.dev", "shelf", "--type=merge", "-p",
                    R"({"spec":{"topology":{"required":"host"}}})"}),
            "podgroup.muster.dev/shelf patched\n");
  IsScheduled("shelf");
}

// A server that refuses a Binding for good is played by muster-local.
TEST_P(WrongInputTest, ABindingThatIsRefusedForGoodIsSaidAndHoldsUpNobody) {
  const std::string hooks = "/muster-local/hooks/refusals";
  const auto text = [](const std::string& pod) {
    return "pods \"" + pod + "\" is forbidden: no GPUs for this team";
  };
  for (const std::string pod : {"train-b-1", "solo-0"}) {
    const Json refusal = {{"pod", "default/" + pod}, {"code", 403}, {"message", text(pod)}};
    const std::string file = stand_->Write("refusal.json", Dump(refusal));
    EXPECT_EQ(Output({"create", "--raw", hooks, "-f", file}), R"({"state":"refused"})");
  }
  Create("refused", Gang("train-b", "queue: research, minMember: 2") +
                        Member("train-b-0", {"train-b", "nvidia.com/gpu: 8"}) +
                        Member("train-b-1", {"train-b", "nvidia.com/gpu: 8"}) +
                        Gang("solo", "queue: research") + Member("solo-0", {"solo"}));
  // What was bound of it is gone, and it says why.
  EXPECT_EQ(
      stand_->Kubectl(GetParam(), {"wait", "--for=delete", "pod/train-b-0", "--timeout=60s"}).code,
      0);
  const Arguments events = {"get", "events",
                            "--field-selector=involvedObject.kind=PodGroup,"
                            "involvedObject.name=train-b,reason=FailedScheduling",
                            "-o=jsonpath={range .items[*]}{.message}\n{end}"};
  const std::string line = "train-b-1: 403 " + text("train-b-1") + "\n";
  EXPECT_NE(stand_->WaitFor(GetParam(), events, line).find(line), std::string::npos);
  Says("solo", "Scheduled", "BindFailed: solo-0: 403 " + text("solo-0"));
  // On the pod behind it stands which touch of it that was.
  const std::string said = stand_->WaitFor(
      GetParam(), {"get", "pod", "solo-0", "-o=jsonpath={.status.conditions[*].message}"},
      "solo-0: 403");
  EXPECT_TRUE(said.starts_with("solo-0: 403 " + text("solo-0") + " (journal ")) << said;
  // Its nodes are free for others, while it goes on to be refused.
  Create("others", Gang("other", "queue: research, minMember: 2") +
                       Member("other-0", {"other", "nvidia.com/gpu: 8"}) +
                       Member("other-1", {"other", "nvidia.com/gpu: 8"}));
  IsScheduled("other");
  EXPECT_EQ(Output({"delete", "--raw", hooks}), R"({"state":"none is refused"})");
  IsScheduled("solo");
}

TEST_P(WrongInputTest, OfAGangThatRunsIsSaidOnItsPods) {
  Create("gang", Gang("gang", "queue: research, minMember: 2") + Member("gang-0", {"gang"}) +
                     Member("gang-1", {"gang"}));
  IsScheduled("gang");
  const auto events = [](const std::string& reason) {
    return Arguments{
        "get", "events", "--field-selector=reason=" + reason, "--sort-by=.involvedObject.name",
        "-o=jsonpath={range .items[*]}{.type} {.involvedObject.name}: {.message}\n{end}"};
  };
  EXPECT_EQ(Output({"label", "pod", "gang-0", "muster.dev/pod-group=other", "--overwrite"}),
            "pod/gang-0 labeled\n");
  Becomes(events("LabelIgnored"),
          "Warning gang-0: muster.dev/pod-group of a bound pod has no effect; it stays a member of "
          "gang\n");
  EXPECT_TRUE(Output({"delete", "podgroups.muster.dev", "gang"})
                  .starts_with("podgroup.muster.dev \"gang\" deleted"));
  const std::string gone = ": PodGroup \"gang\" does not exist in namespace default\n";
  Becomes(events("PodGroupNotFound"), "Warning gang-0" + gone + "Warning gang-1" + gone);
  Becomes({"get", "pods", "gang-0", "gang-1", "-o=jsonpath={.items[*].status.phase}"},
          "Running Running");
}

TEST_P(WrongInputTest, ANameMayStandInAnotherNamespaceToo) {
  EXPECT_EQ(Output({"create", "namespace", "team-b"}), "namespace/team-b created\n");
  Create("twin", Gang("steady", "queue: research, minMember: 3", "team-b") +
                     Member("steady-0", {.group = "steady", .ns = "team-b"}) +
                     Member("steady-1", {.group = "steady", .ns = "team-b"}));
  Becomes({"get", "podgroups.muster.dev", "-n", "team-b", "steady",
           "-o=jsonpath={.status.phase}: {.status.message}"},
          "Pending: 2 of 3 members exist");
}

TEST_P(WrongInputTest, AMebibyteIsRefusedOrRuns) {
  const std::string much(1U << 20U, 'x');
  const std::string group =
      "apiVersion: muster.dev/v1alpha1\nkind: PodGroup\nmetadata:\n  name: "
      "much\n  annotations: {a: " +
      much + "}\nspec: {}\n";
  Refuses(group,
          "The PodGroup \"much\" is invalid: metadata.annotations: Too long: may not be more than "
          "262144 bytes");
  Refuses(Gang("much", "queue: " + much),
          std::string("The PodGroup \"much\" is invalid: \n* spec.queue: Too long: may not be more "
                      "than 63 bytes") +
              kMore);
  Create("much", Gang("much", "queue: research") +
                     Member("much-0", {.group = "much", .spec = "hostname: h"}));
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: much-1\n  labels: "
      "{muster.dev/pod-group: much}\nspec:\n  schedulerName: muster\n  "
      "containers:\n  - {name: main, image: 'train:1', env: [{name: A, value: "
      "'" +
      much + "'}]}\n";
  Create("much-1", pod);
  Becomes({"get", "podgroups.muster.dev", "much", "-o=jsonpath={.status.phase} {.status.summary}"},
          "Running 2/2");
}

// The canary: what happens to the gang beside is seen.
TEST_P(WrongInputTest, HarmIsSeen) {
  (void)Output({"delete", "pod", "steady-1", "--now"});
  EXPECT_NE(Steady(), steady_);
  stand_ = nullptr;
}

// One will do: the texts are the server's, or those of a condition.
INSTANTIATE_TEST_SUITE_P(Oldest, WrongInputTest, testing::Values(TestKubectls().front()),
                         [](const auto& kubectl) {
                           return kubectl.param.substr(kubectl.param.rfind('-') + 1);
                         });

}  // namespace
}  // namespace muster::e2e
