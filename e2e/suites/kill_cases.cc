#include "e2e/suites/kill_cases.h"

#include <algorithm>
#include <map>
#include <set>

#include "e2e/suites/kill_world.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kPatienceMs = 40'000;
// Longer than an entry's 5 s of quiet and its time-out of 20 s together.
constexpr std::int64_t kRestMs = 60'000;

template <class Condition>
bool WaitFor(std::int64_t patience_ms, const Condition& holds) {
  const std::int64_t until = SteadyMs() + patience_ms;
  while (!holds()) {
    if (SteadyMs() >= until) return false;
    SleepMs(20);
  }
  return true;
}

std::string Counted(const std::string& what, std::int64_t count) {
  return what + " " + std::to_string(count);
}

// The gang is made, and the operator is dead when this returns "".
std::string KillAt(KillWorld& world, const KillCase& one) {
  if (std::string failed = world.Arm(one.when, one.at); !failed.empty()) return failed;
  if (std::string failed = world.MakeGang(); !failed.empty()) return failed;
  if (!world.WaitKilled(kPatienceMs)) return "the hook did not kill";
  world.Disarm();
  const std::int64_t stated = one.when == "before" ? one.at - 1 : one.at;
  const std::int64_t bound = world.Bound();
  return bound == stated ? "" : Counted("bound at the kill:", bound);
}

std::map<std::string, std::string> NodesOf(const std::vector<Member>& members) {
  std::map<std::string, std::string> nodes;
  for (const Member& member : members) nodes[member.uid] = member.node;
  return nodes;
}

std::set<std::string> FirstNodes() {
  std::set<std::string> nodes;
  for (int i = 1; i <= kMembers; ++i) nodes.insert("n" + std::to_string(i));
  return nodes;
}

// All bound on the nodes of the entry: there are as many members as there were nodes, so the entry
// names each of them; which member goes where stands in `plan`, where the page had it.
std::string IsWholeAsPlanned(KillWorld& world, const std::map<std::string, std::string>& plan,
                             const std::vector<Member>& before) {
  if (!WaitFor(kPatienceMs, [&] { return world.Bound() == kMembers; })) {
    return Counted("bound after the restart:", world.Bound());
  }
  const std::map<std::string, std::string> nodes = NodesOf(world.Gang());
  std::set<std::string> used;
  for (const auto& [uid, node] : nodes) {
    used.insert(node);
    const auto planned = plan.find(uid);
    if (planned != plan.end() && planned->second != node) {
      return "planned on " + planned->second + ", bound to " + node;
    }
  }
  if (used != FirstNodes()) return "bound beside the nodes of the entry";
  for (const Member& member : before) {
    if (!nodes.contains(member.uid)) return "deleted: " + member.name;
  }
  return {};
}

std::string EachAcceptedOnce(KillWorld& world) {
  for (const auto& [uid, nodes] : world.Accepted()) {
    if (nodes.size() != 1) return Counted("Bindings accepted for one pod:", std::ssize(nodes));
  }
  return {};
}

std::string PagesEmptyInTheEnd(KillWorld& world) {
  return WaitFor(kRestMs, [&] { return world.PagesAreEmpty(); }) ? "" : "an entry is left";
}

std::string RunA(KillWorld& world, const KillCase& one) {
  if (std::string failed = KillAt(world, one); !failed.empty()) return failed;
  const auto plan = world.Plan();
  const std::vector<Member> before = world.Gang();
  if (std::string failed = world.StartMusterAgain(); !failed.empty()) return failed;
  if (std::string wrong = IsWholeAsPlanned(world, plan, before); !wrong.empty()) return wrong;
  if (std::string wrong = EachAcceptedOnce(world); !wrong.empty()) return wrong;
  return PagesEmptyInTheEnd(world);
}

std::string RunB(KillWorld& world, const KillCase& one) {
  if (std::string failed = KillAt(world, one); !failed.empty()) return failed;
  const auto plan = world.Plan();
  const std::vector<Member> before = world.Gang();
  if (std::string failed = world.AddNode("a0", true); !failed.empty()) return failed;
  if (std::string failed = world.AddUrgentPod("n8"); !failed.empty()) return failed;
  if (std::string failed = world.StartMusterAgain(); !failed.empty()) return failed;
  if (std::string wrong = IsWholeAsPlanned(world, plan, before); !wrong.empty()) return wrong;
  if (std::string wrong = PagesEmptyInTheEnd(world); !wrong.empty()) return wrong;
  return world.UrgentPodIsBound() ? "the urgent pod is bound" : "";
}

// A node of the entry that no member is bound to.
std::string UnusedNode(KillWorld& world) {
  std::set<std::string> unused = FirstNodes();
  for (const Member& member : world.Gang()) unused.erase(member.node);
  return unused.empty() ? "" : *unused.begin();
}

bool IsAtRest(KillWorld& world) {
  const std::vector<Member> members = world.Gang();
  return world.PagesAreEmpty() && std::none_of(members.begin(), members.end(),
                                               [](const Member& m) { return m.terminating; });
}

std::string RunC(KillWorld& world, const KillCase& one) {
  if (std::string failed = KillAt(world, one); !failed.empty()) return failed;
  const std::string node = UnusedNode(world);
  if (node.empty()) return "no node of the entry is unused";
  world.DeleteNode(node);
  if (std::string failed = world.StartMusterAgain(); !failed.empty()) return failed;
  // Twice in a row: a decision between two looks would show.
  const bool rests = WaitFor(kRestMs, [&] {
    if (!IsAtRest(world)) return false;
    SleepMs(1000);
    return IsAtRest(world);
  });
  if (!rests) return "an entry is left";
  std::set<std::string> nodes = world.Nodes();
  std::int64_t bound = 0;
  for (const Member& member : world.Gang()) {
    if (member.node.empty()) continue;
    ++bound;
    if (!nodes.contains(member.node)) return "bound to a node that is gone";
  }
  return bound == 0 || bound == kMembers ? "" : Counted("bound at rest:", bound);
}

// The held member's node is gone, the operator was killed, and its entry has left the page.
std::string HoldAndAbandon(KillWorld& world, const KillCase& one, std::string& node) {
  if (std::string failed = world.Arm("hold", one.at); !failed.empty()) return failed;
  if (std::string failed = world.MakeGang(); !failed.empty()) return failed;
  if (!WaitFor(kPatienceMs, [&] { return world.Bound() == kMembers - 1; })) {
    return Counted("bound while one is held:", world.Bound());
  }
  node = UnusedNode(world);
  world.DeleteNode(node);
  world.KillMuster();
  if (std::string failed = world.StartMusterAgain(); !failed.empty()) return failed;
  // Later its condition speaks of the gang that waits again.
  bool touched = false;
  const bool left = WaitFor(kRestMs, [&] {
    for (const Member& member : world.Gang()) touched = touched || member.touched;
    return IsAtRest(world) && world.Bound() == 0;
  });
  if (!left) return Counted("not given up; bound:", world.Bound());
  return touched ? "" : "the held member was not touched";
}

std::string RunD(KillWorld& world, const KillCase& one) {
  std::string node;
  if (std::string failed = HoldAndAbandon(world, one, node); !failed.empty()) return failed;
  const std::string held = world.HeldPod();
  const std::vector<Member> members = world.Gang();
  if (members.size() != 1 || members[0].name != held) return "not just the held member is left";
  const std::int64_t code = world.ReleaseHeld();
  if (code != 409) return Counted("the held Binding was answered with", code);
  if (std::string failed = world.MakeMissing(); !failed.empty()) return failed;
  if (std::string failed = world.AddNode("n9", false); !failed.empty()) return failed;
  if (!WaitFor(kPatienceMs, [&] { return world.Bound() == kMembers; })) {
    return Counted("bound in the end:", world.Bound());
  }
  for (const auto& [uid, nodes] : world.Accepted()) {
    if (nodes.contains(node)) return "something was bound to " + node;
  }
  return {};
}

std::string RunScenario(KillWorld& world, const KillCase& one) {
  switch (one.scenario) {
    case 'a':
      return RunA(world, one);
    case 'b':
      return RunB(world, one);
    case 'c':
      return RunC(world, one);
    default:
      return RunD(world, one);
  }
}

}  // namespace

std::vector<KillCase> AllKillCases() {
  std::vector<KillCase> cases;
  const auto add = [&cases](char scenario, int at, const char* when) {
    cases.push_back({.scenario = scenario, .at = at, .when = when});
  };
  for (const char scenario : {'a', 'b', 'c'}) {
    add(scenario, 0, "page");
    for (int at = 1; at <= kMembers; ++at) add(scenario, at, "before");
    // After the last one nothing is left to lose a node.
    const int last = scenario == 'c' ? kMembers - 1 : kMembers;
    for (int at = 1; at <= last; ++at) add(scenario, at, "after");
  }
  for (int at = 1; at <= kMembers; ++at) add('d', at, "hold");
  return cases;
}

std::string RunKillCase(const KillCase& one, const Programs& programs, const std::string& plant) {
  KillWorld world(programs, plant);
  if (std::string failed = world.Start(); !failed.empty()) return failed;
  std::string wrong = RunScenario(world, one);
  return world.unanswered().empty() ? wrong : world.unanswered();
}

}  // namespace muster::e2e
