#include "scheduler/solve/quorum.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/testing/builders_cluster.h"

namespace muster::scheduler {
namespace {

using testing::Bound;
using testing::Gpus;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;

class Quorum : public ::testing::Test {
 protected:
  Quorum() {
    cluster_.Apply(MakeNode("n1", Gpus("8")));
    SetGang(5, {{"web", 2}, {"db", 2}});
  }
  void SetGang(std::int32_t minimum, std::vector<SubGroup> subs, std::int32_t succeeded = 0) {
    GangSeen gang = MakeGang("g", "q", minimum);
    gang.sub_groups = std::move(subs);
    gang.succeeded = succeeded;
    cluster_.Apply(gang);
    gang_ = *cluster_.FindGang(gang.key);
  }
  static PodSeen Pod(int index, const std::string& sub, int rank) {
    PodSeen pod = MakeMember("g", index, Gpus("1"));
    pod.sub_group = sub;
    pod.rank = rank;
    return pod;
  }
  void Add(int index, const std::string& sub, int rank = -1) {
    cluster_.Apply(Pod(index, sub, rank));
  }
  [[nodiscard]] std::string Minimum(Reach reach = Reach::kActive) const {
    std::string names;
    for (const PodId pod : MinimumSet(cluster_, gang_, ShortfallOf(cluster_, gang_, reach))) {
      names += (names.empty() ? "" : " ") + cluster_.pod(pod).name;
    }
    return names;
  }
  [[nodiscard]] Shortfall Short(Reach reach = Reach::kActive) const {
    return ShortfallOf(cluster_, gang_, reach);
  }

  Cluster cluster_;
  GangId gang_;
};

TEST_F(Quorum, EachSubGroupsMinimumThenTheFirstOfTheRest) {
  for (int i = 0; i < 6; ++i) Add(i, "web");
  EXPECT_EQ(Minimum(), "");  // However many of one: there is none of the other.
  Add(6, "db");
  EXPECT_EQ(Minimum(), "");
  Add(7, "db");
  EXPECT_EQ(Minimum(), "g-0 g-1 g-2 g-6 g-7");
  Add(8, "", 0);  // The lowest rank is the first of the rest, whatever it is.
  EXPECT_EQ(Minimum(), "g-8 g-0 g-1 g-6 g-7");
}

TEST_F(Quorum, EqualRanksGoByTheDeclaredOrderOfTheSubGroups) {
  SetGang(5, {{"db", 1}, {"web", 1}});
  Add(0, "other", 0);
  Add(1, "web", 0);
  Add(2, "db", 0);
  Add(3, "web", 1);
  Add(4, "db", 1);
  EXPECT_EQ(Minimum(), "g-2 g-1 g-0 g-4 g-3");
}

TEST_F(Quorum, WhatIsMissingIsCountedByRecordAndSubGroup) {
  EXPECT_EQ(Short().total, 5);
  EXPECT_EQ(Short().of, (std::vector<std::int32_t>{2, 2}));
  // Three of web fill the place of none of db.
  for (int i = 0; i < 3; ++i) cluster_.Apply(Bound(Pod(i, "web", i), "n1", "q"));
  EXPECT_EQ(Short().total, 2);
  EXPECT_EQ(Short().of, (std::vector<std::int32_t>{0, 2}));
  for (int i = 3; i < 5; ++i) cluster_.Apply(Bound(Pod(i, "web", i), "n1", "q"));
  EXPECT_EQ(Short().total, 2);
  EXPECT_FALSE(IsWhole(cluster_, gang_));
  // Members that wait exist; those that are on their way out, or failed, do not.
  Add(5, "db");
  EXPECT_EQ(Short(Reach::kExisting).of, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(Short(Reach::kPromised).of, (std::vector<std::int32_t>{0, 2}));
  PodSeen ended = Bound(Pod(5, "db", 5), "n1", "q");
  cluster_.Apply(testing::Ended(ended, PodState::kSucceeded));
  cluster_.Apply(Bound(Pod(6, "db", 6), "n1", "q"));
  EXPECT_TRUE(IsWhole(cluster_, gang_));
  PodSeen dying = Bound(Pod(6, "db", 6), "n1", "q");
  dying.terminating = true;
  cluster_.Apply(dying);
  EXPECT_EQ(Short().of, (std::vector<std::int32_t>{0, 1}));
  const auto counts = CountsBySubGroup(cluster_, gang_);
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].bound, 5);
  EXPECT_EQ(counts[1].succeeded, 1);
  EXPECT_EQ(counts[1].terminating, 1);
  EXPECT_EQ(counts[1].total, 1);
  EXPECT_EQ(counts[2].total, 0);
}

TEST_F(Quorum, WhoSucceededAndWasCleanedUpFillsWhatIsShort) {
  SetGang(4, {{"web", 2}, {"db", 2}}, 3);
  EXPECT_EQ(Short().total, 1);
  EXPECT_EQ(Short().of, (std::vector<std::int32_t>{0, 1}));
  // One of them can be seen: it is not counted twice.
  cluster_.Apply(testing::Ended(Bound(Pod(0, "db", 0), "n1", "q"), PodState::kSucceeded));
  EXPECT_EQ(Short().total, 1);
  EXPECT_EQ(Short().of, (std::vector<std::int32_t>{0, 1}));
}

TEST_F(Quorum, AGangWithoutSubGroupsCountsAll) {
  SetGang(3, {});
  Add(0, "web", 0);
  Add(1, "", 1);
  EXPECT_EQ(Short().total, 3);
  EXPECT_TRUE(Short().of.empty());
  EXPECT_EQ(Minimum(), "");
  Add(2, "db", 2);
  EXPECT_EQ(Minimum(), "g-0 g-1 g-2");
}

PodSeen Done(PodSeen pod) {
  pod = Bound(std::move(pod), "n1", "q");
  pod.state = PodState::kSucceeded;
  return pod;
}

TEST_F(Quorum, AMemberThatHasSucceededCountsWhenItIsGone) {
  SetGang(3, {});
  cluster_.Apply(Synced{});
  for (int i = 0; i < 2; ++i) {
    cluster_.Apply(Done(Pod(i, "", i)));
    cluster_.Apply(PodGone{"uid-g-" + std::to_string(i)});
    EXPECT_EQ(Succeeded(cluster_, gang_), i + 1);
  }
  cluster_.Apply(Done(Pod(2, "", 2)));
  EXPECT_EQ(Succeeded(cluster_, gang_), 3);
  EXPECT_EQ(cluster_.Audit(), "");
  const auto copy = Cluster::FromSnapshot(cluster_.Snapshot());
  EXPECT_EQ(Succeeded(copy.value(), *copy.value().FindGang(cluster_.gang(gang_).key)), 3);
  GangSeen again = MakeGang("g", "q", 3);
  again.uid = "uid-group-g-again";
  cluster_.Apply(again);
  EXPECT_EQ(Succeeded(cluster_, gang_), 0) << "Of another PodGroup.";
}

TEST_F(Quorum, WhoFailedOrWasLostDoesNot) {
  SetGang(3, {});
  PodSeen failed = Done(Pod(0, "", 0));
  failed.state = PodState::kFailed;
  cluster_.Apply(failed);
  cluster_.Apply(Bound(Pod(1, "", 1), "n1", "q"));
  for (const char* pod : {"uid-g-0", "uid-g-1"}) cluster_.Apply(PodGone{pod});
  EXPECT_EQ(Succeeded(cluster_, gang_), 0);
}

// By its rank, or by its name if it has none.
TEST_F(Quorum, ASuccessorDoesTheWorkOnceMore) {
  SetGang(3, {});
  for (const int rank : {4, -1}) {
    const int first = rank < 0 ? 2 : 0;
    cluster_.Apply(Done(Pod(first, "", rank)));
    cluster_.Apply(PodGone{"uid-g-" + std::to_string(first)});
    ASSERT_EQ(Succeeded(cluster_, gang_), 1);
    PodSeen other = Pod(first + 1, "", rank < 0 ? rank : rank + 1);
    cluster_.Apply(other);
    EXPECT_EQ(Succeeded(cluster_, gang_), 1) << rank;
    PodSeen successor = Pod(rank < 0 ? first : first + 7, "", rank);
    successor.uid = "uid-again-" + std::to_string(rank);
    cluster_.Apply(successor);
    EXPECT_EQ(Succeeded(cluster_, gang_), 0) << rank;
  }
}

// The status counts two, of which one is still there.
TEST_F(Quorum, WhatAStatusCountsAndNobodySeesComesOnTop) {
  SetGang(5, {}, 2);
  cluster_.Apply(Done(Pod(0, "", 0)));
  EXPECT_EQ(Succeeded(cluster_, gang_), 2);
  cluster_.Apply(Synced{});
  EXPECT_EQ(Succeeded(cluster_, gang_), 2);
  cluster_.Apply(Done(Pod(1, "", 1)));
  EXPECT_EQ(Succeeded(cluster_, gang_), 3);
  SetGang(5, {}, 3);  // As it is written then.
  cluster_.Apply(PodGone{"uid-g-0"});
  EXPECT_EQ(Succeeded(cluster_, gang_), 3);
}

}  // namespace
}  // namespace muster::scheduler
