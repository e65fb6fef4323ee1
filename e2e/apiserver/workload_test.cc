// Jobs and ReplicaSets as the API server takes, shows and deletes them.
#include <string>

#include <gtest/gtest.h>

#include "e2e/apiserver/label_selectors.h"
#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

const std::string kJobs = "/apis/batch/v1/namespaces/default/jobs";
const std::string kSets = "/apis/apps/v1/namespaces/default/replicasets";

Json Template(const Json& labels, const char* restart_policy) {
  Json spec = PodBody("p")["spec"];
  if (restart_policy != nullptr) spec["restartPolicy"] = restart_policy;
  return {{"metadata", {{"labels", labels}}}, {"spec", std::move(spec)}};
}
Json JobBody(const std::string& name, Json spec = Json::object()) {
  SetDefault(spec, "template", Template({{"muster.dev/pod-group", name}}, "Never"));
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}}},
          {"spec", std::move(spec)}};
}
Json SetBody(const std::string& name, Json spec = Json::object()) {
  SetDefault(spec, "selector", {{"matchLabels", {{"app", name}}}});
  SetDefault(spec, "template", Template({{"app", name}}, nullptr));
  return {{"apiVersion", "apps/v1"},
          {"kind", "ReplicaSet"},
          {"metadata", {{"name", name}}},
          {"spec", std::move(spec)}};
}

TEST(NewJob, GetsDefaultsSelectorAndLabels) {
  TestClient client;
  const Reply made = client.Post(kJobs, JobBody("train"));
  ASSERT_EQ(made.code, 201) << made.text;
  const Json& spec = made.body["spec"];
  EXPECT_EQ(spec["completions"], 1);
  EXPECT_EQ(spec["parallelism"], 1);
  EXPECT_EQ(spec["backoffLimit"], 6);
  EXPECT_EQ(spec["completionMode"], "NonIndexed");
  EXPECT_EQ(spec["suspend"], false);
  EXPECT_EQ(spec["podReplacementPolicy"], "TerminatingOrFailed");
  EXPECT_EQ(spec["template"]["spec"]["dnsPolicy"], "ClusterFirst");
  EXPECT_EQ(made.body["metadata"]["generation"], 1);
  const Json uid = made.body["metadata"]["uid"];
  const Json labels = {{"batch.kubernetes.io/controller-uid", uid},
                       {"batch.kubernetes.io/job-name", "train"},
                       {"controller-uid", uid},
                       {"job-name", "train"},
                       {"muster.dev/pod-group", "train"}};
  EXPECT_EQ(spec["template"]["metadata"]["labels"], labels);
  EXPECT_EQ(made.body["metadata"]["labels"], labels);
  EXPECT_EQ(spec["selector"],
            Json({{"matchLabels", {{"batch.kubernetes.io/controller-uid", uid}}}}));
}

TEST(NewJob, KeepsParallelismAndItsOwnLabels) {
  TestClient client;
  Json body = JobBody("queue", {{"parallelism", 3}});
  body["metadata"]["labels"] = {{"team", "a"}};
  const Json made = client.Post(kJobs, body).body;
  EXPECT_FALSE(made["spec"].contains("completions"));
  EXPECT_EQ(made["metadata"]["labels"], Json({{"team", "a"}}));
}

TEST(NewJob, IsRefusedWithTheServersWords) {
  const auto refusal = [](const Json& body) {
    TestClient client;
    const Reply reply = client.Post(kJobs, body);
    EXPECT_GE(reply.code, 400);
    return reply.message();
  };
  const std::string invalid = "Job.batch \"train\" is invalid: ";
  EXPECT_EQ(refusal(JobBody("train", {{"template", Template({}, nullptr)}})),
            invalid +
                "spec.template.spec.restartPolicy: Required value: valid values: "
                "\"OnFailure\", \"Never\"");
  EXPECT_EQ(refusal(JobBody("train", {{"completionMode", "Indexed"}, {"parallelism", 2}})),
            invalid + "spec.completions: Required value: when completion mode is Indexed");
  EXPECT_EQ(refusal(JobBody("train", {{"parallelism", -1}})),
            invalid + "spec.parallelism: Invalid value: -1: must be greater than or equal to 0");
  EXPECT_EQ(refusal(JobBody("train", {{"completionMode", "Sorted"}})),
            invalid +
                "spec.completionMode: Unsupported value: \"Sorted\": supported values: "
                "\"Indexed\", \"NonIndexed\"");
  Json empty = JobBody("train");
  empty["spec"]["template"]["spec"]["containers"] = Json::array();
  EXPECT_EQ(refusal(empty), invalid + "spec.template.spec.containers: Required value");
  Json forged = JobBody("train");
  forged["spec"]["template"]["metadata"]["labels"]["controller-uid"] = "mine";
  EXPECT_NE(refusal(forged).find("spec.template.metadata.labels: Invalid value"),
            std::string::npos);
  EXPECT_NE(refusal(JobBody("a.b", {{"completionMode", "Indexed"}, {"completions", 2}}))
                .find("will not able to create pod with invalid DNS label: a.b-1"),
            std::string::npos);
  // Labels that no pod could carry.
  Json number = JobBody("train");
  number["spec"]["template"]["metadata"]["labels"]["rank"] = 1;
  EXPECT_NE(refusal(number).find("cannot unmarshal"), std::string::npos);
}

TEST(ChangedJob, KeepsWhatItsPodsWereMadeBy) {
  TestClient client;
  const std::string path = kJobs + "/train";
  ASSERT_EQ(client
                .Post(kJobs, JobBody("train", {{"completionMode", "Indexed"},
                                               {"completions", 2},
                                               {"parallelism", 2}}))
                .code,
            201);
  const auto patch = [&](const Json& spec) {
    return client.Patch("strategic-merge", path, {{"spec", spec}});
  };
  EXPECT_EQ(patch({{"suspend", true}}).body["metadata"]["generation"], 2);
  EXPECT_EQ(patch({{"parallelism", 1}}).code, 200);
  EXPECT_NE(patch({{"template", {{"spec", {{"hostname", "h"}}}}}})
                .message()
                .find("spec.template: Invalid value"),
            std::string::npos);
  EXPECT_NE(patch({{"completions", 4}}).message().find("in tandem with spec.parallelism"),
            std::string::npos);
  EXPECT_EQ(patch({{"completions", 4}, {"parallelism", 4}}).code, 200);
  // The status has an endpoint of its own.
  EXPECT_EQ(client.Patch("merge", path, {{"status", {{"active", 7}}}}).body["status"],
            Json::object());
  EXPECT_EQ(client.Patch("merge", path + "/status", {{"status", {{"active", 7}}}})
                .body["status"]["active"],
            7);
}

TEST(JobTable, HasTheColumnsOfKubectl) {
  TestClient client;
  ASSERT_EQ(client.Post(kJobs, JobBody("train", {{"completions", 4}, {"parallelism", 4}})).code,
            201);
  const auto cells = [&] { return client.Table(kJobs).body["rows"][0]["cells"]; };
  const Json names = client.Table(kJobs).body["columnDefinitions"];
  EXPECT_EQ(names[1]["name"], "Status");
  EXPECT_EQ(names[3]["name"], "Duration");
  client.now_ms += 5'000;
  const std::string uid = client.Get(kJobs + "/train").body["metadata"]["uid"].get<std::string>();
  EXPECT_EQ(cells(), Json({"train", "Running", "0/4", "", "5s", "main", "train:1",
                           "batch.kubernetes.io/controller-uid=" + uid}));
  const auto status = [&](const Json& value) {
    ASSERT_EQ(client.Patch("merge", kJobs + "/train/status", {{"status", value}}).code, 200);
  };
  const auto condition = [](const char* type) {
    return Json::array({{{"type", type}, {"status", "True"}}});
  };
  status({{"startTime", "2026-09-21T14:13:20Z"}, {"succeeded", 3}});
  EXPECT_EQ(cells()[2], "3/4");
  EXPECT_EQ(cells()[3], "5s");
  status({{"conditions", condition("SuccessCriteriaMet")}});
  EXPECT_EQ(cells()[1], "SuccessCriteriaMet");
  status({{"conditions", condition("Suspended")}});
  EXPECT_EQ(cells()[1], "Suspended");
  status({{"conditions", condition("Failed")}});
  EXPECT_EQ(cells()[1], "Failed");
  status({{"conditions", condition("Complete")}, {"completionTime", "2026-09-21T14:13:23Z"}});
  client.now_ms += 60'000;
  EXPECT_EQ(cells()[1], "Complete");
  EXPECT_EQ(cells()[3], "3s");
}

TEST(JobTable, CountsAWorkQueueByItsOneSuccess) {
  TestClient client;
  ASSERT_EQ(client.Post(kJobs, JobBody("q", {{"parallelism", 3}})).code, 201);
  EXPECT_EQ(client.Table(kJobs).body["rows"][0]["cells"][2], "0/1 of 3");
}

TEST(NewReplicaSet, GetsDefaultsAndIsChecked) {
  TestClient client;
  const Reply made = client.Post(kSets, SetBody("web"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body["spec"]["replicas"], 1);
  EXPECT_EQ(made.body["status"]["replicas"], 0);
  EXPECT_EQ(made.body["spec"]["template"]["spec"]["restartPolicy"], "Always");
  const auto refusal = [&](const Json& spec) {
    return client.Post(kSets, SetBody("bad", spec)).message();
  };
  const std::string invalid = "ReplicaSet.apps \"bad\" is invalid: ";
  EXPECT_EQ(refusal({{"selector", {{"matchLabels", {{"app", "x"}}}}}}),
            invalid +
                "spec.template.metadata.labels: Invalid value: {\"app\":\"bad\"}: "
                "`selector` does not match template `labels`");
  EXPECT_EQ(refusal({{"selector", Json::object()}}),
            invalid + "spec.selector: Invalid value: {}: empty selector is invalid for deployment");
  EXPECT_EQ(refusal({{"replicas", -1}}),
            invalid + "spec.replicas: Invalid value: -1: must be greater than or equal to 0");
  EXPECT_EQ(refusal({{"template", Template({{"app", "bad"}}, "Never")}}),
            invalid +
                "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported "
                "values: \"Always\"");
  EXPECT_NE(client
                .Patch("merge", kSets + "/web",
                       {{"spec", {{"selector", {{"matchLabels", {{"more", "x"}}}}}}}})
                .code,
            200);
  EXPECT_EQ(client.Patch("merge", kSets + "/web", {{"spec", {{"replicas", 5}}}}).code, 200);
  EXPECT_EQ(client.Table(kSets).body["rows"][0]["cells"],
            Json({"web", 5, 0, 0, "0s", "main", "train:1", "app=web"}));
}

TEST(Propagation, LeavesTheWorkToTheCollector) {
  TestClient client;
  const std::string path = kJobs + "/train";
  const auto make = [&] { ASSERT_EQ(client.Post(kJobs, JobBody("train")).code, 201); };
  const auto finalizers = [&] {
    return client.Get(path).body["metadata"].value("finalizers", Json());
  };
  make();
  EXPECT_EQ(client.Delete(path, {{"propagationPolicy", "Background"}}).code, 200);
  EXPECT_EQ(client.Get(path).code, 404);
  make();
  EXPECT_EQ(client.Delete(path, {{"propagationPolicy", "Foreground"}}).code, 200);
  EXPECT_EQ(finalizers(), Json::array({"foregroundDeletion"}));
  EXPECT_TRUE(client.Get(path).body["metadata"].contains("deletionTimestamp"));
  // Said otherwise later, and done by the collector.
  EXPECT_EQ(client.Delete(path + "?propagationPolicy=Background").code, 200);
  EXPECT_EQ(client.Get(path).code, 404);
  make();
  // What batch/v1 does when nothing is said.
  const Reply kept = client.Delete(path);
  EXPECT_EQ(finalizers(), Json::array({"orphan"}));
  ASSERT_EQ(kept.headers.size(), 1U);
  EXPECT_NE(kept.headers[0].second.find("child pods are preserved"), std::string::npos);
  EXPECT_EQ(client.Patch("merge", path, {{"metadata", {{"finalizers", nullptr}}}}).code, 200);
  EXPECT_EQ(client.Get(path).code, 404);
  EXPECT_EQ(client.Delete(kSets + "/none", {{"propagationPolicy", "Slowly"}}).code, 422);
}

TEST(Selectors, OfLabels) {
  const Json labels = {{"a", "1"}, {"b", "2"}};
  const auto term = [](const char* key, const char* op, const Json& values) {
    return Json{
        {"matchExpressions", Json::array({{{"key", key}, {"operator", op}, {"values", values}}})}};
  };
  EXPECT_TRUE(SelectsLabels({{"matchLabels", {{"a", "1"}}}}, &labels));
  EXPECT_FALSE(SelectsLabels({{"matchLabels", {{"a", "2"}}}}, &labels));
  EXPECT_FALSE(SelectsLabels({{"matchLabels", {{"a", "1"}}}}, nullptr));
  EXPECT_TRUE(SelectsLabels(term("a", "In", {"1", "3"}), &labels));
  EXPECT_FALSE(SelectsLabels(term("a", "NotIn", {"1", "3"}), &labels));
  EXPECT_TRUE(SelectsLabels(term("c", "NotIn", {"1"}), &labels));
  EXPECT_TRUE(SelectsLabels(term("c", "DoesNotExist", Json::array()), &labels));
  EXPECT_FALSE(SelectsLabels(term("c", "Exists", Json::array()), &labels));
  EXPECT_FALSE(SelectsLabels(term("a", "Near", {"1"}), &labels));
  Json both = term("tier", "In", {"y", "x"});
  both["matchLabels"] = {{"app", "web"}};
  EXPECT_EQ(LabelSelectorText(&both), "app=web,tier in (x,y)");
  EXPECT_EQ(LabelSelectorText(nullptr), "<none>");
}

TEST(Discovery, ListsTheWorkloads) {
  TestClient client;
  EXPECT_NE(client.Get("/apis/batch/v1").text.find("\"jobs/status\""), std::string::npos);
  EXPECT_NE(client.Get("/apis/apps/v1").text.find("\"shortNames\":[\"rs\"]"), std::string::npos);
  EXPECT_NE(client.Get("/openapi/v3").text.find("apis/batch/v1"), std::string::npos);
}

}  // namespace
}  // namespace muster::e2e
