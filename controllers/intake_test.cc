#include "controllers/intake.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/intake_rig.h"
#include "scheduler/base/amount.h"

namespace muster::controllers {
namespace {

using testing::Bound;
using testing::Lines;
using testing::Namespaced;
using testing::NewPod;
using testing::Object;
using testing::Type;

class IntakeTest : public ::testing::Test, protected testing::IntakeRig {
 protected:
  void SetUp() override { intake_.Start(100); }
};

TEST_F(IntakeTest, ListsPodGroupsFirstAndIsSyncedWithTheLastKind) {
  EXPECT_EQ(api_.sinks.size(), 1U);
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("train", "g-1"));
  api_.Send("podgroups", Type::kListEnd);
  EXPECT_EQ(api_.sinks.size(), 6U);
  api_.Send("pods", Type::kListed, NewPod("train-0", "train"));
  api_.Send("queues", Type::kListed, Object<crds::Queue>("q", "q-1", "1"));
  api_.Send("nodes", Type::kListed, Object<crds::Node>("n1", "n-1", "1"));
  api_.Send("namespaces", Type::kListed, Object<crds::Namespace>("team", "t-1", "1"));
  api_.Send("priorityclasses", Type::kListed, Object<crds::PriorityClass>("high", "c-1", "1"));
  for (const char* plural : {"queues", "nodes", "namespaces", "priorityclasses"}) {
    api_.Send(plural, Type::kListEnd);
  }
  EXPECT_FALSE(intake_.synced());
  api_.Send("pods", Type::kListEnd);
  EXPECT_TRUE(intake_.synced());
  EXPECT_EQ(Take(), (Lines{"group train", "pod train-0 gang train", "queue q", "node n1",
                           "namespace team", "class high", "synced"}));
  EXPECT_EQ(stored_, (Lines{"train", "q"}));
  api_.Send("pods", Type::kListEnd);  // A relist is no second start; its pod is gone.
  EXPECT_EQ(Take(), Lines{"pod gone u-train-0"});
  EXPECT_NE(stores_.queue("q"), nullptr);
  EXPECT_EQ(stores_.node("n1")->uid, "n-1");
}

TEST_F(IntakeTest, EveryKindCanGo) {
  Sync();
  api_.Send("podgroups", Type::kAdded, Namespaced<crds::PodGroup>("train", "g-1"));
  api_.Send("queues", Type::kAdded, Object<crds::Queue>("q", "q-1", "1"));
  api_.Send("nodes", Type::kAdded, Object<crds::Node>("n1", "n-1", "1"));
  api_.Send("namespaces", Type::kAdded, Object<crds::Namespace>("team", "t-1", "1"));
  api_.Send("priorityclasses", Type::kAdded, Object<crds::PriorityClass>("high", "c-1", "1"));
  api_.Send("pods", Type::kAdded, NewPod("train-0", "train"));
  Take();
  for (const char* plural :
       {"podgroups", "queues", "nodes", "namespaces", "priorityclasses", "pods"}) {
    api_.Send(plural, Type::kListEnd);
  }
  EXPECT_EQ(Take(), (Lines{"group gone train", "queue gone q", "node gone n1",
                           "namespace gone team", "class gone high", "pod gone u-train-0"}));
  EXPECT_EQ(stores_.group({"team", "train"}), nullptr);
  EXPECT_EQ(stores_.group_of_uid("g-1"), nullptr);
  EXPECT_EQ(stores_.queue("q"), nullptr);
  EXPECT_EQ(stores_.node("n1"), nullptr);
  EXPECT_EQ(stores_.pod({"team", "train-0"}), nullptr);
}

TEST_F(IntakeTest, AfterAnExpiredWatchTheListIsTheWorld) {
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("p", "g-p"));
  Sync();
  api_.Send("nodes", Type::kAdded, Object<crds::Node>("n1", "n-1", "1"));
  api_.Send("pods", Type::kAdded, Bound(NewPod("p-0", "p"), "2", "g-p"));
  api_.Send("pods", Type::kAdded, Bound(NewPod("p-1", "p"), "3", "g-p"));
  Take();
  for (const char* plural : {"podgroups", "nodes", "pods"}) {
    ports::WatchEvent lost{};
    lost.type = Type::kLost;
    lost.error = "410: too old resource version";
    api_.sinks.at(plural)(lost);
  }
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("g", "g-g"));
  api_.Send("podgroups", Type::kListEnd);
  api_.Send("nodes", Type::kListed, Object<crds::Node>("n2", "n-2", "1"));
  api_.Send("nodes", Type::kListEnd);
  api_.Send("pods", Type::kListed, NewPod("g-0", "g"));
  api_.Send("pods", Type::kListed, NewPod("g-1", "g"));
  api_.Send("pods", Type::kListEnd);
  const std::string lost = ": the watch ended, a new list follows: 410: too old resource version";
  // Current again when the last of them is.
  EXPECT_EQ(Take(),
            (Lines{"warn podgroups" + lost, "stale", "warn nodes" + lost, "warn pods" + lost,
                   "group g", "group gone p", "node n2", "node gone n1", "pod g-0 gang g",
                   "pod g-1 gang g", "pod gone u-p-0", "pod gone u-p-1", "current"}));
  EXPECT_TRUE(intake_.current());
  EXPECT_EQ(api_.sinks.size(), 6U);  // Nobody asked for a second stream.
}

TEST_F(IntakeTest, AnObjectThatDoesNotDecodeIsToldAndStopsNothing) {
  Sync();
  api_.Send("pods", Type::kAdded, NewPod("a", ""));
  ports::WatchEvent bad{};
  bad.type = Type::kInvalid;
  bad.ns = "team";
  bad.name = "a";
  bad.error = "pods team/a: spec.priority: expected an integer";
  api_.sinks.at("pods")(bad);
  api_.Send("pods", Type::kAdded, NewPod("b", ""));
  EXPECT_EQ(Take(), (Lines{"pod a gang a*",
                           "warn pods: an object keeps its last good state: pods team/a: "
                           "spec.priority: expected an integer",
                           "pod b gang b*"}));
  EXPECT_NE(stores_.pod({"team", "a"}), nullptr);
}

TEST_F(IntakeTest, ANodeThatStatesMoreThanCountsIsToldOnce) {
  Sync();
  auto node = Object<crds::Node>("n1", "u-1", "1");
  node.allocatable = {{"memory", kAmountMax}, {"pods", 110}};
  api_.Send("nodes", Type::kAdded, node);
  node.meta.resource_version = "2";
  api_.Send("nodes", Type::kModified, node);
  node.allocatable = {{"memory", kAmountMax - 1}};
  node.meta.resource_version = "3";
  api_.Send("nodes", Type::kModified, node);
  EXPECT_EQ(Take(), (Lines{"warn node n1: status.allocatable: more memory than 72057594037927935 "
                           "counts as that",
                           "node n1", "node n1", "node n1"}));
}

TEST_F(IntakeTest, ForeignPodsReachTheCoreAndNotTheStores) {
  Sync();
  crds::Pod foreign = NewPod("daemon", "train");
  foreign.scheduler_name = "default-scheduler";
  foreign.node_name = "n1";
  api_.Send("pods", Type::kAdded, foreign);
  EXPECT_EQ(Take(), Lines{"pod daemon gang  on n1"});
  EXPECT_EQ(stores_.pod({"team", "daemon"}), nullptr);
  api_.Send("pods", Type::kDeleted, foreign);
  EXPECT_EQ(Take(), Lines{"pod gone u-daemon"});
}

TEST_F(IntakeTest, ABoundPodStaysWhatItsPinsSayAndItsUserIsToldOnce) {
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("train", "g-1"));
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("other", "g-2"));
  Sync();
  crds::Pod pod = NewPod("train-0", "train");
  api_.Send("pods", Type::kAdded, pod);
  api_.Send("pods", Type::kModified, Bound(pod, "2", "g-1"));
  EXPECT_EQ(Notes(), Lines{});
  pod.meta.labels["muster.dev/pod-group"] = "other";
  api_.Send("pods", Type::kModified, Bound(pod, "3", "g-1"));
  pod.meta.labels.clear();
  api_.Send("pods", Type::kModified, Bound(pod, "4", "g-1"));
  EXPECT_EQ(Take(), (Lines{"pod train-0 gang train", "pod train-0 gang train on n1",
                           "pod train-0 gang train on n1", "pod train-0 gang train on n1"}));
  EXPECT_EQ(Notes(), Lines{"LabelIgnored on train-0: muster.dev/pod-group of a bound pod has no "
                           "effect; it stays a member of train"});
}

TEST_F(IntakeTest, ABoundPodStaysInItsSubGroup) {
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("train", "g-1"));
  Sync();
  crds::Pod pod = NewPod("train-0", "train");
  pod.meta.labels["muster.dev/subgroup"] = "web";
  api_.Send("pods", Type::kAdded, pod);
  pod.meta.labels["muster.dev/subgroup"] = "db";  // Not bound yet: it counts.
  pod.meta.resource_version = "2";
  api_.Send("pods", Type::kModified, pod);
  api_.Send("pods", Type::kModified, Bound(pod, "3", "g-1"));
  EXPECT_EQ(Notes(), Lines{});
  pod.meta.labels["muster.dev/subgroup"] = "web";
  api_.Send("pods", Type::kModified, Bound(pod, "4", "g-1"));
  pod.meta.labels.erase("muster.dev/subgroup");
  api_.Send("pods", Type::kModified, Bound(pod, "5", "g-1"));
  EXPECT_EQ(stores_.pod({"team", "train-0"})->pins.sub_group, "db");
  EXPECT_EQ(Notes(), Lines{"LabelIgnored on train-0: muster.dev/subgroup of a bound pod has no "
                           "effect; it stays in sub-group db"});
}

TEST_F(IntakeTest, ALabelCountsUntilThePodIsBound) {
  Sync();
  api_.Send("pods", Type::kAdded, NewPod("train-0", "train"));
  api_.Send("pods", Type::kModified, NewPod("train-0", "other", "2"));
  EXPECT_EQ(Take(), (Lines{"pod train-0 gang train", "pod train-0 gang other"}));
  EXPECT_TRUE(stores_.pods_of({"team", "train"}).empty());
  EXPECT_EQ(stores_.pods_of({"team", "other"}).size(), 1U);
  EXPECT_EQ(Notes(), Lines{});
}

TEST_F(IntakeTest, ABoundGangOfOneStaysOne) {
  Sync();
  crds::Pod pod = NewPod("notebook", "");
  pod.meta.labels = {{"muster.dev/queue", "q"}};
  SendBound(pod, "2", "");
  EXPECT_EQ(Notes(), Lines{});
  pod.meta.labels["muster.dev/queue"] = "cheap";
  api_.Send("pods", Type::kModified, Bound(pod, "3", ""));
  EXPECT_EQ(Notes(), Lines{"LabelIgnored on notebook: muster.dev/queue of a bound pod has no "
                           "effect; it stays charged to queue q"});
  SendBound(NewPod("late", "train"), "4", "");
  EXPECT_EQ(Notes(), Lines{"LabelIgnored on late: muster.dev/pod-group of a bound pod has no "
                           "effect; it stays a gang of its own"});
  EXPECT_EQ(Take(), (Lines{"pod notebook gang notebook*", "pod notebook gang notebook* on n1",
                           "pod notebook gang notebook* on n1", "pod late gang train",
                           "pod late gang late* on n1"}));
}

TEST_F(IntakeTest, AnEditOfAnAnnotationOfABoundPodIsNotPassedOnAndItsUserIsToldOnce) {
  struct Case {
    const char* key;
    const char* payer;
    const char* stays;
  };
  const std::vector<Case> cases = {
      {"muster.dev/admitted-queue", "q", "; it stays charged to queue q"},
      {"muster.dev/admitted-queue", "", ""},
      {"muster.dev/admitted-group-uid", "q", "; it stays a member of train"},
      {"muster.dev/journal", "q", ""},
  };
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("train", "g-1"));
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("other", "g-2"));
  Sync();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    payer_ = cases[i].payer;
    const std::string name = "p-" + std::to_string(i);
    api_.Send("pods", Type::kAdded, NewPod(name, "train"));
    crds::Pod pod = Bound(NewPod(name, "train"), "2", "g-1");
    pod.meta.annotations["muster.dev/journal"] = "p-00/7";
    api_.Send("pods", Type::kModified, pod);
    EXPECT_EQ(Notes(), Lines{});
    for (const char* edit : {"g-2", "p-01/9", ""}) {
      pod.meta.annotations[cases[i].key] = edit;
      pod.meta.resource_version += "1";
      api_.Send("pods", Type::kModified, pod);
      EXPECT_EQ(last_.admitted_queue, "q");
      EXPECT_EQ(last_.admitted_group_uid, "g-1");
      EXPECT_EQ(last_.bound_by, 7U);
      EXPECT_EQ(last_.gang.name, "train");
    }
    EXPECT_EQ(Notes(), Lines{"LabelIgnored on " + name + ": " + cases[i].key +
                             " of a bound pod has no effect" + cases[i].stays});
  }
}

// An id that was never given cannot say that the intent of its entry is known.
TEST_F(IntakeTest, AJournalIdIsBelievedBelowTheFirstOfThisLife) {
  api_.Send("podgroups", Type::kListEnd);
  const std::vector<std::pair<const char*, std::uint64_t>> cases = {
      {"p-00/99", 99}, {"p-00/100", 0}, {"p-00/18446744073709551615", 0}, {"nonsense", 0}};
  for (const auto& [journal, believed] : cases) {
    crds::Pod pod = Bound(NewPod(std::string("p") + std::to_string(believed), ""), "2", "");
    pod.meta.name += journal;
    pod.meta.annotations["muster.dev/journal"] = journal;
    api_.Send("pods", Type::kListed, pod);
    EXPECT_EQ(last_.bound_by, believed) << journal;
    EXPECT_EQ(last_.journalled, std::string(journal) != "nonsense");
  }
}

// spec.nodeName and all that a Binding writes can be set by whoever makes the pod.
TEST_F(IntakeTest, WhoComesWithItsNodeWasNotBoundByUs) {
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("train", "g-1"));
  api_.Send("podgroups", Type::kListEnd);
  const auto forged = [](const std::string& name) {
    crds::Pod pod = Bound(NewPod(name, ""), "2", "g-1");
    pod.meta.annotations["muster.dev/journal"] = "p-00/7";
    return pod;
  };
  api_.Send("pods", Type::kListed, forged("found"));
  EXPECT_EQ(last_.admitted_queue + " " + last_.admitted_group_uid, "q g-1");
  EXPECT_EQ(last_.bound_by, 7U);
  EXPECT_EQ(last_.gang.name, "train");
  for (const char* plural : {"queues", "nodes", "namespaces", "priorityclasses", "pods"}) {
    api_.Send(plural, Type::kListEnd);
  }
  api_.Send("pods", Type::kAdded, forged("late"));
  EXPECT_EQ(last_.admitted_queue + last_.admitted_group_uid, "");
  EXPECT_EQ(last_.bound_by, 0U);
  EXPECT_FALSE(last_.journalled);
  EXPECT_EQ(last_.gang.name, "late");
  EXPECT_EQ(Notes().back(),
            "LabelIgnored on late: muster.dev/admitted-queue of a bound pod has no effect; it "
            "stays charged to queue q");
}

// A PodGroup of another namespace is none of its business, whatever its annotation says.
TEST_F(IntakeTest, AGroupUidCountsInItsOwnNamespaceAlone) {
  auto theirs = Object<crds::PodGroup>("train", "g-9", "1");
  theirs.meta.ns = "elsewhere";
  api_.Send("podgroups", Type::kListed, theirs);
  Sync();
  api_.Send("pods", Type::kAdded, NewPod("train-0", "mine"));
  api_.Send("pods", Type::kModified, Bound(NewPod("train-0", "mine"), "2", "g-9"));
  EXPECT_EQ(last_.gang, (scheduler::Key{"team", "mine"}));
  EXPECT_TRUE(stores_.pods_of({"elsewhere", "train"}).empty());
}

TEST_F(IntakeTest, APodThatSomebodyElseBoundStaysWithItsFirstGang) {
  Sync();
  crds::Pod pod = NewPod("p", "train");
  pod.node_name = "n1";
  api_.Send("pods", Type::kAdded, pod);
  pod.meta.labels["muster.dev/pod-group"] = "other";
  pod.meta.resource_version = "2";
  api_.Send("pods", Type::kModified, pod);
  EXPECT_EQ(Take(), (Lines{"pod p gang train on n1", "pod p gang train on n1"}));
  EXPECT_EQ(Notes().size(), 1U);
}

TEST_F(IntakeTest, APodGroupDeletedUnderItsPodsIsToldOnEachThatRuns) {
  api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("train", "g-1"));
  Sync();
  SendBound(NewPod("train-0", "train"), "2", "g-1");
  SendBound(NewPod("train-1", "train"), "3", "g-1");
  api_.Send("pods", Type::kAdded, NewPod("train-2", "train"));
  crds::Pod ended = Bound(NewPod("train-2", "train"), "4", "g-1");
  ended.phase = "Succeeded";
  api_.Send("pods", Type::kAdded, ended);
  api_.Send("pods", Type::kAdded, NewPod("train-3", "train"));  // Waits: its condition says it.
  api_.Send("podgroups", Type::kDeleted, Namespaced<crds::PodGroup>("train", "g-1", "9"));
  const std::string note = R"(: PodGroup \"train\" does not exist in namespace team)";
  EXPECT_EQ(Notes(),
            (Lines{"PodGroupNotFound on train-0" + note, "PodGroupNotFound on train-1" + note}));
  EXPECT_EQ(Take().back(), "group gone train");
}

TEST_F(IntakeTest, PodsOfOneControllerShareTheQueueTimeOfTheFirst) {
  Sync();
  const auto make = [](const std::string& name, std::int64_t created, const std::string& owner) {
    crds::Pod pod = NewPod(name, "");
    pod.meta.creation_ms = created;
    pod.meta.owners = {{.api_version = "batch/v1",
                        .kind = "Job",
                        .name = owner,
                        .uid = owner,
                        .controller = true}};
    return pod;
  };
  const crds::Pod first = make("job-1", 1'000, "job");
  api_.Send("pods", Type::kAdded, first);
  EXPECT_EQ(last_.owner_first_seen.ms, 1'000);
  crds::Pod second = make("job-2", 5'000, "job");
  api_.Send("pods", Type::kAdded, second);
  EXPECT_EQ(last_.owner_first_seen.ms, 1'000);
  crds::Pod stranger = make("job-1", 4'000, "job");  // Its uid is written on a pod elsewhere.
  stranger.meta.ns = "elsewhere";
  api_.Send("pods", Type::kAdded, stranger);
  EXPECT_EQ(last_.owner_first_seen.ms, 4'000);
  api_.Send("pods", Type::kDeleted, first);
  second.meta.resource_version = "2";
  api_.Send("pods", Type::kModified, second);
  EXPECT_EQ(last_.owner_first_seen.ms, 1'000);
  api_.Send("pods", Type::kAdded, make("alien-1", 6'000, "alien"));
  EXPECT_EQ(last_.owner_first_seen.ms, 6'000);
  api_.Send("pods", Type::kDeleted, second);  // None is left: the next one begins anew.
  api_.Send("pods", Type::kAdded, make("job-3", 9'000, "job"));
  EXPECT_EQ(last_.owner_first_seen.ms, 9'000);
  api_.Send("pods", Type::kAdded, NewPod("lone", ""));
  EXPECT_EQ(last_.owner_first_seen.ms, 0);
}

}  // namespace
}  // namespace muster::controllers
