// A tenant who queues ten thousand gangs: each is told why it waits, and the gangs of another queue
// start beside them and run on.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/harness/client.h"
#include "e2e/suites/stand.h"

namespace muster::e2e {
namespace {

constexpr int kGangs = 10'000;
constexpr const char* kTenantApi = "/apis/muster.dev/v1alpha1/namespaces/tenant/podgroups";

Json TenantGang(const std::string& name) {
  return {{"apiVersion", "muster.dev/v1alpha1"},
          {"kind", "PodGroup"},
          {"metadata", {{"name", name}, {"namespace", "tenant"}}},
          {"spec", {{"queue", "tenant"}}}};
}

Json TenantPod(const std::string& gang) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", gang + "-0"},
            {"namespace", "tenant"},
            {"labels", {{"muster.dev/pod-group", gang}}},
            {"annotations", {{"sim.muster.dev/run-seconds", "36000"}}}}},
          {"spec",
           {{"schedulerName", "muster"},
            {"containers",
             {{{"name", "main"},
               {"image", "train:1"},
               {"resources", {{"limits", {{"nvidia.com/gpu", "8"}}}}}}}}}}};
}

class CrowdedTenantTest : public testing::Test {
 protected:
  void SetUp() override {
    auto started = Stand::Start("tenant", "e2e/suites/testdata/tenant.yaml");
    ASSERT_TRUE(started.ok()) << started.error().message;
    stand_ = std::move(started).value();
    api_ = std::make_unique<Client>(stand_->local().port);
  }
  std::string Kubectl(const std::vector<std::string>& arguments) {
    return stand_->Kubectl(TestKubectls().back(), arguments).text;
  }
  void Queue(int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string name = "gang-" + std::to_string(i);
      ASSERT_EQ(api_->Post(kTenantApi, TenantGang(name)).status, 201);
      ASSERT_EQ(api_->Post("/api/v1/namespaces/tenant/pods", TenantPod(name)).status, 201);
    }
  }
  // A gang of two in a queue that nobody else uses.
  void Starts(const std::string& name) {
    const std::string yaml =
        "apiVersion: muster.dev/v1alpha1\nkind: PodGroup\nmetadata: {name: " + name +
        "}\nspec: {queue: healthy, minMember: 2}\n";
    std::string pods;
    for (const char* member : {"-0", "-1"}) {
      pods += "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + member +
              "\n  labels: {muster.dev/pod-group: " + name +
              "}\n  annotations: {sim.muster.dev/run-seconds: '36000'}\nspec:\n  schedulerName: "
              "muster\n  containers:\n  - {name: main, image: 'train:1', resources: {limits: "
              "{nvidia.com/gpu: 1}}}\n";
    }
    (void)Kubectl({"create", "-f", stand_->Write(name + ".yaml", yaml + pods)});
    EXPECT_EQ(Kubectl({"wait", "podgroups.muster.dev/" + name, "--for=condition=Scheduled",
                       "--timeout=30s"}),
              "podgroup.muster.dev/" + name + " condition met\n");
  }
  std::string Healthy() {
    return Kubectl({"get", "pods", "-n", "default",
                    "-o=custom-columns=A:.metadata.uid,B:.spec.nodeName,C:.metadata."
                    "deletionTimestamp"});
  }

  std::unique_ptr<Stand> stand_;
  std::unique_ptr<Client> api_;
};

TEST_F(CrowdedTenantTest, WaitsInItsOwnQueueAndIsToldWhy) {
  Starts("before");
  Queue(0, kGangs / 2);
  Starts("between");
  Queue(kGangs / 2, kGangs);
  Starts("behind");
  const std::string healthy = Healthy();
  const std::string row = "8/8 nvidia.com/gpu 9999 1 True";
  EXPECT_EQ(stand_->WaitFor(
                TestKubectls().back(),
                {"get", "queues.muster.dev", "tenant",
                 "-o=jsonpath={.status.usageSummary} {.status.pendingGangs} "
                 "{.status.admittedGangs} {.status.conditions[?(@.type==\"Active\")].status}"},
                row),
            row);
  const std::string text =
      "Queue tenant: uses 8 of 8 nominal, limit 8; the gang needs 8 nvidia.com/gpu more.";
  const std::vector<std::string> last = {
      "get",       "podgroups.muster.dev",
      "-n",        "tenant",
      "gang-9999", "-o=jsonpath={.status.phase} {.status.reason}: {.status.message}"};
  EXPECT_EQ(stand_->WaitFor(TestKubectls().back(), last, text), "Queued WaitingForQuota: " + text);
  EXPECT_EQ(Healthy(), healthy);
}

}  // namespace
}  // namespace muster::e2e
