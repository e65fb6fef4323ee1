// Each part of the verdict can fail.
#include "e2e/suites/outage_verdict.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

OutageEnd::Pod Running(const std::string& name, const std::string& node) {
  return {.name = name, .uid = "u-" + name, .node = node, .phase = "Running", .gpus = 4};
}

// Gang g runs on n1, and w has no room.
OutageEnd Good() {
  OutageEnd end;
  end.gangs = {{.name = "g",
                .phase = "Running",
                .created = {"u-g-0", "u-g-1"},
                .pods = {Running("g-0", "n1"), Running("g-1", "n1")}},
               {.name = "w",
                .phase = "Queued",
                .fits = false,
                .created = {"u-w-0"},
                .pods = {{.name = "w-0", .uid = "u-w-0", .phase = "Pending", .gpus = 4}}}};
  end.nodes = {"n1", "n2"};
  end.accepted = {{"u-g-0", {"n1"}}, {"u-g-1", {"n1"}}};
  end.pages_are_empty = true;
  return end;
}

std::string WrongAfter(const std::function<void(OutageEnd&)>& change) {
  OutageEnd end = Good();
  change(end);
  return WrongIn(end);
}

TEST(OutageVerdict, NothingIsWrongWhenAllIsWell) {
  EXPECT_EQ(WrongIn(Good()), "");
}

TEST(OutageVerdict, AGangIsWhole) {
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.gangs[0].pods[1].phase = "Pending"; }),
            "g: 1 of 2 run");
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.gangs[0].pods[1].node = ""; }), "g: 1 of 2 run");
}

TEST(OutageVerdict, TheStatusIsTrue) {
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.gangs[0].phase = "Binding"; }),
            "g: its status says Binding");
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.gangs[1].phase = "Running"; }),
            "w: its status says Running");
}

TEST(OutageVerdict, WhatHasNoRoomHasNoNode) {
  EXPECT_EQ(WrongAfter([](OutageEnd& end) {
              end.gangs[1].pods[0].node = "n2";
              end.accepted["u-w-0"] = {"n2"};
            }),
            "w: 1 bound where there is no room");
}

TEST(OutageVerdict, NoMemberIsDeletedOrMadeAgain) {
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.gangs[0].pods.pop_back(); }),
            "g: 1 of 2 run; g: 1 deleted");
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.gangs[0].pods[0].terminating = true; }),
            "g: 1 of 2 run; g: 1 deleted");
  EXPECT_EQ(WrongAfter([](OutageEnd& end) {
              end.gangs[0].pods[0].uid = "u-other";
              end.accepted["u-other"] = {"n1"};
            }),
            "g: 1 deleted");
}

TEST(OutageVerdict, NodesExist) {
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.nodes.erase("n1"); }),
            "g-0 is on n1, which does not exist; g-1 is on n1, which does not exist");
}

TEST(OutageVerdict, EachPodIsBoundOnce) {
  EXPECT_EQ(WrongAfter([](OutageEnd& end) {
              end.accepted["u-g-1"] = {"n1", "n1"};
            }),
            "2 Bindings were accepted for pod u-g-1");
  EXPECT_EQ(WrongAfter([](OutageEnd& end) {
              end.accepted["u-gone"] = {"n1", "n2"};
            }),
            "2 Bindings were accepted for pod u-gone");
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.accepted.erase("u-g-1"); }),
            "g-1: no Binding was accepted");
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.accepted["u-g-1"] = {"n2"}; }),
            "g-1: its Binding was accepted for another node than n1");
}

TEST(OutageVerdict, NoNodeIsOvercommitted) {
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.gangs[0].pods[0].gpus = 8; }),
            "n1 is overcommitted: 12 of 8 GPUs");
}

TEST(OutageVerdict, NoEntryIsLeft) {
  EXPECT_EQ(WrongAfter([](OutageEnd& end) { end.pages_are_empty = false; }),
            "a journal entry is left");
}

}  // namespace
}  // namespace muster::e2e
