// What the core says of gangs and queues, for tests of the status side: sample shapes that a test
// changes field by field.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "crds/pod_group.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers::testing {

inline constexpr Wall kNow{1'788'220'800'250};
inline constexpr std::int64_t kNowSeconds = 1'788'220'800'000;

inline constexpr const char* kNoRoom =
    "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. Gang train-b: 0 of 4 members fit; "
    "short 32 nvidia.com/gpu; held by default/train-a (32).";

// Member <i> of a gang: "train-b-2".
inline scheduler::MemberStatus Member(const scheduler::Key& gang, std::int32_t index) {
  scheduler::MemberStatus member;
  member.pod = {gang.ns, gang.name + "-" + std::to_string(index)};
  member.uid = "u-" + member.pod.name;
  return member;
}

// Waits for room: nothing is charged, `members` pods exist and all are told the same.
inline scheduler::GangStatus WaitingGang(const std::string& name, std::int32_t members = 4) {
  scheduler::GangStatus gang;
  gang.key = {"default", name};
  gang.uid = "u-" + name;
  gang.queue = "research";
  gang.phase = scheduler::Phase::kQueued;
  gang.min_member = gang.total = members;
  gang.attempts = 1;
  gang.attempted = true;
  gang.admitted_reason = "NotPlaced";
  gang.scheduled_reason = gang.reason = "Unschedulable";
  gang.message = kNoRoom;
  for (std::int32_t i = 0; i < members; ++i) {
    scheduler::MemberStatus member = Member(gang.key, i);
    member.reason = "Unschedulable";
    member.message = kNoRoom;
    gang.members.push_back(std::move(member));
  }
  return gang;
}

// All of its members are bound, each to a node of its own.
inline scheduler::GangStatus RunningGang(const std::string& name, std::int32_t members = 4) {
  scheduler::GangStatus gang = WaitingGang(name, members);
  gang.phase = scheduler::Phase::kRunning;
  gang.bound = gang.running = members;
  gang.admitted = gang.scheduled = true;
  gang.admitted_at = {1'788'220'799'500};
  gang.charges = {{"cpu", 4'500}, {"nvidia.com/gpu", 8'000 * members}};
  gang.admitted_reason = gang.scheduled_reason = gang.reason = "";
  const std::string all = std::to_string(members);
  gang.message = all + " of " + all + " members bound to " + all + " nodes";
  for (std::int32_t i = 0; i < members; ++i) {
    scheduler::MemberStatus member = Member(gang.key, i);
    member.bound = true;
    member.node = "node-" + std::to_string(i + 1);
    gang.members[static_cast<std::size_t>(i)] = std::move(member);
  }
  return gang;
}

inline crds::PodGroup GroupOf(const scheduler::GangStatus& gang) {
  crds::PodGroup group;
  group.meta.ns = gang.key.ns;
  group.meta.name = gang.key.name;
  group.meta.uid = gang.uid;
  group.meta.generation = 1;
  group.queue = gang.queue;
  group.min_member = gang.min_member;
  return group;
}

}  // namespace muster::controllers::testing
