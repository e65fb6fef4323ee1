// What kubectl asks of an API server beside objects: documentation of fields, trial runs,
// evictions, the columns of built-in kinds. With the oldest kubectl that is supported and with a
// newer one.
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/suites/mask.h"
#include "e2e/suites/stand.h"

namespace muster::e2e {
namespace {

using Words = std::vector<std::string>;

std::string TrialOf(int minimum) {
  return "apiVersion: muster.dev/v1alpha1\nkind: PodGroup\nmetadata: {name: trial}\nspec: "
         "{minMember: " +
         std::to_string(minimum) + "}\n";
}

// A ReplicaSet of two pods that want a node of their own each, and a budget that spares none.
constexpr const char* kServing = R"(apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, muster.dev/queue: research}}
    spec:
      schedulerName: muster
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: 'web:1', resources: {limits: {nvidia.com/gpu: 8}}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 2
  selector: {matchLabels: {app: web}}
)";

class KubectlServerTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string name = GetParam().substr(GetParam().rfind('-') + 1);
    auto started = Stand::Start("server-" + name, "config/samples/2-two-gangs/cluster.yaml");
    ASSERT_TRUE(started.ok()) << started.error().message;
    stand_ = std::move(started).value();
  }
  Output Do(const Words& words) { return stand_->Kubectl(GetParam(), words); }
  std::string Text(const Words& words) { return Do(words).text; }
  // It goes well, and what it prints holds this.
  void Prints(const Words& words, const std::string& text) {
    const Output output = Do(words);
    EXPECT_EQ(output.code, 0) << output.text;
    EXPECT_NE(Mask(output.text).find(text), std::string::npos) << output.text;
  }
  void Fails(const Words& words, const std::string& text) {
    const Output output = Do(words);
    EXPECT_NE(output.code, 0);
    EXPECT_NE(Mask(output.text).find(text), std::string::npos) << output.text;
  }
  void Becomes(const Words& words, const std::string& text) {
    const std::string seen = stand_->WaitFor(GetParam(), words, text);
    EXPECT_NE(Mask(seen).find(text), std::string::npos) << seen;
  }

  std::unique_ptr<Stand> stand_;
};

TEST_P(KubectlServerTest, ExplainsEveryFieldOfOurKinds) {
  Prints({"explain", "podgroups.spec"}, "GROUP:      muster.dev\nKIND:       PodGroup\n");
  Prints({"explain", "podgroups.spec"}, "FIELD: spec <Object>");
  Prints({"explain", "podgroups.spec"}, "  minMember\t<integer>\n    The gang starts once so many");
  Prints({"explain", "podgroups.spec.subGroups.name"}, "What the label muster.dev/subgroup says.");
  Prints({"explain", "queues.spec.stopPolicy"}, "ENUM:\n    None\n    Hold");
  Prints({"explain", "mbj", "--recursive"}, "  spec\t<Object> -required-\n    entries\t<string>");
  Prints({"explain", "podgroups.metadata.labels"}, "Short texts by which objects are selected.");
  Prints({"explain", "pods.spec.containers.resources"}, "  limits\t<map[string]string>");
  Prints({"explain", "nodes.status"}, "  allocatable\t<map[string]string>");
  Fails({"explain", "podgroups.spec.minMembers"}, "field \"minMembers\" does not exist");
}

TEST_P(KubectlServerTest, KnowsWhatIsServed) {
  // The widths are those of the longest names.
  const std::string listed =
      std::regex_replace(Text({"api-resources", "--no-headers"}), std::regex(" +"), " ");
  for (const char* line : {"podgroups mpg muster.dev/v1alpha1 true PodGroup",
                           "queues mq muster.dev/v1alpha1 false Queue", "pods po v1 true Pod",
                           "bindings v1 true Binding"}) {
    EXPECT_NE(listed.find(line), std::string::npos) << line << "\n" << listed;
  }
  Prints({"api-versions"}, "muster.dev/v1alpha1\n");
  Prints({"get", "muster"}, "queue.muster.dev/research");
}

TEST_P(KubectlServerTest, ATrialRunChangesNothing) {
  const std::string file = stand_->Write("trial.yaml", TrialOf(1));
  Prints({"apply", "--dry-run=server", "-f", file},
         "podgroup.muster.dev/trial created (server dry run)");
  Prints(
      {"create", "--dry-run=server", "-f", file, "-o", "jsonpath={.spec.scheduleTimeoutSeconds}"},
      "300");
  Fails({"get", "podgroups.muster.dev", "trial"}, "\"trial\" not found");
  Prints({"apply", "-f", file}, "podgroup.muster.dev/trial created");
  const std::string changed = stand_->Write("changed.yaml", TrialOf(5));
  const Output diff = Do({"diff", "-f", changed});
  EXPECT_EQ(diff.code, 1);
  EXPECT_NE(diff.text.find("\n-  minMember: 1\n+  minMember: 5\n"), std::string::npos) << diff.text;
  Prints({"apply", "--dry-run=server", "-f", changed},
         "podgroup.muster.dev/trial configured (server dry run)");
  Prints({"delete", "--dry-run=server", "-f", file}, "podgroup.muster.dev \"trial\" deleted");
  Prints({"get", "podgroups.muster.dev", "trial", "-o", "jsonpath={.spec.minMember}"}, "1");
  // What is wrong is refused in a trial too.
  Fails({"apply", "--dry-run=server", "-f", stand_->Write("zero.yaml", TrialOf(0))},
        "should be greater than or equal to 1");
}

TEST_P(KubectlServerTest, SaysWhatItCannot) {
  const std::string file = stand_->Write("trial.yaml", TrialOf(1));
  Fails({"apply", "--server-side", "-f", file}, "Server-side apply not available on the server");
  Fails({"get", "podgroups.muster.dev", "trial"}, "\"trial\" not found");
}

TEST_P(KubectlServerTest, DrainsANodeAsFarAsABudgetAllows) {
  const auto pods = [&] {
    return Text(
        {"get", "pods", "-l", "app=web", "--field-selector=spec.nodeName=node-1", "-o", "name"});
  };
  Prints({"cordon", "node-3", "node-4"}, "node/node-4 cordoned");
  Prints({"apply", "-f", stand_->Write("serving.yaml", kServing)}, "created");
  Becomes({"get", "rs", "web"}, "web    2         2         2");
  Becomes({"get", "pdb"},
          "NAME   MIN AVAILABLE   MAX UNAVAILABLE   ALLOWED DISRUPTIONS   AGE\n"
          "web    2               N/A               0                     <age>");
  const std::string before = pods();
  EXPECT_TRUE(before.starts_with("pod/web-")) << before;
  Fails({"drain", "node-1", "--timeout=1s"},
        "Cannot evict pod as it would violate the pod's disruption budget.");
  EXPECT_EQ(pods(), before);
  Prints({"get", "nodes", "node-1"}, "Ready,SchedulingDisabled");
  // One may go now: it is made again, and waits for a node.
  Prints({"patch", "pdb", "web", "--type=merge", "-p", R"({"spec":{"minAvailable":1}})"},
         "patched");
  Becomes({"get", "pdb"}, "web    1               N/A               1 ");
  Prints({"drain", "node-1", "--timeout=30s"}, "node/node-1 drained");
  EXPECT_EQ(pods(), "");
  Becomes({"get", "rs", "web"}, "web    2         2         1");
  Becomes({"get", "pdb"}, "web    1               N/A               0 ");
  Prints({"uncordon", "node-3"}, "node/node-3 uncordoned");
  Becomes({"get", "rs", "web"}, "web    2         2         2");
}

TEST_P(KubectlServerTest, ShowsTheColumnsOfARealServer) {
  Prints({"get", "namespaces"}, "NAME              STATUS   AGE\ndefault           Active   <age>");
  Prints({"get", "nodes"}, "NAME     STATUS   ROLES    AGE");
  Prints({"get", "leases", "-n", "kube-node-lease"},
         "NAME     HOLDER   AGE\nnode-1   node-1   <age>");
  Prints({"get", "crd"},
         "NAME                         CREATED AT\nbindingjournals.muster.dev   <time>");
  Prints({"get", "pods", "-o", "wide"}, "No resources found in default namespace.");
  Prints({"describe", "node", "node-1"}, "Non-terminated Pods:");
}

INSTANTIATE_TEST_SUITE_P(OldestAndNewer, KubectlServerTest, testing::ValuesIn(TestKubectls()),
                         [](const auto& kubectl) {
                           return kubectl.param.substr(kubectl.param.rfind('-') + 1);
                         });

}  // namespace
}  // namespace muster::e2e
