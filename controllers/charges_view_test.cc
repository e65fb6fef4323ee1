// What a tenant sees who tries to be charged less, or to charge others.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/user_world.h"

namespace muster::controllers {
namespace {

using testing::UserWorld;

constexpr const char* kAdmittedQueue = "muster.dev/admitted-queue";

std::string UseOf(const UserWorld& world, const std::string& queue) {
  return world.QueueStatus(queue).usage_summary;
}

std::vector<std::string> Ignored(const UserWorld& world) {
  std::vector<std::string> out;
  std::ranges::copy_if(world.events(), std::back_inserter(out), [](const std::string& event) {
    return event.starts_with("Warning LabelIgnored");
  });
  return out;
}

TEST(ChargesView, AnEditOfAnAnnotationMovesNoChargeAndIsToldOnce) {
  UserWorld world;
  world.Node("n1", 8);
  world.Queue("small", "2");
  world.Queue("large", "8");
  world.Group("g", "small", 2);
  world.Members("g", 2, 1);
  crds::Pod single = world.NewPod("notebook", 1);
  single.meta.labels = {{"muster.dev/queue", "small"}};
  world.Put(std::move(single));
  world.Settle();
  ASSERT_EQ(UseOf(world, "small"), "3/2 nvidia.com/gpu");
  for (const char* name : {"g-1", "notebook"}) {
    for (const char* queue : {"large", "none"}) {
      crds::Pod pod = world.PodNow(name);
      pod.meta.annotations[kAdmittedQueue] = queue;
      world.Put(std::move(pod));
      world.Settle();
    }
  }
  EXPECT_EQ(UseOf(world, "small"), "3/2 nvidia.com/gpu");
  EXPECT_EQ(UseOf(world, "large"), "0/8 nvidia.com/gpu");
  const std::string text =
      " muster.dev/admitted-queue of a bound pod has no effect; it stays charged to queue small";
  EXPECT_EQ(Ignored(world), (std::vector<std::string>{"Warning LabelIgnored Pod/g-1" + text,
                                                      "Warning LabelIgnored Pod/notebook" + text}));
}

TEST(ChargesView, APodThatComesWithItsNodeChargesOnlyWhoAdmitsIt) {
  UserWorld world;
  world.Node("n1", 8);
  world.Queue("mine", "8");
  crds::Queue closed;
  closed.meta.name = "theirs";
  closed.resources.emplace_back();
  closed.resources[0].name = "nvidia.com/gpu";
  closed.resources[0].nominal_quota = "8";
  world.Put(std::move(closed));
  for (const char* queue : {"mine", "theirs"}) {
    crds::Pod pod = world.NewPod(std::string("for-") + queue, 2);
    pod.node_name = "n1";
    pod.meta.labels = {{"muster.dev/queue", queue}};
    pod.meta.annotations = {{kAdmittedQueue, "theirs"}};
    world.Put(std::move(pod));
  }
  world.Settle();
  EXPECT_EQ(UseOf(world, "mine"), "2/8 nvidia.com/gpu");
  EXPECT_EQ(UseOf(world, "theirs"), "0/8 nvidia.com/gpu");
  EXPECT_EQ(world.QueueStatus("mine").admitted_gangs, 0);
  // The node is used all the same.
  crds::Pod big = world.NewPod("big", 5);
  big.meta.labels = {{"muster.dev/queue", "mine"}};
  world.Put(std::move(big));
  world.Settle();
  EXPECT_EQ(world.NodeOf("big"), "");
}

}  // namespace
}  // namespace muster::controllers
