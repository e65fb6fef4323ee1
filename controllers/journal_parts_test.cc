// Entries on the pages: cut into parts, and read together at the start.
#include "controllers/journal_parts.h"

#include <set>

#include <gtest/gtest.h>

#include "controllers/journal_page.h"
#include "controllers/testing/protocol_rig.h"

namespace muster::controllers {
namespace {

using testing::ProtocolRig;

crds::JournalEntry Part(std::uint64_t id, std::int32_t part, std::int32_t parts,
                        const std::string& pod) {
  crds::JournalEntry entry = ProtocolRig::PageEntry(id, 1);
  entry.part = part;
  entry.parts = parts;
  entry.nodes[0].pods[0].name = pod;
  entry.nodes[0].pods[0].uid = "uid-" + pod;
  return entry;
}

crds::JournalEntry GivenUp(crds::JournalEntry entry) {
  entry.abandon = true;
  return entry;
}

crds::BindingJournal Page(const std::string& name, std::vector<crds::JournalEntry> entries) {
  crds::BindingJournal page;
  page.meta.name = name;
  page.entries = std::move(entries);
  return page;
}

// "7:1,2 8:1": the parts of each entry.
std::string Text(const OpenEntries& open) {
  std::string text;
  for (const EntryParts& parts : open.entries) {
    text += (text.empty() ? "" : " ") + std::to_string(parts.front().id);
    char before = ':';
    for (const crds::JournalEntry& part : parts) {
      text += before + std::to_string(part.part);
      before = ',';
    }
  }
  return text;
}

// "n0 nu0: u0 u2; n1 nu1: u1; "
std::string Named(const crds::JournalEntry& entry) {
  std::string text;
  for (const auto& node : entry.nodes) {
    text += node.name + " " + node.uid + ":";
    for (const auto& pod : node.pods) text += " " + pod.uid;
    text += "; ";
  }
  return text;
}

TEST(AddPod, NamesThePodWhereItNowIs) {
  struct Case {
    std::string node, node_uid, expected;
  };
  const std::vector<Case> cases = {
      {"n0", "nu0", "n0 nu0: u9; n1 nu1: u1; n3 nu3: u3; "},
      {"n1", "nu1", "n1 nu1: u1 u9; n3 nu3: u3; "},
      {"n2", "nu2", "n1 nu1: u1; n2 nu2: u9; n3 nu3: u3; "},
      {"n4", "nu4", "n1 nu1: u1; n3 nu3: u3; n4 nu4: u9; "},
      // What is left on the old one is named there.
      {"n1", "nu1-again", "n1 nu1: u1; n1 nu1-again: u9; n3 nu3: u3; "},
  };
  for (const Case& c : cases) {
    crds::JournalEntry entry = ProtocolRig::PageEntry(7, 4);
    entry.nodes.erase(entry.nodes.begin() + 2);
    RemovePod(entry, "u0");
    AddPod(entry, {.node = c.node,
                   .node_uid = c.node_uid,
                   .pod = {.name = "train-9", .uid = "u9", .resource_version = "1"}});
    EXPECT_EQ(Named(entry), c.expected);
  }
}

TEST(SplitEntry, LeavesWhatFitsAPageWhole) {
  const EntryParts parts = SplitEntry(ProtocolRig::PageEntry(7, 1'000));
  EXPECT_EQ(parts, EntryParts{ProtocolRig::PageEntry(7, 1'000)});
}

TEST(SplitEntry, NamesEveryPodOnceInPartsOfAboutOneSize) {
  crds::JournalEntry entry = ProtocolRig::PageEntry(7, 0);
  std::size_t pods = 0;
  for (int i = 0; i < 3'000; ++i) {
    entry.nodes.push_back({.name = "node-" + std::to_string(i), .uid = "nu", .pods = {}});
    for (int j = 0; j < 8; ++j, ++pods) {
      entry.nodes.back().pods.push_back(
          {.name = "pod-" + std::to_string(pods),
           .uid = "00000000-0000-0000-0000-" + std::to_string(1'000'000 + pods),
           .resource_version = "12345678"});
    }
  }
  const EntryParts parts = SplitEntry(entry);
  ASSERT_EQ(parts.size(), (EntryBytes(entry) + kPageBytesMax - 1) / kPageBytesMax);
  ASSERT_GE(parts.size(), 2U);
  std::set<std::string> seen;
  std::size_t named = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].part, static_cast<std::int32_t>(i + 1));
    EXPECT_EQ(parts[i].parts, static_cast<std::int32_t>(parts.size()));
    EXPECT_EQ(parts[i].id, 7U);
    EXPECT_EQ(parts[i].charges, entry.charges);
    EXPECT_LE(EntryBytes(parts[i]), kPageBytesMax);
    EXPECT_GE(EntryBytes(parts[i]), EntryBytes(entry) / parts.size() - 20'000);
    for (const auto& node : parts[i].nodes) {
      EXPECT_FALSE(node.pods.empty());
      for (const auto& pod : node.pods) {
        seen.insert(pod.name);
        ++named;
      }
    }
  }
  EXPECT_EQ(named, pods);
  EXPECT_EQ(seen.size(), pods);
}

TEST(ReadPages, JoinsPartsInTheirOrder) {
  const OpenEntries open = ReadPages(
      {Page("p-00", {Part(7, 2, 2, "b"), Part(8, 1, 1, "c")}), Page("p-01", {Part(7, 1, 2, "a")})});
  EXPECT_EQ(open.problem, "");
  EXPECT_EQ(Text(open), "7:1,2 8:1");
  EXPECT_TRUE(open.dropped.empty());
}

// No request was sent before all were stored, and none leaves before all members are settled.
TEST(ReadPages, DropsABindWithAPartMissing) {
  const OpenEntries open = ReadPages(
      {Page("p-00", {Part(7, 1, 3, "a")}), Page("p-01", {Part(7, 3, 3, "c"), Part(8, 1, 1, "d")})});
  EXPECT_EQ(open.problem, "");
  EXPECT_EQ(Text(open), "8:1");
  EXPECT_EQ(open.dropped, std::vector<std::uint64_t>{7});
}

TEST(ReadPages, GoesOnWithWhatIsLeftOfAnAbandon) {
  const OpenEntries open =
      ReadPages({Page("p-00", {Part(7, 1, 3, "a")}), Page("p-01", {GivenUp(Part(7, 3, 3, "c"))})});
  EXPECT_EQ(Text(open), "7:1,3");
  EXPECT_TRUE(IsAbandoned(open.entries[0]));
  EXPECT_TRUE(open.dropped.empty());
}

// The earlier one was settled, and its page not written since.
TEST(ReadPages, DropsAnEntryOfWhichAPodStandsInALaterOne) {
  const OpenEntries open = ReadPages({Page("p-00", {Part(9, 1, 1, "a")}),
                                      Page("p-01", {Part(7, 1, 2, "a"), Part(8, 1, 1, "z")}),
                                      Page("p-02", {Part(7, 2, 2, "b")})});
  EXPECT_EQ(open.problem, "");
  EXPECT_EQ(Text(open), "8:1 9:1");
  EXPECT_EQ(open.dropped, std::vector<std::uint64_t>{7});
}

TEST(ReadPages, KnowsWhatContradicts) {
  struct Case {
    std::string problem;
    std::vector<crds::BindingJournal> pages;
  };
  crds::JournalEntry empty = Part(3, 1, 1, "a");
  empty.nodes[0].pods.clear();
  crds::JournalEntry other = Part(3, 2, 2, "b");
  other.group_uid = "another";
  crds::JournalEntry doubled = Part(3, 1, 1, "a");
  doubled.nodes.push_back(doubled.nodes[0]);
  const std::vector<Case> cases = {
      {"page p-01: entry 3 stands twice",
       {Page("p-00", {Part(3, 1, 1, "a")}), Page("p-01", {Part(3, 1, 1, "b")})}},
      {"page p-00: entry 3 stands twice", {Page("p-00", {Part(3, 1, 2, "a"), Part(3, 2, 2, "b")})}},
      {"page p-01: entry 3 has parts of two gangs",
       {Page("p-00", {Part(3, 1, 2, "a")}), Page("p-01", {other})}},
      {"page p-01: entry 3 has parts of two gangs",
       {Page("p-00", {Part(3, 1, 2, "a")}), Page("p-01", {Part(3, 2, 3, "b")})}},
      {"page p-00: entry 3 names no pod", {Page("p-00", {empty})}},
      {"entry 3: pod a stands twice", {Page("p-00", {doubled})}},
      // It was given up, so its pod was free for another only once it had left its page.
      {"entry 4: pod a stands twice",
       {Page("p-00", {GivenUp(Part(3, 1, 1, "a")), Part(4, 1, 1, "a")})}},
      {"", {Page("p-00", {Part(3, 1, 1, "a"), GivenUp(Part(4, 1, 1, "b"))})}},
  };
  for (const Case& c : cases) EXPECT_EQ(ReadPages(c.pages).problem, c.problem);
}

}  // namespace
}  // namespace muster::controllers
