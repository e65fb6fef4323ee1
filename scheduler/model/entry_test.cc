// Journal entries and the answers to our Bindings, at the level of the tables.
#include <gtest/gtest.h>

#include "scheduler/model/cluster.h"
#include "scheduler/model/transaction.h"
#include "scheduler/testing/builders_cluster.h"

namespace muster::scheduler {
namespace {

using testing::ApplyAll;
using testing::Bound;
using testing::BoundTo;
using testing::Gpus;
using testing::kGpu;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;
using testing::MakeSingle;

const Key kKey{.ns = "default", .name = "g"};

// Two nodes of 8, a queue, and a gang of two waiting pods of 8 GPUs.
Cluster TwoByTwo() {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("8")), MakeNode("n2", Gpus("8")), MakeQueue("q", Gpus("16")),
           MakeGang("g", "q", 2), MakeMember("g", 0, Gpus("8")), MakeMember("g", 1, Gpus("8")));
  return c;
}
EntrySeen EntryOfBoth(std::uint64_t id) {
  EntrySeen e;
  e.gang = "uid-group-g";
  e.key = kKey;
  e.id = id;
  e.queue = "q";
  e.min_member = 2;
  e.members = {{"uid-g-0", "n1"}, {"uid-g-1", "n2"}};
  return e;
}
std::int64_t UsedGpus(const Cluster& c, std::string_view node) {
  return c.used(*c.FindNode(node))[c.resources().Find(kGpu)->value];
}
std::int64_t Usage(const Cluster& c) {
  return c.usage(*c.FindQueue("q"))[c.resources().Find(kGpu)->value];
}
MemberCounts Counts(const Cluster& c) {
  return c.counts(*c.FindGang(kKey));
}
PodId Pod(const Cluster& c, int index) {
  return *c.FindPod("uid-g-" + std::to_string(index));
}
// As Decide does it.
std::uint64_t AdmitBoth(Cluster& c) {
  Transaction t(c);
  const std::vector<PodId> pods = {Pod(c, 0), Pod(c, 1)};
  t.Place(std::span(pods).first(1), *c.FindNode("n1"));
  t.Place(std::span(pods).last(1), *c.FindNode("n2"));
  return t.Commit({.gang = *c.FindGang(kKey),
                   .pods = pods,
                   .charges = {{std::string(kGpu), 16'000}},
                   .min_member = 2,
                   .timeout_ms = 300'000,
                   .now = Ticks{5}});
}

TEST(Entry, ACommitIsWholeAndReadsLikeAnEntryFound) {
  Cluster decided = TwoByTwo();
  EXPECT_EQ(AdmitBoth(decided), 1U);
  EXPECT_EQ(UsedGpus(decided, "n1"), 8000);
  EXPECT_EQ(Usage(decided), 16'000);
  EXPECT_EQ(Counts(decided).reserved, 2);
  EXPECT_EQ(Counts(decided).placeable, 0);
  EXPECT_EQ(decided.Audit(), "");

  Cluster found = TwoByTwo();
  EntrySeen seen = EntryOfBoth(1);
  seen.charges = {{std::string(kGpu), 16'000}};
  seen.timeout_ms = 300'000;
  found.Apply(seen);
  found.SetEntryFirstSeen(1, Ticks{5});
  EXPECT_EQ(found.Snapshot(), decided.Snapshot());
}

TEST(Entry, IdsGrowFromTheHighestEverSeen) {
  Cluster c = TwoByTwo();
  ApplyAll(c, EntryOfBoth(41), EntryClosed{"uid-group-g", 41});
  EXPECT_EQ(AdmitBoth(c), 42U);
  Cluster synced = TwoByTwo();
  synced.Apply(Synced{.first_id = 100});
  EXPECT_EQ(AdmitBoth(synced), 100U);
}

// Only an observed fact, or the end of its entry, takes a Reserved pod from its node.
TEST(Entry, OnlyFactsReleaseWhatIsReserved) {
  struct Case {
    const char* what;
    std::vector<Event> events;
    Record record;
    std::int64_t used_n1, used_n2;
  };
  const PodSeen pending = MakeMember("g", 0, Gpus("8"));
  PodSeen leaving = pending;
  leaving.terminating = true;
  const Uid& uid = pending.uid;
  const std::vector<Case> cases = {
      {"seen pending again", {pending}, Record::kReserved, 8000, 8000},
      {"deleted, but a Binding may be under way", {leaving}, Record::kTerminating, 8000, 8000},
      {"refused", {BindAnswered{uid, "n1", Answer::kRefused}}, Record::kPending, 0, 8000},
      {"an older attempt refused",
       {BindAnswered{uid, "n2", Answer::kRefused}},
       Record::kReserved,
       8000,
       8000},
      {"refused while it is deleted",
       {leaving, BindAnswered{uid, "n1", Answer::kRefused}},
       Record::kTerminating,
       0,
       8000},
      {"done", {BindAnswered{uid, "n1", Answer::kDone}}, Record::kBound, 8000, 8000},
      {"done, then an older sight of it",
       {BindAnswered{uid, "n1", Answer::kDone}, pending},
       Record::kBound,
       8000,
       8000},
      {"done, then a late refusal",
       {BindAnswered{uid, "n1", Answer::kDone}, BindAnswered{uid, "n1", Answer::kRefused}},
       Record::kBound,
       8000,
       8000},
      {"seen bound, then done",
       {Bound(pending, "n1", "q"), BindAnswered{uid, "n1", Answer::kDone}},
       Record::kBound,
       8000,
       8000},
      {"seen bound elsewhere", {Bound(pending, "n2", "q")}, Record::kBound, 0, 16'000},
      {"bound elsewhere",
       {BindAnswered{uid, "n1", Answer::kElsewhere, "n2"}},
       Record::kBound,
       0,
       16'000},
      {"bound elsewhere, then seen",
       {BindAnswered{uid, "n1", Answer::kElsewhere, "n2"}, Bound(pending, "n2", "q")},
       Record::kBound,
       0,
       16'000},
      {"bound to its node by others",
       {BindAnswered{uid, "n1", Answer::kElsewhere, "n1"}},
       Record::kBound,
       8000,
       8000},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.what);
    Cluster c = TwoByTwo();
    AdmitBoth(c);
    for (const Event& event : test.events) c.Apply(event);
    EXPECT_EQ(c.record(Pod(c, 0)), test.record);
    EXPECT_EQ(UsedGpus(c, "n1"), test.used_n1);
    EXPECT_EQ(UsedGpus(c, "n2"), test.used_n2);
    EXPECT_EQ(c.Audit(), "");
  }
}

// In whatever order it comes to be known: the node is in use, the gang has lost a member.
TEST(Entry, APodThatOthersBoundToItsNodeIsUseAndNoMember) {
  const PodSeen seen = BoundTo(MakeMember("g", 0, Gpus("8")), "n1", "", "");
  const BindAnswered answer{"uid-g-0", "n1", Answer::kElsewhere, "n1"};
  const std::vector<std::vector<Event>> orders = {{seen}, {answer, seen}, {seen, answer}};
  for (const std::vector<Event>& events : orders) {
    Cluster c = TwoByTwo();
    AdmitBoth(c);
    for (const Event& event : events) c.Apply(event);
    EXPECT_FALSE(c.pod(Pod(c, 0)).member);
    EXPECT_EQ(c.pod(Pod(c, 0)).bound_by, 0U);
    EXPECT_EQ(Counts(c).bound, 0);
    c.Apply(EntryClosed{"uid-group-g", 1});
    EXPECT_EQ(UsedGpus(c, "n1"), 8000);
    EXPECT_EQ(Usage(c), 8000) << "The queue that its PodGroup names.";
    EXPECT_EQ(c.Audit(), "");
  }
}

// A leader that finds the entry, before and after it has listed the pod.
TEST(Entry, FoundItDoesNotVouchForWhatOthersBound) {
  for (const bool pod_first : {true, false}) {
    for (const std::uint64_t journal : {0U, 7U}) {
      Cluster c;
      ApplyAll(c, MakeNode("n1", Gpus("8")), MakeQueue("q", Gpus("16")), MakeGang("g", "q", 2));
      PodSeen seen = BoundTo(MakeMember("g", 0, Gpus("8")), "n1", "", "");
      seen.bound_by = journal;
      seen.journalled = journal != 0;
      if (pod_first) c.Apply(seen);
      c.Apply(EntryOfBoth(7));
      if (!pod_first) c.Apply(seen);
      c.Apply(Synced{.first_id = 8});
      EXPECT_EQ(Counts(c).bound, journal == 0 ? 0 : 1) << pod_first;
      EXPECT_EQ(UsedGpus(c, "n1"), 8000);
      EXPECT_EQ(c.Audit(), "");
    }
  }
}

TEST(Entry, APodThatIsGoneHoldsNothing) {
  for (const Event& event :
       {Event(PodGone{"uid-g-0"}), Event(BindAnswered{"uid-g-0", "n1", Answer::kGone})}) {
    Cluster c = TwoByTwo();
    AdmitBoth(c);
    c.Apply(event);
    EXPECT_EQ(UsedGpus(c, "n1"), 0);
    EXPECT_EQ(Usage(c), 8000);
    EXPECT_TRUE(c.entries().at(1).members[0].released);
    // Made again under its name: a new pod, that the entry does not hold.
    PodSeen again = MakeMember("g", 0, Gpus("8"));
    again.uid = "another";
    c.Apply(again);
    EXPECT_EQ(c.record(*c.FindPod("another")), Record::kPending);
    EXPECT_EQ(Counts(c).placeable, 1);
    EXPECT_EQ(c.Audit(), "");
  }
}

TEST(Entry, AnAnswerCarriesThePinsOfItsEntry) {
  Cluster c = TwoByTwo();
  AdmitBoth(c);
  GangSeen other_queue = MakeGang("g", "elsewhere", 2);
  ApplyAll(c, other_queue, BindAnswered{"uid-g-0", "n1", Answer::kDone});
  EXPECT_EQ(Counts(c).bound, 1) << "A member before the watch shows its pins.";
  EXPECT_EQ(Usage(c), 16'000) << "Charged where it was admitted.";
  c.Apply(EntryClosed{"uid-group-g", 1});
  EXPECT_EQ(Counts(c).bound, 1);
  EXPECT_EQ(Counts(c).placeable, 1);
  EXPECT_EQ(Usage(c), 8000);
  EXPECT_EQ(c.Audit(), "");
}

TEST(Entry, ClosedItReleasesWhatIsNotBound) {
  Cluster c = TwoByTwo();
  AdmitBoth(c);
  ApplyAll(c, Bound(MakeMember("g", 0, Gpus("8")), "n1", "q"), EntryClosed{"another gang", 1});
  EXPECT_EQ(c.entries().size(), 1U);
  c.Apply(EntryClosed{"uid-group-g", 1});
  EXPECT_TRUE(c.entries().empty());
  EXPECT_TRUE(c.gang(*c.FindGang(kKey)).entries.empty());
  EXPECT_EQ(UsedGpus(c, "n1"), 8000);
  EXPECT_EQ(UsedGpus(c, "n2"), 0);
  EXPECT_EQ(Counts(c).placeable, 1);
}

TEST(Entry, FoundBeforeItsPodsItWaitsForThem) {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("8")), EntryOfBoth(7), MakeGang("g", "q", 2),
           MakeQueue("q", Gpus("16")), MakeMember("g", 0, Gpus("8")), PodGone{"uid-g-1"},
           MakeMember("g", 1, Gpus("8")));
  EXPECT_EQ(UsedGpus(c, "n1"), 8000);
  EXPECT_EQ(Counts(c).reserved, 1);
  EXPECT_EQ(Counts(c).total, 1);
  EXPECT_TRUE(c.entries().at(7).members[1].released);
  EXPECT_FALSE(c.node(*c.FindNode("n2")).exists);
  ApplyAll(c, BindAnswered{"uid-g-0", "n1", Answer::kRefused}, MakeMember("g", 0, Gpus("8")));
  EXPECT_EQ(Counts(c).placeable, 1) << "Touched: the entry holds it no more.";
  EXPECT_EQ(c.Audit(), "");
}

TEST(Entry, ItOnlyMovesTowardsAbandon) {
  Cluster c = TwoByTwo();
  EntrySeen abandoned = EntryOfBoth(1);
  abandoned.state = EntryState::kAbandon;
  ApplyAll(c, abandoned, EntryOfBoth(1));
  EXPECT_EQ(c.entries().at(1).state, EntryState::kAbandon);
  EXPECT_EQ(Usage(c), 16'000) << "It holds its nodes and its charge until it is closed.";
}

TEST(Entry, TheFirstFailureIsKept) {
  Cluster c = TwoByTwo();
  AdmitBoth(c);
  ApplyAll(c, EntryFailed{"another gang", 1, "uid-g-1", "no"},
           EntryFailed{"uid-group-g", 1, "uid-g-0", "g-0: 403 no"},
           EntryFailed{"uid-group-g", 1, "uid-g-1", "g-1: 403 no"});
  ASSERT_TRUE(c.entries().at(1).failed.has_value());
  EXPECT_EQ(c.entries().at(1).failed->text, "g-0: 403 no");
}

// g-0 moves from n1, which is lost, to n3.
Cluster OneMoves() {
  Cluster c = TwoByTwo();
  AdmitBoth(c);
  ApplyAll(c, MakeNode("n3", Gpus("8")), NodeGone{"n1"},
           EntryStranded{"uid-group-g", 1, "uid-g-0"});
  const PodId pod = Pod(c, 0);
  Transaction t(c, 1);
  t.Place({&pod, 1}, *c.FindNode("n3"));
  const Transaction::Change change{.replaces = "uid-g-0", .pod = pod};
  t.Amend({&change, 1});
  return c;
}

TEST(Entry, AMemberThatMovesIsChargedOnBothNodesUntilThePageNamesTheNewOne) {
  Cluster c = OneMoves();
  EXPECT_EQ(UsedGpus(c, "n1"), 8000);
  EXPECT_EQ(UsedGpus(c, "n3"), 8000);
  EXPECT_EQ(Usage(c), 16'000) << "Its queue pays once.";
  EXPECT_EQ(c.node_of(Pod(c, 0)), c.FindNode("n1"));
  EXPECT_FALSE(c.entries().at(1).members[0].stranded);
  EXPECT_EQ(c.Audit(), "");
  c.Apply(EntryAmended{"another gang", 1, "uid-g-0"});
  EXPECT_EQ(UsedGpus(c, "n1"), 8000);
  c.Apply(EntryAmended{"uid-group-g", 1, "uid-g-0"});
  c.ClearTouched();
  EXPECT_FALSE(c.FindNode("n1").has_value()) << "Nothing names it any more.";
  EXPECT_EQ(UsedGpus(c, "n3"), 8000);
  EXPECT_EQ(Counts(c).reserved, 2);
  EXPECT_EQ(c.entries().at(1).first_seen, Ticks{5}) << "Its time-out goes on.";
  EXPECT_EQ(c.Audit(), "");
}

// Before the page names the new node, whatever ends the move frees that.
TEST(Entry, AMoveThatIsOvertakenLeavesTheNewNodeFree) {
  const std::vector<Event> cases = {
      BindAnswered{"uid-g-0", "n1", Answer::kDone},  // Its Binding has acted after all.
      BoundTo(MakeMember("g", 0, Gpus("8")), "n1", "q", "uid-group-g"),
      BindAnswered{"uid-g-0", "n1", Answer::kRefused},  // Given up.
      BindAnswered{"uid-g-0", "n1", Answer::kElsewhere, "n2"},
      PodGone{"uid-g-0"},
      EntryClosed{"uid-group-g", 1},
  };
  for (const Event& event : cases) {
    Cluster c = OneMoves();
    c.Apply(event);
    EXPECT_EQ(UsedGpus(c, "n3"), 0) << event.index();
    EXPECT_EQ(c.Audit(), "") << event.index();
    const std::string before = c.Snapshot();
    c.Apply(EntryAmended{"uid-group-g", 1, "uid-g-0"});
    EXPECT_EQ(c.Snapshot(), before) << event.index();
  }
}

TEST(Entry, AnotherPodTakesThePlaceOfALostMember) {
  Cluster c = TwoByTwo();
  AdmitBoth(c);
  ApplyAll(c, PodGone{"uid-g-0"}, MakeMember("g", 2, Gpus("4")), MakeQueue("other", Gpus("16")),
           MakeGang("g", "other", 2));
  const PodId pod = Pod(c, 2);
  Transaction t(c, 1);
  t.Place({&pod, 1}, *c.FindNode("n1"));
  const Transaction::Change change{.replaces = "uid-g-0", .pod = pod};
  t.Amend({&change, 1});
  EXPECT_EQ(UsedGpus(c, "n1"), 4000);
  EXPECT_EQ(Usage(c), 12'000) << "The queue of the entry pays, whichever its gang names by now.";
  EXPECT_EQ(c.entries().at(1).members[0].pod, "uid-g-2");
  EXPECT_EQ(c.Audit(), "");
  ApplyAll(c, BindAnswered{"uid-g-2", "n1", Answer::kDone}, EntryClosed{"uid-group-g", 1});
  EXPECT_EQ(Counts(c).bound, 1);
  EXPECT_EQ(c.Audit(), "");
}

TEST(Entry, AMemberThatHasLeftIsFreeAndItsPlaceIsEmpty) {
  Cluster c = OneMoves();
  c.Apply(EntryLeft{"another gang", 1, "uid-g-0"});
  EXPECT_EQ(c.entries().at(1).members.size(), 2U);
  c.Apply(EntryLeft{"uid-group-g", 1, "uid-g-0"});
  ASSERT_EQ(c.entries().at(1).members.size(), 1U);
  EXPECT_EQ(c.entries().at(1).members[0].pod, "uid-g-1");
  EXPECT_EQ(c.entries().at(1).min_member, 2);
  EXPECT_EQ(UsedGpus(c, "n3"), 0);
  EXPECT_EQ(Counts(c).placeable, 1);
  EXPECT_EQ(Usage(c), 8'000);
  c.ClearTouched();
  EXPECT_FALSE(c.FindNode("n1").has_value()) << "Nothing names it any more.";
  EXPECT_EQ(c.Audit(), "");
  const PodId pod = Pod(c, 0);
  Transaction t(c, 1);
  t.Place({&pod, 1}, *c.FindNode("n3"));
  const Transaction::Change change{.replaces = "", .pod = pod};
  t.Amend({&change, 1});
  EXPECT_EQ(c.entries().at(1).members.size(), 2U);
  EXPECT_EQ(Counts(c).reserved, 2);
  EXPECT_EQ(c.Audit(), "");
}

TEST(Entry, ASinglePodIsItsOwnGang) {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("8")), MakeQueue("q", Gpus("8")),
           MakeSingle("g", "q", Gpus("8")));
  const Key key{.ns = "default", .name = "g", .single_pod = true};
  const GangId gang = *c.FindGang(key);
  EXPECT_EQ(c.gang(gang).uid, "uid-g");
  const PodId pod = *c.FindPod("uid-g");
  {
    Transaction t(c);
    t.Place(std::span(&pod, 1), *c.FindNode("n1"));
    t.Commit({.gang = gang, .pods = {pod}, .charges = {}, .min_member = 1, .now = Ticks{0}});
  }
  ApplyAll(c, BindAnswered{"uid-g", "n1", Answer::kDone}, EntryClosed{"uid-g", 1});
  EXPECT_EQ(c.counts(gang).bound, 1);
  c.Apply(PodGone{"uid-g"});
  EXPECT_EQ(c.FindGang(key).has_value() && c.gang(gang).live, false);
  EXPECT_EQ(Usage(c), 0);
}

}  // namespace
}  // namespace muster::scheduler
