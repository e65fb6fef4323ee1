#include "controllers/entry.h"

#include <gtest/gtest.h>

#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::ProtocolRig;

TEST(Entry, ReadsTheIdOfAPlace) {
  EXPECT_EQ(JournalId("p-03/17"), 17U);
  for (const char* text : {"", "17", "p-03/", "p-03/x", "p-03/17x", "p-03/-1"}) {
    EXPECT_EQ(JournalId(text), std::nullopt) << text;
  }
}

TEST(Entry, IsTheSameOnThePageAndAsAnEvent) {
  crds::JournalEntry page = ProtocolRig::PageEntry(7, 2);
  page.sub_groups = {{"web", 1}, {"db", 0}};
  page.nodes[0].pods[0].sub_group = "web";
  const Entry entry = EntryOf({page});
  EXPECT_EQ(entry.gang, (scheduler::Key{.ns = "default", .name = "train"}));
  EXPECT_EQ(PageEntryOf(entry, {{.resource = "nvidia.com/gpu", .amount = 16'000}}, 300'000), page);
  const scheduler::EntrySeen seen = SeenOf({page});
  EXPECT_EQ(seen.gang, "g0");
  EXPECT_EQ(seen.timeout_ms, 300'000);
  ASSERT_EQ(seen.members.size(), 2U);
  EXPECT_EQ(seen.members[1].node, "n1");
  const std::vector<scheduler::SubGroup> subs = {{"web", 1}, {"db", 0}};
  EXPECT_EQ(seen.sub_groups, subs);
}

TEST(Entry, OfASinglePodIsNamedByThePod) {
  crds::JournalEntry page = ProtocolRig::PageEntry(7, 1);
  page.group_name.clear();
  page.group_uid.clear();
  const scheduler::Key key{.ns = "default", .name = "train-0", .single_pod = true};
  EXPECT_EQ(EntryOf({page}).gang, key);
  EXPECT_EQ(EntryOf({page}).gang_uid, "u0");
  EXPECT_EQ(SeenOf({page}).key, key);
  EXPECT_EQ(
      PageEntryOf(EntryOf({page}), {{.resource = "nvidia.com/gpu", .amount = 8'000}}, 300'000),
      page);
}

TEST(EntryTable, ForgetsTheStepBefore) {
  EntryTable table;
  Entry& entry = table.Add(EntryOf({ProtocolRig::PageEntry(7, 2)}));
  EXPECT_EQ(entry.open, 2U);
  const EntryTable::Ref first = table.NextTurn(entry, entry.members[1]);
  EXPECT_TRUE(table.Get(first));
  const EntryTable::Ref second = table.NextTurn(entry, entry.members[1]);
  EXPECT_FALSE(table.Get(first));
  EXPECT_TRUE(table.Get(second));
  EntryTable::SetState(entry, entry.members[1], MemberState::kBound);
  EXPECT_FALSE(table.Get(second));
  EXPECT_EQ(entry.open, 1U);
  EXPECT_EQ(table.OfPod("u1").member, &entry.members[1]);
  table.Erase(7);
  EXPECT_FALSE(table.OfPod("u1"));
  EXPECT_FALSE(table.Get(second));
}

TEST(EntryTable, APodThatTakesThePlaceOfAnotherIsFoundThere) {
  EntryTable table;
  Entry& entry = table.Add(EntryOf({ProtocolRig::PageEntry(7, 2)}));
  entry.members[1].part = 3;
  const EntryTable::Ref before = table.NextTurn(entry, entry.members[1]);
  EntryTable::SetState(entry, entry.members[0], MemberState::kLost);
  Member by;
  by.uid = "u9";
  table.Replace(entry, entry.members[1], by);
  EXPECT_FALSE(table.OfPod("u1"));
  EXPECT_FALSE(table.Get(before));
  EXPECT_EQ(table.OfPod("u9").member, &entry.members[1]);
  EXPECT_EQ(entry.members[1].part, 3);
  EXPECT_EQ(entry.open, 1U);
  by.uid = "u8";
  table.Replace(entry, entry.members[0], by);
  EXPECT_EQ(entry.open, 2U);
  table.Erase(7);
  EXPECT_FALSE(table.OfPod("u8") || table.OfPod("u9"));
}

}  // namespace
}  // namespace muster::controllers
