#include "scheduler/model/pod_list.h"

#include <set>

#include <gtest/gtest.h>

namespace muster::scheduler {
namespace {

void ExpectHolds(const PodList& list, const std::set<PodId>& pods) {
  EXPECT_TRUE(std::ranges::equal(list.pods(), pods)) << pods.size();
}

// In and out by other orders, past what the list itself holds and back.
TEST(PodList, HoldsPodsSortedWhateverTheirNumber) {
  PodList list;
  std::set<PodId> pods;
  for (std::uint32_t i = 0; i < 31; ++i) {
    const PodId pod{i * 12 % 31};
    list.Insert(pod);
    pods.insert(pod);
    ExpectHolds(list, pods);
  }
  for (std::uint32_t i = 0; i < 31; ++i) {
    const PodId pod{i * 7 % 31};
    list.Erase(pod);
    pods.erase(pod);
    ExpectHolds(list, pods);
  }
}

TEST(PodList, ACopyIsItsOwn) {
  PodList list;
  for (std::uint32_t i = 0; i < 12; ++i) list.Insert(PodId{i});
  PodList copy = list;
  copy.Erase(PodId{3});
  EXPECT_EQ(list.pods().size(), 12U);
  EXPECT_EQ(copy.pods().size(), 11U);
}

TEST(PodListDeathTest, KnowsAPodOnce) {
  PodList list;
  list.Insert(PodId{1});
  EXPECT_DEATH(list.Insert(PodId{1}), "");
  EXPECT_DEATH(list.Erase(PodId{2}), "");
}

}  // namespace
}  // namespace muster::scheduler
