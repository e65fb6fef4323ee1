#include "scheduler/model/transaction.h"

#include <gtest/gtest.h>

#include "scheduler/testing/builders_cluster.h"

namespace muster::scheduler {
namespace {

using testing::ApplyAll;
using testing::Gpus;
using testing::kGpu;
using testing::MakeForeign;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;

class TransactionTest : public ::testing::Test {
 protected:
  TransactionTest() {
    ApplyAll(cluster_, MakeNode("n1", Gpus("8")), MakeNode("n2", Gpus("8")),
             MakeQueue("q", Gpus("16")), MakeGang("g", "q", 3), MakeForeign("f", "n1", Gpus("2")));
    for (int i = 0; i < 3; ++i) {
      cluster_.Apply(MakeMember("g", i, Gpus("2")));
      pods_.push_back(*cluster_.FindPod("uid-g-" + std::to_string(i)));
    }
    cluster_.ClearTouched();
  }
  [[nodiscard]] std::int64_t Used(std::string_view node) const {
    return cluster_.used(*cluster_.FindNode(node))[cluster_.resources().Find(kGpu)->value];
  }
  [[nodiscard]] NodeId At(std::string_view node) const { return *cluster_.FindNode(node); }
  [[nodiscard]] Transaction::Entry EntryOf(std::vector<PodId> pods) const {
    return {.gang = *cluster_.FindGang({.ns = "default", .name = "g"}),
            .pods = std::move(pods),
            .charges = {}};
  }

  Cluster cluster_;
  std::vector<PodId> pods_;
};

TEST_F(TransactionTest, NestsByMarks) {
  const std::string before = cluster_.Snapshot();
  {
    Transaction t(cluster_);
    t.Place(std::span(pods_).first(2), At("n1"));
    const std::string two = cluster_.Snapshot();
    const std::size_t mark = t.mark();
    t.Place(std::span(pods_).last(1), At("n2"));
    t.Set({Column::kPodPick, pods_[2].value}, 5);
    EXPECT_EQ(Used("n1"), 6000);
    EXPECT_EQ(Used("n2"), 2000);
    t.RollbackTo(mark);
    EXPECT_EQ(cluster_.Snapshot(), two);
  }
  EXPECT_EQ(cluster_.Snapshot(), before);
}

TEST_F(TransactionTest, ItAndItsUndoStandOnTheChangeLogAndTouchNothing) {
  const std::uint64_t start = cluster_.columns().change_seq();
  {
    Transaction t(cluster_);
    t.Place(std::span(pods_).first(1), At("n2"));
    const auto placed = cluster_.columns().ChangedSince(start);
    ASSERT_TRUE(placed && !placed->empty());
    EXPECT_EQ(placed->back(), (Columns::Change{.node = At("n2")}));
  }
  const std::uint64_t half = start + (cluster_.columns().change_seq() - start) / 2;
  EXPECT_FALSE(cluster_.columns().ChangedSince(half)->empty()) << "The undo is a change too.";
  EXPECT_TRUE(cluster_.touched().empty());
}

TEST_F(TransactionTest, WhatIfAPodWereGone) {
  const std::string before = cluster_.Snapshot();
  Transaction t(cluster_);
  t.Remove(*cluster_.FindPod("uid-f"));
  EXPECT_EQ(Used("n1"), 0);
  t.Place(pods_, At("n1"));
  t.Remove(pods_[0]);
  EXPECT_EQ(Used("n1"), 4000);
  EXPECT_EQ(cluster_.counts(*cluster_.FindGang({.ns = "default", .name = "g"})).total, 2);
  t.RollbackTo(0);
  EXPECT_EQ(cluster_.Snapshot(), before);
}

TEST_F(TransactionTest, APickEndsWithThePlace) {
  {
    Transaction t(cluster_);
    t.Place(std::span(pods_).first(1), At("n1"));
    t.Set({Column::kPodPick, pods_[0].value}, 5);
    t.Commit(EntryOf({pods_[0]}));
  }
  const Cell cell{Column::kPodPick, pods_[0].value};
  EXPECT_EQ(cluster_.columns().Get(cell), 5);
  cluster_.Apply(BindAnswered{"uid-g-0", "n1", Answer::kRefused});
  EXPECT_EQ(cluster_.columns().Get(cell), 0);
}

using TransactionDeathTest = TransactionTest;

TEST_F(TransactionDeathTest, ItsMisuseStopsTheProcess) {
  EXPECT_DEATH(
      {
        const Transaction first(cluster_);
        const Transaction second(cluster_);
      },
      "CHECK failed");
  EXPECT_DEATH(
      {
        const Transaction t(cluster_);
        cluster_.Apply(NodeGone{"n1"});
      },
      "CHECK failed");
  EXPECT_DEATH(
      {
        Transaction t(cluster_);
        t.Place(std::span(pods_).first(1), At("n1"));
        t.Place(std::span(pods_).first(1), At("n2"));
      },
      "CHECK failed");
  EXPECT_DEATH(
      {
        Transaction t(cluster_);
        t.Remove(*cluster_.FindPod("uid-f"));
        t.Place(pods_, At("n1"));
        t.Commit(EntryOf(pods_));
      },
      "CHECK failed")
      << "A removal is a what-if.";
  EXPECT_DEATH(
      {
        Transaction t(cluster_);
        t.Place(pods_, At("n1"));
        t.Commit(EntryOf({pods_[0]}));
      },
      "CHECK failed")
      << "A pod placed and in no entry.";
  EXPECT_DEATH(
      {
        Transaction t(cluster_);
        t.Set({Column::kNodeUsed, 0}, 1);
      },
      "CHECK failed");
}

}  // namespace
}  // namespace muster::scheduler
