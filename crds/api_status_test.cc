#include "crds/api_status.h"

#include <gtest/gtest.h>

namespace muster::crds {
namespace {

TEST(ApiStatus, ReadsReasonAndCauses) {
  const ApiStatus status = DecodeApiStatus(
      R"({"kind":"Status","status":"Failure","reason":"Invalid","message":"no","code":422,
          "details":{"causes":[{"reason":"FieldValueInvalid","field":"metadata.uid"}]}})");
  EXPECT_TRUE(status.json);
  EXPECT_EQ(status.reason, "Invalid");
  EXPECT_EQ(status.message, "no");
  EXPECT_TRUE(status.HasField("metadata.uid"));
  EXPECT_TRUE(status.HasCause("FieldValueInvalid"));
  EXPECT_FALSE(status.HasField("metadata.name"));
}

TEST(ApiStatus, ReadsATimeOutWithoutKind) {
  const ApiStatus status = DecodeApiStatus(
      R"({"metadata":{},"status":"Failure","message":"Timeout: request did not complete","reason":"Timeout","details":{},"code":504})");
  EXPECT_TRUE(status.json);
  EXPECT_EQ(status.reason, "Timeout");
}

TEST(ApiStatus, KnowsPlainText) {
  EXPECT_FALSE(DecodeApiStatus("404 page not found\n").json);
  EXPECT_FALSE(DecodeApiStatus("").json);
  EXPECT_FALSE(DecodeApiStatus("[]").json);
}

}  // namespace
}  // namespace muster::crds
