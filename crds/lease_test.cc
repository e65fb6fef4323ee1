#include "crds/lease.h"

#include <string>

#include <gtest/gtest.h>

namespace muster::crds {
namespace {

constexpr const char* kStored = R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
  "metadata":{"name":"muster","namespace":"muster-system","uid":"u-1","resourceVersion":"17",
              "labels":{"team":"infra"}},
  "spec":{"holderIdentity":"a","leaseDurationSeconds":15,"strategy":"OldestEmulationVersion",
          "acquireTime":"2026-09-01T00:00:00.000000Z","renewTime":"2026-09-01T00:00:02.250000Z",
          "leaseTransitions":3}})";

TEST(Lease, IsReadAsItWasWritten) {
  const auto lease = DecodeLease(kStored);
  ASSERT_TRUE(lease.ok()) << lease.error().message;
  EXPECT_EQ(lease.value().meta.resource_version, "17");
  EXPECT_EQ(lease.value().holder, "a");
  EXPECT_EQ(lease.value().duration_seconds, 15);
  EXPECT_EQ(lease.value().acquire_time, "2026-09-01T00:00:00.000000Z");
  EXPECT_EQ(lease.value().renew_time, "2026-09-01T00:00:02.250000Z");
  EXPECT_EQ(lease.value().transitions, 3);
}

// Of others: labels, and fields that a later version gave the Lease.
TEST(Lease, KeepsWhatItDoesNotKnow) {
  auto lease = DecodeLease(kStored);
  ASSERT_TRUE(lease.ok());
  lease.value().holder = "b";
  lease.value().transitions = 4;
  const std::string text = EncodeLease(lease.value());
  for (const char* part :
       {R"("labels":{"team":"infra"})", R"("resourceVersion":"17")", R"("uid":"u-1")",
        R"("strategy":"OldestEmulationVersion")", R"("holderIdentity":"b")",
        R"("leaseTransitions":4)", R"("renewTime":"2026-09-01T00:00:02.250000Z")"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Lease, ThatDoesNotExistIsMadeWhole) {
  Lease lease;
  lease.meta.name = "muster";
  lease.meta.ns = "muster-system";
  lease.holder = "a";
  lease.duration_seconds = 15;
  lease.acquire_time = lease.renew_time = "2026-09-01T00:00:00.000000Z";
  EXPECT_EQ(EncodeLease(lease),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
            R"("metadata":{"name":"muster","namespace":"muster-system"},)"
            R"("spec":{"holderIdentity":"a","leaseDurationSeconds":15,)"
            R"("acquireTime":"2026-09-01T00:00:00.000000Z",)"
            R"("renewTime":"2026-09-01T00:00:00.000000Z","leaseTransitions":0}})");
}

// The manifest's: no holder yet. kubectl leaves an empty spec away.
TEST(Lease, MayHaveNoSpec) {
  const auto lease =
      DecodeLease(R"({"metadata":{"name":"muster","namespace":"n","resourceVersion":"1"}})");
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(lease.value().holder, "");
  EXPECT_EQ(lease.value().duration_seconds, 0);
  EXPECT_NE(EncodeLease(lease.value()).find(R"("resourceVersion":"1")"), std::string::npos);
}

TEST(Lease, NamesTheFieldThatDoesNotDecode) {
  const auto lease = DecodeLease(R"({"metadata":{},"spec":{"leaseTransitions":"x"}})");
  ASSERT_FALSE(lease.ok());
  EXPECT_EQ(lease.error().message, "spec.leaseTransitions: expected an integer");
}

}  // namespace
}  // namespace muster::crds
