#include "scheduler/model/pins.h"

#include <string>
#include <vector>

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

const Key kG{.ns = "default", .name = "g"};

// Of the namespaces with this label alone.
QueueSeen QueueOf(const std::string& name, const std::string& team) {
  QueueSeen queue = MakeQueue(name, Gpus("8"));
  queue.namespace_selector = {{Requirement::Op::kIn, "team", {team}}};
  return queue;
}
NamespaceSeen NamespaceOf(const std::string& name, const std::string& team) {
  return {.name = name, .labels = {{"team", team}}};
}
GangSeen AdmittedTo(GangSeen gang, const std::string& queue) {
  gang.admitted_queue = queue;
  return gang;
}
PodSeen In(PodSeen pod, const std::string& ns) {
  pod.key.ns = pod.gang.ns = ns;
  return pod;
}
// Number 3, of g-0 on n1.
EntrySeen EntryOfG0(const std::string& queue) {
  EntrySeen entry;
  entry.gang = "uid-group-g";
  entry.key = kG;
  entry.id = 3;
  entry.queue = queue;
  entry.min_member = 1;
  entry.members = {{"uid-g-0", "n1"}};
  return entry;
}
// "" = nobody.
std::string Payer(const Cluster& c, const std::string& pod) {
  const auto queue = c.charged_queue(*c.FindPod("uid-" + pod));
  return queue ? c.queue(*queue).spec.name : "";
}
bool IsMember(const Cluster& c, const std::string& pod) {
  return c.pod(*c.FindPod("uid-" + pod)).member;
}
std::int64_t GpusOnNode1(const Cluster& c) {
  return c.used(*c.FindNode("n1"))[c.resources().Find(kGpu)->value];
}

// Namespace default is of team a, as is the queue "a"; the queue "b" is of team b.
Cluster TwoTeams() {
  Cluster c;
  ApplyAll(c, NamespaceOf("default", "a"), NamespaceOf("other", "b"), QueueOf("a", "a"),
           QueueOf("b", "b"), MakeQueue("all", Gpus("8")), MakeNode("n1", Gpus("8")));
  return c;
}

TEST(Pins, AreThoseOfTheOpenEntryWhateverIsShown) {
  for (const bool answer_first : {true, false}) {
    Cluster c = TwoTeams();
    ApplyAll(c, Synced{.first_id = 5}, MakeGang("g", "a", 1), MakeGang("h", "a", 1),
             MakeMember("g", 0, Gpus("1")));
    {
      Transaction t(c);
      const std::vector<PodId> pods = {*c.FindPod("uid-g-0")};
      t.Place(pods, *c.FindNode("n1"));
      t.Commit({.gang = *c.FindGang(kG), .pods = pods, .min_member = 1, .now = Ticks{1}});
    }
    PodSeen edited = BoundTo(MakeMember("g", 0, Gpus("1")), "n1", "all", "uid-group-h");
    edited.bound_by = 77;
    if (answer_first) c.Apply(BindAnswered{"uid-g-0", "n1", Answer::kDone});
    ApplyAll(c, edited, EntryClosed{"uid-group-g", 5}, edited);
    EXPECT_EQ(Payer(c, "g-0"), "a");
    EXPECT_EQ(c.counts(*c.FindGang(kG)).bound, 1);
    EXPECT_EQ(c.pod(*c.FindPod("uid-g-0")).bound_by, 5U);
    EXPECT_EQ(c.Audit(), "");
  }
}

TEST(Pins, OnAnotherNodeThanThatOfTheEntryThePodSpeaksForItself) {
  Cluster c = TwoTeams();
  ApplyAll(c, MakeNode("n2", Gpus("8")), MakeGang("g", "a", 1), MakeMember("g", 0, Gpus("1")));
  ApplyAll(c, EntryOfG0("a"), Synced{}, BoundTo(MakeMember("g", 0, Gpus("1")), "n2", "", ""));
  EXPECT_EQ(Payer(c, "g-0"), "a") << "its PodGroup names it";
  EXPECT_FALSE(IsMember(c, "g-0"));
  EXPECT_EQ(c.Audit(), "");
}

TEST(Pins, EditsOfABoundPodChangeNothing) {
  Cluster c = TwoTeams();
  PodSeen single = Bound(MakeSingle("s", "a", Gpus("1")), "n1", "a");
  PodSeen by_hand = Bound(MakeSingle("t", "a", Gpus("1")), "n1", "");
  ApplyAll(c, Synced{}, MakeGang("g", "a", 2), MakeGang("h", "all", 1),
           Bound(MakeMember("g", 0, Gpus("1")), "n1", "a"), single, by_hand);
  PodSeen member = BoundTo(MakeMember("g", 0, Gpus("1")), "n1", "all", "uid-group-h");
  single.queue = single.admitted_queue = by_hand.queue = by_hand.admitted_queue = "all";
  ApplyAll(c, member, single, by_hand, MakeGang("g", "all", 2));
  for (const char* pod : {"g-0", "s", "t"}) EXPECT_EQ(Payer(c, pod), "a") << pod;
  EXPECT_EQ(c.counts(*c.FindGang(kG)).bound, 1);
  EXPECT_FALSE(IsMember(c, "t"));
  EXPECT_EQ(c.Audit(), "");
}

// What pods say of themselves when they are found, and who pays.
TEST(Pins, AQueuePaysOnlyForNamespacesThatItAdmits) {
  struct Case {
    const char* what;
    PodSeen pod;
    const char* payer;
    bool member;
  };
  const PodSeen member = MakeMember("g", 0, Gpus("1"));
  const PodSeen single = MakeSingle("s", "a", Gpus("1"));
  const PodSeen foreign = MakeSingle("s", "b", Gpus("1"));
  PodSeen of_other = BoundTo(In(MakeMember("g", 0, Gpus("1")), "other"), "n1", "b", "uid-group-g");
  const std::vector<Case> cases = {
      {"a member", Bound(member, "n1", "a"), "a", true},
      {"bound for another queue of its own", Bound(member, "n1", "all"), "all", true},
      {"the queue of others: then that of its gang", Bound(member, "n1", "b"), "a", true},
      {"no such queue: then that of its gang", Bound(member, "n1", "none"), "a", true},
      {"single, the queue of others: then its label", Bound(single, "n1", "b"), "a", false},
      {"single, by hand, the queue of others", Bound(foreign, "n1", ""), "", false},
      {"and says that Muster bound it", Bound(foreign, "n1", "b"), "", false},
      {"no such queue at all", Bound(MakeSingle("s", "none", Gpus("1")), "n1", "none"), "none",
       true},
      {"of the namespace of others, for a gang of ours", of_other, "b", false},
  };
  for (const Case& test : cases) {
    for (const bool found : {true, false}) {
      SCOPED_TRACE(test.what);
      // Lists come in any order.
      Cluster c;
      if (found) c.Apply(test.pod);
      ApplyAll(c, NamespaceOf("default", "a"), NamespaceOf("other", "b"), QueueOf("a", "a"),
               QueueOf("b", "b"), MakeQueue("all", Gpus("8")), MakeNode("n1", Gpus("8")),
               MakeGang("g", "a", 1), Synced{});
      if (!found) c.Apply(test.pod);
      const PodId id = *c.FindPod(test.pod.uid);
      const auto queue = c.charged_queue(id);
      EXPECT_EQ(queue ? c.queue(*queue).spec.name : "", test.payer);
      EXPECT_EQ(c.pod(id).member, test.member);
      EXPECT_EQ(GpusOnNode1(c), 1000);
      EXPECT_EQ(c.Audit(), "");
    }
  }
}

// The status of its PodGroup, which no tenant can write, says that it was bound when the selector
// was another, or that its annotation was edited since.
TEST(Pins, AtATakeOverTheStatusOfItsGangSpeaksForAMember) {
  Cluster c = TwoTeams();
  ApplyAll(c, AdmittedTo(MakeGang("g", "b", 2), "b"), MakeGang("h", "a", 1),
           Bound(MakeMember("g", 0, Gpus("1")), "n1", "b"),
           Bound(MakeMember("g", 1, Gpus("1")), "n1", "all"),
           Bound(MakeMember("h", 0, Gpus("1")), "n1", "a"), Synced{});
  EXPECT_EQ(Payer(c, "g-0"), "b");
  EXPECT_EQ(Payer(c, "g-1"), "b");
  EXPECT_EQ(Payer(c, "h-0"), "a");
  // It speaks for what was found. Who brings more says by what right.
  c.Apply(Bound(MakeMember("g", 2, Gpus("1")), "n1", "b"));
  EXPECT_EQ(Payer(c, "g-2"), "");
  EXPECT_EQ(c.Audit(), "");
}

TEST(Pins, AtATakeOverTheOpenEntrySpeaksForItsMembers) {
  Cluster c = TwoTeams();
  ApplyAll(c, MakeGang("g", "b", 1), MakeGang("h", "a", 1),
           BoundTo(MakeMember("g", 0, Gpus("1")), "n1", "all", "uid-group-h"));
  ApplyAll(c, EntryOfG0("b"), Synced{.first_id = 9});
  EXPECT_EQ(Payer(c, "g-0"), "b");
  EXPECT_EQ(c.counts(*c.FindGang(kG)).bound, 1);
  EXPECT_EQ(c.pod(*c.FindPod("uid-g-0")).bound_by, 3U);
  EXPECT_EQ(c.Audit(), "");
}

TEST(Pins, AChargeStaysWhereItWasWhenASelectorOrALabelChanges) {
  Cluster c = TwoTeams();
  ApplyAll(c, Synced{}, MakeGang("g", "a", 1), Bound(MakeMember("g", 0, Gpus("1")), "n1", "a"),
           Bound(MakeSingle("s", "a", Gpus("1")), "n1", ""), QueueOf("a", "b"),
           NamespaceOf("default", "b"), Bound(MakeMember("g", 0, Gpus("1")), "n1", "a"));
  EXPECT_EQ(Payer(c, "g-0"), "a");
  EXPECT_EQ(Payer(c, "s"), "a");
  ApplyAll(c, QueueGone{"a"}, QueueOf("a", "b"));
  EXPECT_EQ(Payer(c, "g-0"), "a") << "a queue made anew takes the charge over";
  EXPECT_EQ(c.Audit(), "");
}

TEST(Pins, WhatWasBoundBeforeItsNamespaceOrQueueWasSeenIsSettledThen) {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("8")), QueueOf("a", "a"), QueueOf("b", "b"), Synced{},
           Bound(MakeSingle("s", "a", Gpus("1")), "n1", ""),
           Bound(MakeSingle("t", "b", Gpus("1")), "n1", "b"),
           Bound(MakeSingle("u", "late", Gpus("1")), "n1", ""));
  for (const char* pod : {"s", "t"}) EXPECT_EQ(Payer(c, pod), "") << pod;
  c.Apply(NamespaceOf("default", "a"));
  EXPECT_EQ(Payer(c, "s"), "a");
  EXPECT_EQ(Payer(c, "t"), "");
  EXPECT_FALSE(IsMember(c, "t"));
  EXPECT_EQ(Payer(c, "u"), "late");
  c.Apply(QueueOf("late", "b"));
  EXPECT_EQ(Payer(c, "u"), "");
  EXPECT_EQ(GpusOnNode1(c), 3000);
  EXPECT_EQ(c.Audit(), "");
}

// Nobody says which queue its PodGroup would name. What it says itself proves nothing, in whatever
// order that comes to be known.
TEST(Pins, WithoutItsPodGroupAPodChargesNoQueueThatDoesNotAdmitIt) {
  const std::vector<Event> kinds = {NamespaceOf("default", "a"), QueueOf("a", "a"),
                                    QueueOf("b", "b"), MakeNode("n1", Gpus("8"))};
  const PodSeen pod = MakeMember("gone", 0, Gpus("1"));
  const std::vector<Event> pods = {Bound(pod, "n1", "b"), BoundTo(pod, "n1", "", "")};
  enum class Shown : std::uint8_t { kFirst, kLast, kBeforeAllElse };
  for (const std::string team : {"", "a", "b"}) {
    for (const Event& bound : pods) {
      for (const Shown shown : {Shown::kFirst, Shown::kLast, Shown::kBeforeAllElse}) {
        Cluster c;
        if (shown == Shown::kBeforeAllElse) c.Apply(Synced{});
        if (shown != Shown::kLast) c.Apply(bound);
        for (const Event& event : kinds) c.Apply(event);
        if (!team.empty()) c.Apply(QueueOf("default", team));
        if (shown != Shown::kBeforeAllElse) c.Apply(Synced{});
        if (shown == Shown::kLast) c.Apply(bound);
        EXPECT_EQ(Payer(c, "gone-0"), team == "b" ? "" : "default") << "default is of " << team;
        EXPECT_FALSE(IsMember(c, "gone-0"));
        EXPECT_EQ(GpusOnNode1(c), 1000);
        EXPECT_EQ(c.Audit(), "");
      }
    }
  }
}

TEST(Pins, WithoutItsPodGroupAPodStaysChargedWhereItWasRightly) {
  Cluster c = TwoTeams();
  const PodSeen pod = BoundTo(MakeMember("late", 0, Gpus("1")), "n1", "", "");
  ApplyAll(c, QueueOf("default", "a"), Synced{}, pod, QueueOf("default", "b"), pod,
           QueueOf("new", "a"), NamespaceOf("new", "a"), NamespaceOf("default", "c"),
           MakeGang("other", "a", 1), pod);
  EXPECT_EQ(Payer(c, "late-0"), "default");
  ApplyAll(c, NamespaceOf("default", "a"), MakeGang("late", "a", 1));
  EXPECT_EQ(Payer(c, "late-0"), "a") << "its PodGroup names it";
  c.Apply(GangGone{.key = {.ns = "default", .name = "late"}});
  EXPECT_EQ(Payer(c, "late-0"), "a");
  EXPECT_EQ(c.Audit(), "");
}

// Its entry says what its Binding carries. A leader that finds it later has its pins alone.
TEST(Pins, APodThatWasRelabelledWhileItWasBoundIsAGangOfOne) {
  const PodSeen single = MakeSingle("s", "a", Gpus("1"));
  const PodSeen bound = Bound(single, "n1", "a");
  PodSeen relabelled = single;
  relabelled.gang = kG;
  for (const bool answer_first : {true, false}) {
    Cluster c = TwoTeams();
    ApplyAll(c, Synced{}, MakeGang("g", "all", 1), single);
    {
      Transaction t(c);
      const std::vector<PodId> pods = {*c.FindPod("uid-s")};
      t.Place(pods, *c.FindNode("n1"));
      t.Commit({.gang = *c.FindGang(single.gang), .pods = pods, .min_member = 1, .now = Ticks{1}});
    }
    c.Apply(relabelled);
    if (answer_first) c.Apply(BindAnswered{"uid-s", "n1", Answer::kDone});
    ApplyAll(c, bound, EntryClosed{"uid-s", 1}, bound);
    Cluster found = TwoTeams();
    ApplyAll(found, MakeGang("g", "all", 1), bound, Synced{});
    for (const Cluster* cluster : {&c, &found}) {
      EXPECT_EQ(Payer(*cluster, "s"), "a");
      EXPECT_EQ(cluster->counts(*cluster->FindGang(single.gang)).bound, 1);
      EXPECT_TRUE(cluster->gang(*cluster->FindGang(kG)).others.empty());
      EXPECT_EQ(cluster->Audit(), "");
    }
  }
}

// Somebody else has bound it, and our own question was answered before the watch showed that.
TEST(Pins, OfWhatOthersBindTheLabelsCountThatItIsFirstSeenBoundWith) {
  PodSeen single = MakeSingle("s", "a", Gpus("1"));
  EntrySeen entry = EntryOfG0("a");
  entry.gang = "uid-s";
  entry.key = single.gang;
  entry.members = {{"uid-s", "n1"}};
  for (const bool answer_first : {true, false}) {
    Cluster c = TwoTeams();
    ApplyAll(c, MakeNode("n2", Gpus("8")), MakeGang("g", "b", 1), single, entry, Synced{});
    BindAnswered elsewhere{"uid-s", "n1", Answer::kElsewhere, "n2"};
    if (answer_first) c.Apply(elsewhere);
    PodSeen bound = BoundTo(single, "n2", "", "");
    bound.queue = "all";
    c.Apply(bound);
    if (!answer_first) c.Apply(elsewhere);
    EXPECT_EQ(Payer(c, "s"), "all");
    bound.queue = "a";
    c.Apply(bound);
    EXPECT_EQ(Payer(c, "s"), "all");
    EXPECT_EQ(c.Audit(), "");
  }
}

TEST(Pins, OfWhatOthersBindTheGangCountsThatItIsFirstSeenBoundWith) {
  PodSeen pod = MakeMember("g", 0, Gpus("1"));
  Cluster c = TwoTeams();
  ApplyAll(c, Synced{}, MakeGang("g", "all", 1), MakeGang("h", "a", 1), pod);
  pod.gang.name = "h";
  c.Apply(BoundTo(pod, "n1", "", ""));
  EXPECT_EQ(Payer(c, "g-0"), "a");
  EXPECT_EQ(c.gang(*c.FindGang(pod.gang)).others.size(), 1U);
  pod.gang.name = "g";
  c.Apply(BoundTo(pod, "n1", "", ""));
  EXPECT_EQ(Payer(c, "g-0"), "a");
  EXPECT_EQ(c.Audit(), "");
}

}  // namespace
}  // namespace muster::scheduler
