#include "crds/exec_credential.h"

#include <gtest/gtest.h>

namespace muster::crds {
namespace {

TEST(ExecCredential, IsReadWithUnknownFieldsPassedOver) {
  const auto read = DecodeExecCredential(
      R"({"apiVersion":"v","kind":"k","spec":{"interactive":true},"status":{"token":"t",)"
      R"("expirationTimestamp":"1970-01-01T00:00:01.5Z","clientCertificateData":null}})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().api_version, "v");
  EXPECT_EQ(read.value().kind, "k");
  EXPECT_EQ(read.value().status->token, "t");
  EXPECT_EQ(read.value().status->certificate, "");
  EXPECT_EQ(read.value().status->expires_ms, 1'500);
  EXPECT_FALSE(DecodeExecCredential(R"({"kind":"k"})").value().status.has_value());
  EXPECT_EQ(DecodeExecCredential(R"({"status":{"token":1}})").error().message,
            "status.token: expected a string");
}

TEST(ExecCredential, APluginIsToldOfTheClusterOnlyWhatThereIs) {
  EXPECT_EQ(EncodeExecInfo("v", {}),
            R"({"kind":"ExecCredential","apiVersion":"v","spec":{"interactive":false}})");
  EXPECT_EQ(EncodeExecInfo("v", ExecCluster{.server = "https://h"}),
            R"({"kind":"ExecCredential","apiVersion":"v","spec":{"interactive":false,)"
            R"("cluster":{"server":"https://h"}}})");
}

}  // namespace
}  // namespace muster::crds
