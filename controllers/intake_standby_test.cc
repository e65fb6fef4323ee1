// An Intake that stands by, and takes over by what it has kept.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/testing/intake_rig.h"

namespace muster::controllers {
namespace {

using testing::Bound;
using testing::Lines;
using testing::Namespaced;
using testing::NewPod;
using testing::Object;
using testing::Type;

class StandbyIntakeTest : public ::testing::Test, protected testing::IntakeRig {
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
