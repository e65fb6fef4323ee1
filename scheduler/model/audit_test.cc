// Canaries: a fault planted behind the ledger's back is found, and named.
#include "scheduler/model/audit.h"

#include <functional>

#include <gtest/gtest.h>

#include "scheduler/model/cluster.h"
#include "scheduler/model/transaction.h"
#include "scheduler/testing/builders_cluster.h"

namespace muster::scheduler {
namespace {

using testing::ApplyAll;
using testing::Bound;
using testing::Gpus;
using testing::MakeForeign;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;

Cluster Busy() {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("8")), MakeNode("n2", Gpus("8")), MakeQueue("q", Gpus("16")),
           NamespaceSeen{.name = "default", .labels = {}}, Synced{}, MakeGang("g", "q", 2),
           Bound(MakeMember("g", 0, Gpus("2")), "n1", "q"), MakeMember("g", 1, Gpus("2")),
           MakeForeign("f", "n2", Gpus("1")));
  PodSeen waits = MakeMember("g", 2, Gpus("2"));
  waits.images = {"train:1"};
  NodeSeen holds = MakeNode("n2", Gpus("8"));
  holds.images = {{"train:1", 5}};
  ApplyAll(c, waits, holds);
  const PodId pod = *c.FindPod("uid-g-1");
  Transaction t(c);
  t.Place(std::span(&pod, 1), *c.FindNode("n2"));
  t.Commit({.gang = *c.FindGang({.ns = "default", .name = "g"}), .pods = {pod}});
  return c;
}

TEST(Audit, FindsEachPlantedFault) {
  struct Case {
    const char* what;
    std::function<void(Tables&)> plant;
    const char* found;
  };
  const auto add = [](Tables& t, Cell cell) { t.columns.Set(cell, t.columns.Get(cell) + 1); };
  const auto bound = [](const Tables& t) { return *t.FindPod("uid-g-0"); };
  const auto reserved = [](const Tables& t) { return *t.FindPod("uid-g-1"); };
  const std::vector<Case> cases = {
      {"capacity counted twice",
       [&](Tables& t) {
         add(t, {Column::kNodeUsed, t.nodes.Find("n1")->value * 8 + 2});
       },
       "node n1 used nvidia.com/gpu: 2001, expected 2000"},
      {"a slot lost",
       [&](Tables& t) {
         add(t, {Column::kNodeUsed, t.nodes.Find("n2")->value * 8 + 1});
       },
       "node n2 used pods: 3, expected 2"},
      {"a charge that nobody gave",
       [&](Tables& t) {
         add(t, {Column::kQueueUsage, t.FindQueue("q")->value * 8 + 2});
       },
       "queue q usage nvidia.com/gpu: 4001, expected 4000"},
      {"a member counted twice",
       [&](Tables& t) {
         add(t, {Column::kGangCount, 3});
       },
       "gang default/g count 3: 2, expected 1"},
      {"a pod out of its gang's list", [](Tables& t) { t.gangs[0].members.pop_back(); },
       "gang default/g: list of pods"},
      {"a shape kept alive", [&](Tables& t) { t.shapes.Retain(t.pods[bound(t).value].shape); },
       "shape 0: 4, expected 3"},
      {"a set of images kept alive",
       [](Tables& t) { (void)t.images.Acquire(t.images.NamesOf(ImageSetId{1})); },
       "image set 1: 2, expected 1"},
      {"a pod that asks for no image any more",
       [](Tables& t) { t.pods[t.FindPod("uid-g-2")->value].images = kNoImages; },
       "image set 1: 1, expected 0"},
      {"an image that is not as large as its node says",
       [](Tables& t) {
         const ImageId image = t.images.images(ImageSetId{1})[0];
         const_cast<ImageTable::Holder&>(t.images.holders(image)[0]).size = 6;
       },
       "image train:1: list of nodes"},
      {"a member without pins", [&](Tables& t) { t.pods[bound(t).value].bound = false; },
       "bound but never shown so"},
      {"charged against its pin",
       [&](Tables& t) { t.pods[bound(t).value].admitted_queue = t.InternQueue("other"); },
       "charged against its pin"},
      {"reserved for nobody", [&](Tables& t) { t.pods[reserved(t).value].entry = 9; },
       "reserved by no open entry"},
      {"released but reserved", [](Tables& t) { t.entries.at(1).members[0].released = true; },
       "its entry does not hold it"},
      {"an id that would be given out again", [](Tables& t) { t.next_entry = 1; },
       "entry 1: its id would be given out again"},
      {"an entry that its gang forgot", [](Tables& t) { t.gangs[0].entries.clear(); },
       "entries: not all are in their gangs' lists"},
      {"a dead uid that lives", [](Tables& t) { t.gone.Add("uid-g-0"); }, "came back"},
      {"a pin of the namespace of others",
       [&](Tables& t) { t.pods[bound(t).value].ns = t.InternNamespace("other"); }, "membership"},
      {"a node under another name", [](Tables& t) { t.nodes.row(t.nodes.by_name()[0]).name = "z"; },
       "node z: not found by its name"},
  };
  ASSERT_EQ(Busy().Audit(), "");
  for (const Case& test : cases) {
    Cluster c = Busy();
    test.plant(c.tables());
    EXPECT_NE(c.Audit().find(test.found), std::string::npos) << test.what << ": " << c.Audit();
  }
}

}  // namespace
}  // namespace muster::scheduler
