#include "controllers/intake.h"

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/manual_loop.h"
#include "scheduler/base/amount.h"

namespace muster::controllers {
namespace {

using Type = ports::WatchEvent::Type;
using Lines = std::vector<std::string>;

// The API server as far as Intake sees it: the streams that were asked for, by plural.
class Streams final : public ports::Api {
 public:
  void AllowWritesUntil(Ticks) override {}
  void Call(ports::Request request, Done done) override {
    events.push_back(std::move(request));
    done(ports::Response{});
  }
  void ListAndWatch(ports::Resource resource, Decode /*decode*/, Sink sink) override {
    ++begun[resource.plural];
    if (sinks.contains(resource.plural)) former[resource.plural] = sinks[resource.plural];
    sinks[resource.plural] = std::move(sink);
  }
  void Send(const std::string& plural, Type type, crds::Object object = {}) {
    ports::WatchEvent event{};
    event.type = type;
    event.object = std::move(object);
    sinks.at(plural)(std::move(event));
  }

  std::map<std::string, Sink> sinks, former;
  std::map<std::string, int> begun;
  std::vector<ports::Request> events;
};

std::string Describe(const scheduler::Event& event) {
  return std::visit(
      [](const auto& e) -> std::string {
        using T = std::decay_t<decltype(e)>;
        if constexpr (std::is_same_v<T, scheduler::PodSeen>) {
          return "pod " + e.key.name + " gang " + e.gang.name + (e.gang.single_pod ? "*" : "") +
                 (e.node.empty() ? "" : " on " + e.node);
        } else if constexpr (std::is_same_v<T, scheduler::PodGone>) {
          return "pod gone " + e.uid;
        } else if constexpr (std::is_same_v<T, scheduler::GangSeen>) {
          return "group " + e.key.name;
        } else if constexpr (std::is_same_v<T, scheduler::GangGone>) {
          return "group gone " + e.key.name;
        } else if constexpr (std::is_same_v<T, scheduler::NodeSeen>) {
          return "node " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::NodeGone>) {
          return "node gone " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::QueueSeen>) {
          return "queue " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::QueueGone>) {
          return "queue gone " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::NamespaceSeen>) {
          return "namespace " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::NamespaceGone>) {
          return "namespace gone " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::PriorityClassSeen>) {
          return "class " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::PriorityClassGone>) {
          return "class gone " + e.name;
        } else {
          return "?";
        }
      },
      event);
}

template <class T>
T Object(const std::string& name, const std::string& uid, const std::string& version) {
  T object;
  object.meta.name = name;
  object.meta.uid = uid;
  object.meta.resource_version = version;
  return object;
}
template <class T>
T Namespaced(const std::string& name, const std::string& uid, const std::string& version = "1") {
  T object = Object<T>(name, uid, version);
  object.meta.ns = "team";
  return object;
}
crds::Pod NewPod(const std::string& name, const std::string& group,
                 const std::string& version = "1") {
  auto pod = Namespaced<crds::Pod>(name, "u-" + name, version);
  pod.scheduler_name = "muster";
  if (!group.empty()) pod.meta.labels = {{"muster.dev/pod-group", group}};
  return pod;
}
crds::Pod Bound(crds::Pod pod, const std::string& version, const std::string& group_uid) {
  pod.meta.resource_version = version;
  pod.node_name = "n1";
  pod.meta.annotations = {{"muster.dev/admitted-queue", "q"}};
  if (!group_uid.empty()) pod.meta.annotations["muster.dev/admitted-group-uid"] = group_uid;
  return pod;
}

class IntakeTest : public ::testing::Test {
 protected:
  IntakeTest()
      : recorder_(
            loop_,
            [this](ports::Request request, ports::Api::Done done) {
              api_.Call(std::move(request), std::move(done));
            },
            "muster-0", [] {}),
        intake_(api_, recorder_, stores_,
                {.apply =
                     [this](const scheduler::Event& event) {
                       log_.push_back(Describe(event));
                       if (const auto* pod = std::get_if<scheduler::PodSeen>(&event)) last_ = *pod;
                     },
                 .synced = [this] { log_.emplace_back("synced"); },
                 .current = [this](bool now) { log_.emplace_back(now ? "current" : "stale"); },
                 .group_stored = [this](const scheduler::Key& key) { stored_.push_back(key.name); },
                 .queue_stored = [this](const std::string& name) { stored_.push_back(name); },
                 .warn = [this](const std::string& text) { log_.push_back("warn " + text); },
                 .payer = [this](const scheduler::Uid&) { return payer_; }},
                "muster") {}
  void SetUp() override { intake_.Start(100); }

  // All kinds listed, with what `log_` showed of it dropped.
  void Sync() {
    api_.Send("podgroups", Type::kListEnd);
    for (const char* plural : {"queues", "nodes", "namespaces", "priorityclasses", "pods"}) {
      api_.Send(plural, Type::kListEnd);
    }
    log_.clear();
  }
  // As it comes about: it waits, then it is bound.
  void SendBound(const crds::Pod& pod, const std::string& version, const std::string& group_uid) {
    api_.Send("pods", Type::kAdded, pod);
    api_.Send("pods", Type::kModified, Bound(pod, version, group_uid));
  }
  Lines Take() { return std::exchange(log_, {}); }
  // "Reason on pod: note" of each event.
  Lines Notes() {
    Lines out;
    for (const ports::Request& request : std::exchange(api_.events, {})) {
      const auto field = [&](const std::string& name, std::size_t from) {
        const std::string key = '"' + name + "\":\"";
        const std::size_t at = request.body.find(key, from) + key.size();
        return request.body.substr(at, request.body.find("\",", at) - at);
      };
      const std::size_t regarding = request.body.find("\"regarding\"");
      out.push_back(field("reason", 0) + " on " + field("name", regarding) + ": " +
                    field("note", 0));
    }
    return out;
  }

  testing::ManualLoop loop_;
  Streams api_;
  Stores stores_;
  EventRecorder recorder_;
  Lines log_, stored_;
  scheduler::PodSeen last_;
  std::string payer_ = "q";
  Intake intake_;
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

class StandbyIntakeTest : public IntakeTest {
 protected:
  // What takes an object's time to list is waited for; so is the answer to what was asked.
  void SetUp() override {
    intake_.StandBy(
        {.loop = loop_,
         .send = [this](ports::Request request,
                        ports::Api::Done done) { asked_[request.resource.plural] = done; },
         .list_us = 100'000});
    api_.Send("podgroups", Type::kListed, Namespaced<crds::PodGroup>("train", "g-1"));
    api_.Send("pods", Type::kListed, Bound(NewPod("train-0", "other"), "1", "g-1"));
    api_.Send("pods", Type::kListed, NewPod("train-1", "train"));
    for (const auto& [plural, sink] : api_.sinks) Bookmark(plural, Type::kListEnd, "5");
  }
  void Bookmark(const std::string& plural, Type type, const std::string& version) {
    ports::WatchEvent event{};
    event.type = type;
    event.resource_version = version;
    api_.sinks.at(plural)(std::move(event));
  }
  void Answer(const std::string& plural, const std::string& version) {
    asked_.at(plural)(ports::Response{
        .status = 200,
        .body = R"({"metadata":{"resourceVersion":")" + version + R"("},"items":[]})",
        .retry_after_ms = {}});
  }
  // Those of which there is nothing.
  void ListEmptyKinds() {
    for (const char* plural : {"queues", "nodes", "namespaces", "priorityclasses"}) {
      api_.Send(plural, Type::kListEnd);
    }
  }

  std::map<std::string, ports::Api::Done> asked_;
};

TEST_F(StandbyIntakeTest, SaysNothingWhileItStandsBy) {
  api_.Send("pods", Type::kModified, NewPod("train-1", "train", "6"));
  api_.Send("nodes", Type::kLost);
  EXPECT_EQ(Take(), Lines{});
  EXPECT_TRUE(stored_.empty());
  EXPECT_EQ(Notes(), Lines{});
  EXPECT_EQ(stores_.pod({"team", "train-1"}), nullptr);
  EXPECT_FALSE(intake_.synced());
  EXPECT_TRUE(intake_.current());
}

// The pods have passed what is asked for before the PodGroups have: a pin is read by them.
TEST_F(StandbyIntakeTest, TakesWhatItHasKeptWithThePodGroupsFirst) {
  intake_.Start(100);
  EXPECT_EQ(asked_.size(), 2U);
  Answer("pods", "5");
  EXPECT_EQ(Take(), Lines{});
  Answer("podgroups", "6");
  api_.Send("pods", Type::kModified, NewPod("train-1", "train", "7"));
  EXPECT_EQ(Take(), Lines{});
  Bookmark("podgroups", Type::kBookmark, "6");
  EXPECT_EQ(Take(),
            (Lines{"group train", "pod train-0 gang train on n1", "pod train-1 gang train"}));
  EXPECT_EQ(stores_.pod({"team", "train-1"})->resource_version, "7");
  EXPECT_FALSE(intake_.synced());
  ListEmptyKinds();
  EXPECT_EQ(Take(), Lines{"synced"});
  EXPECT_EQ(intake_.warm_kinds(), 2);
  EXPECT_EQ(intake_.anew_kinds(), 4);
  EXPECT_EQ(api_.begun["pods"], 1);
  EXPECT_EQ(api_.begun["nodes"], 2);
  api_.Send("pods", Type::kDeleted, NewPod("train-1", "train", "8"));
  EXPECT_EQ(Take(), Lines{"pod gone u-train-1"});
}

TEST_F(StandbyIntakeTest, IsSyncedOnceThoughAllKindsWaitForThePodGroups) {
  api_.Send("queues", Type::kAdded, Object<crds::Queue>("q", "q-1", "6"));
  api_.Send("nodes", Type::kAdded, Object<crds::Node>("n1", "n-1", "6"));
  api_.Send("namespaces", Type::kAdded, Object<crds::Namespace>("team", "t-1", "6"));
  api_.Send("priorityclasses", Type::kAdded, Object<crds::PriorityClass>("high", "c-1", "6"));
  intake_.Start(100);
  EXPECT_EQ(asked_.size(), 6U);
  for (const char* plural : {"queues", "nodes", "namespaces", "priorityclasses", "pods"}) {
    Answer(plural, "5");
  }
  EXPECT_EQ(Take(), Lines{});
  Answer("podgroups", "5");
  EXPECT_EQ(Take(), (Lines{"group train", "queue q", "node n1", "namespace team", "class high",
                           "pod train-0 gang train on n1", "pod train-1 gang train", "synced"}));
  EXPECT_EQ(intake_.warm_kinds(), 6);
  EXPECT_EQ(intake_.anew_kinds(), 0);
}

// The new list counts alone, whatever the former stream still has on its way.
TEST_F(StandbyIntakeTest, ListsAnewWhatDoesNotComeInTime) {
  intake_.Start(100);
  Answer("podgroups", "5");
  Answer("pods", "9");
  ListEmptyKinds();
  EXPECT_EQ(Take(), Lines{"group train"});
  loop_.Advance(200);
  ASSERT_EQ(api_.begun["pods"], 2);
  ports::WatchEvent late{};
  late.type = Type::kModified;
  late.object = NewPod("train-1", "train", "9");
  api_.former["pods"](late);
  EXPECT_EQ(Take(), Lines{});
  api_.Send("pods", Type::kListed, Bound(NewPod("train-0", "other"), "1", "g-1"));
  api_.Send("pods", Type::kListEnd);
  EXPECT_EQ(Take(), (Lines{"pod train-0 gang train on n1", "synced"}));
  EXPECT_EQ(intake_.warm_kinds(), 1);
}

}  // namespace
}  // namespace muster::controllers
