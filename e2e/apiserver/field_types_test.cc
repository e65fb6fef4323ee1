// Values of the wrong type, against k8s.io/apimachinery's decoding into Go structs.
#include "e2e/apiserver/field_types.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "crds/decode.h"
#include "e2e/apiserver/builtin_fields.h"
#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

Reply PostWith(const std::string& place, const Json& value) {
  TestClient client;
  Json pod = PodBody("p0");
  pod[Json::json_pointer(place)] = value;
  return client.Post(kPods, pod);
}

TEST(FieldTypes, OfAPodAreInsistedOn) {
  const Reply reply = PostWith("/spec/schedulerName", 7);
  EXPECT_EQ(reply.code, 400);
  EXPECT_EQ(reply.message(),
            "Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal number into "
            "Go struct field Pod.spec.schedulerName of type string");
  const struct {
    const char* place;
    Json wrong, right;
  } cases[] = {
      {"/spec/priority", 4294967296, 0},
      {"/spec/terminationGracePeriodSeconds", 9223372036854775808U, 7},
      {"/spec/hostNetwork", "yes", true},
      {"/spec/nodeSelector", {{"a", 1}}, {{"a", "1"}}},
      {"/spec/containers/0/resources", {{"limits", {{"cpu", true}}}}, {{"limits", {{"cpu", 1.5}}}}},
      {"/spec/tolerations", Json::array({{{"key", nullptr}, {"effect", 7}}}),
       Json::array({{{"key", nullptr}}})},
      {"/spec/containers/0/command", Json::array({1}), Json::array({"a"})},
      {"/metadata/ownerReferences", Json::array({"x"}), Json::array()},
      {"/metadata/generation", "one", 1},
      {"/metadata/creationTimestamp", "yesterday", "2026-09-01T00:00:00Z"}};
  for (const auto& c : cases) {
    EXPECT_EQ(PostWith(c.place, c.wrong).code, 400) << c.place;
    EXPECT_EQ(PostWith(c.place, c.right).code, 201) << c.place;
    EXPECT_EQ(PostWith(c.place, nullptr).code, 201) << c.place;
  }
}

TEST(FieldTypes, NullIsTheZeroWhereNothingCanBeLeftOut) {
  TestClient client;
  Json pod = PodBody("p0");
  Json& spec = pod["spec"];
  spec["tolerations"] = {nullptr};
  spec["nodeSelector"] = {{"a", nullptr}};
  spec["overhead"] = {{"cpu", nullptr}};
  spec["containers"][0]["command"] = {nullptr};
  ASSERT_EQ(client.Post(kPods, pod).code, 201);
  const Json stored = client.Get(kPod).body["spec"];
  EXPECT_EQ(stored["tolerations"][0], Json::object());
  EXPECT_EQ(stored["nodeSelector"], Json({{"a", ""}}));
  EXPECT_EQ(stored["overhead"], Json({{"cpu", "0"}}));
  EXPECT_EQ(stored["containers"][0]["command"], Json::array({""}));
  EXPECT_EQ(PostWith("/spec/containers", Json::array({nullptr})).code, 422);
}

TEST(FieldTypes, OfAPatchedObjectAreInsistedOn) {
  TestClient client;
  ASSERT_EQ(client.Post(kPods, PodBody("p0")).code, 201);
  EXPECT_EQ(client.Patch("merge", kPod, {{"metadata", {{"name", 7}}}}).code, 400);
  EXPECT_EQ(client.Patch("merge", std::string(kPod) + "/status", {{"status", {{"phase", 1}}}}).code,
            400);
}

bool IsTyped(const Json& schema, const std::string& path) {
  const Json* at = &schema;
  for (const std::string& dotted : SplitDots(path)) {
    const std::string name = dotted.substr(0, dotted.find('['));
    const Json* items = Find(*at, {"items"});
    at = Find(items != nullptr ? *items : *at, {"properties", name});
    if (at == nullptr) return false;
  }
  return true;
}

// What Muster reads of them no client can spoil.
TEST(FieldTypes, AreKnownOfEveryFieldThatMusterReads) {
  const auto check = [](Builtin kind, const std::vector<std::string>& paths) {
    const std::string meta = "metadata.";
    for (const std::string& path : paths) {
      if (path == "metadata") continue;
      EXPECT_TRUE(path.starts_with(meta) ? IsTyped(MetaSchema(), path.substr(meta.size()))
                                         : IsTyped(BuiltinSchema(kind), path))
          << path;
    }
  };
  check(Builtin::kPod, crds::PodPaths());
  check(Builtin::kNode, crds::NodePaths());
}

}  // namespace
}  // namespace muster::e2e
