#include "operator/manager_options.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

TEST(ManagerOptions, AreWhatTheProcessWasTold) {
  CliOptions told;
  told.scheduler_name = "other";
  told.ns = "team";
  told.election.name = "lease";
  told.election.lease_ms = 20'000;
  told.client.bind_connections = 3;
  told.journal_pages = 5;
  told.pod_grace_ms = 7;
  told.autoscale_surplus = true;
  told.levels = {{"row", "example.com/row"}};
  told.plugins.back().weight = 9;
  told.queue = {.backoff = {.first_ms = 5, .max_ms = 6}, .unschedulable_flush_ms = 8};
  const controllers::ManagerOptions options = ManagerOptionsOf(told, "me");
  EXPECT_EQ(options.scheduler_name, "other");
  EXPECT_EQ(options.ns, "team");
  EXPECT_EQ(options.holder, "me");
  ASSERT_TRUE(options.election.has_value());
  EXPECT_EQ(options.election->identity, "me");
  EXPECT_EQ(options.election->name, "lease");
  EXPECT_EQ(options.election->lease_ms, 20'000);
  EXPECT_EQ(options.bind_in_flight, 6);
  EXPECT_EQ(options.pages, 5);
  EXPECT_EQ(options.pod_grace_ms, 7);
  EXPECT_EQ(options.policy.times(), told.queue);
  EXPECT_TRUE(options.policy.autoscale_surplus());
  EXPECT_EQ(options.policy.levels(), told.levels);
  EXPECT_TRUE(std::ranges::equal(options.policy.uses(), told.plugins));
  told.leader_elect = false;
  EXPECT_FALSE(ManagerOptionsOf(told, "me").election.has_value());
}

}  // namespace
}  // namespace muster::app
