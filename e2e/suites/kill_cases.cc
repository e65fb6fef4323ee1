#include "e2e/suites/kill_cases.h"

#include <algorithm>
#include <set>
#include <utility>

#include "e2e/suites/kill_looks.h"
#include "e2e/suites/kill_world.h"

namespace muster::e2e {
namespace {

// One case, from a world that has just begun.
class Case {
 public:
  Case(KillWorld& world, KillCase one, std::int64_t patience_ms)
      : world_(world), one_(std::move(one)), patience_ms_(patience_ms) {}

  // "" = as it must be; so everywhere below.
  std::string Run() {
    static constexpr std::pair<char, std::string (Case::*)()> kRuns[] = {
        {'a', &Case::RunA}, {'b', &Case::RunB}, {'c', &Case::RunC}, {'d', &Case::RunD},
        {'e', &Case::RunE}, {'s', &Case::RunS}, {'l', &Case::RunL}, {'m', &Case::RunM},
        {'n', &Case::RunN}, {'o', &Case::RunO}, {'w', &Case::RunE}};
    for (const auto& [scenario, run] : kRuns) {
      if (scenario == one_.scenario) return (this->*run)();
    }
    return "no such scenario";
  }

 private:
  std::string RunA();
  std::string RunB();
  std::string RunC();
  std::string RunD();
  std::string RunE();
  std::string RunS();
  std::string RunL();
  std::string RunM();
  std::string RunN();
  std::string RunO();

  // The gang is made, and the operator is dead.
  std::string Kill();
  // Whole on the nodes of the entry by the second operator, and so it stays.
  std::string TakenOver();
  // The entry names a node for each member.
  [[nodiscard]] std::string IsPlanned() const;
  // Fills `whole_`.
  std::string IsWhole(const char* when);
  // All bound on the nodes of the entry: there are as many members as there were nodes, so the
  // entry names each of them; which member goes where stands in `plan_`, where the page had it.
  [[nodiscard]] std::string IsAsPlanned() const;
  [[nodiscard]] std::string NobodyWasDeleted() const;
  // No entry is left, and the gang is what it was when it was whole: an operator that gives it up
  // in the end leaves no entry either.
  std::string StaysWhole();
  // A node of the entry that no member is bound to, and that is planned for one; "" = none.
  std::string UnusedNode();
  bool IsAtRest();
  // One Binding is held, the others are bound; `gone_` is the node of the held one.
  std::string Hold();
  // It is released after its pod was touched.
  std::string HeldComesTooLate();
  // All bound, with one on a node that was not planned, and none deleted for that.
  std::string IsWholeElsewhere();
  // The held member's node is gone, the operator was killed, and its entry has left the page.
  std::string HoldAndAbandon();
  // All bound, or none and the others still wait.
  std::string IsWholeOrNotAtAll();
  // What is bound is on nodes that exist, and nothing ever was bound to `gone_`.
  std::string NothingOnTheOldNode();

  KillWorld& world_;
  const KillCase one_;
  const std::int64_t patience_ms_;
  // At the kill:
  NodeByUid plan_;
  std::vector<Member> before_;
  NodeByUid whole_;   // After the restart, when all were bound.
  std::string gone_;  // The node that was deleted.
};

std::string Case::Kill() {
  if (std::string failed = world_.Arm(one_.when, one_.at); !failed.empty()) return failed;
  if (std::string failed = world_.MakeGang(); !failed.empty()) return failed;
  if (!world_.WaitKilled(kPatienceMs)) return "the hook did not kill";
  if (std::string failed = world_.Disarm(); !failed.empty()) return failed;
  plan_ = world_.Plan();
  before_ = world_.Gang();
  if (before_.size() != kMembers) return Counted("members at the kill:", std::ssize(before_));
  const std::int64_t stated = one_.when == "before" ? one_.at - 1 : one_.at;
  const std::int64_t bound = std::ssize(BoundOf(before_));
  return bound == stated ? "" : Counted("bound at the kill:", bound);
}

std::string Case::IsPlanned() const {
  if (plan_.size() != kMembers) return Counted("members that the entry names:", std::ssize(plan_));
  for (const Member& member : before_) {
    if (!plan_.contains(member.uid)) return "the entry does not name " + member.name;
  }
  return {};
}

std::string Case::IsWhole(const char* when) {
  const bool whole = WaitFor(patience_ms_, [this] {
    whole_ = BoundOf(world_.Gang());
    return whole_.size() == kMembers;
  });
  return whole ? "" : Counted(std::string("bound ") + when + ":", std::ssize(whole_));
}

std::string Case::IsAsPlanned() const {
  std::set<std::string> used;
  for (const auto& [uid, node] : whole_) {
    used.insert(node);
    const auto planned = plan_.find(uid);
    if (planned != plan_.end() && planned->second != node) {
      return "planned on " + planned->second + ", bound to " + node;
    }
  }
  if (used != FirstNodes()) return "bound beside the nodes of the entry";
  return NobodyWasDeleted();
}

std::string Case::NobodyWasDeleted() const {
  for (const Member& member : before_) {
    if (!whole_.contains(member.uid)) return "deleted: " + member.name;
  }
  return {};
}

std::string Case::StaysWhole() {
  if (!WaitFor(patience_ms_, [this] { return world_.PagesAreEmpty(); })) return "an entry is left";
  const std::vector<Member> members = world_.Gang();
  if (members.size() != kMembers || BoundOf(members) != whole_) {
    return "whole, and then no longer; bound: " + std::to_string(BoundOf(members).size());
  }
  const auto accepted = world_.Accepted();
  for (const auto& [uid, node] : whole_) {
    const auto found = accepted.find(uid);
    if (found == accepted.end()) return "no Binding was accepted for " + uid;
    const std::int64_t times = std::ssize(found->second);
    if (times != 1) return Counted("Bindings accepted for one pod:", times);
    if (!found->second.contains(node)) return "accepted for another node than " + node;
  }
  return {};
}

std::string Case::RunA() {
  if (std::string failed = Kill(); !failed.empty()) return failed;
  if (std::string wrong = IsPlanned(); !wrong.empty()) return wrong;
  if (std::string failed = world_.StartMusterAgain(); !failed.empty()) return failed;
  if (std::string wrong = IsWhole("after the restart"); !wrong.empty()) return wrong;
  if (std::string wrong = IsAsPlanned(); !wrong.empty()) return wrong;
  if (std::string wrong = StaysWhole(); !wrong.empty()) return wrong;
  const std::int64_t pods = std::ssize(world_.Accepted());
  return pods == kMembers ? "" : Counted("pods whose Binding was accepted:", pods);
}

// The plan is not asked for here: what becomes of an entry that was never stored must show in
// where the gang ends.
std::string Case::RunB() {
  if (std::string failed = Kill(); !failed.empty()) return failed;
  if (std::string failed = world_.AddNode("a0", true); !failed.empty()) return failed;
  if (std::string failed = world_.AddUrgentPod("n8"); !failed.empty()) return failed;
  if (std::string failed = world_.StartMusterAgain(); !failed.empty()) return failed;
  if (std::string wrong = IsWhole("after the restart"); !wrong.empty()) return wrong;
  if (std::string wrong = IsAsPlanned(); !wrong.empty()) return wrong;
  if (!WaitFor(patience_ms_, [this] { return world_.UrgentPodWaits(); })) {
    return "the urgent pod does not wait";
  }
  if (std::string wrong = StaysWhole(); !wrong.empty()) return wrong;
  return world_.UrgentPodWaits() ? "" : "the urgent pod waits no longer";
}

std::string Case::UnusedNode() {
  std::set<std::string> unused;
  for (const auto& [uid, node] : plan_) unused.insert(node);
  for (const Member& member : world_.Gang()) unused.erase(member.node);
  return unused.empty() ? "" : *unused.begin();
}

bool Case::IsAtRest() {
  const std::vector<Member> members = world_.Gang();
  return world_.PagesAreEmpty() && std::none_of(members.begin(), members.end(),
                                                [](const Member& m) { return m.terminating; });
}

std::string Case::IsWholeOrNotAtAll() {
  const std::vector<Member> members = world_.Gang();
  const std::int64_t bound = std::ssize(BoundOf(members));
  if (bound == kMembers) return {};
  if (bound != 0) return Counted("bound at rest:", bound);
  // A member that never had a node is no reason to delete it: its controller would start over for
  // nothing.
  const auto accepted = world_.Accepted();
  for (const Member& member : before_) {
    const bool is_there = std::any_of(members.begin(), members.end(),
                                      [&](const Member& m) { return m.uid == member.uid; });
    if (!accepted.contains(member.uid) && !is_there) return "deleted unbound: " + member.name;
  }
  return {};
}

std::string Case::NothingOnTheOldNode() {
  const std::set<std::string> present = world_.Nodes();
  for (const auto& [uid, node] : BoundOf(world_.Gang())) {
    if (!present.contains(node)) return "bound to a node that is gone";
  }
  for (const auto& [uid, nodes] : world_.Accepted()) {
    if (nodes.contains(gone_)) return "something was bound to " + gone_;
  }
  return {};
}

std::string Case::RunC() {
  if (std::string failed = Kill(); !failed.empty()) return failed;
  if (std::string wrong = IsPlanned(); !wrong.empty()) return wrong;
  gone_ = UnusedNode();
  if (gone_.empty()) return "no node of the entry is unused";
  if (std::string failed = world_.DeleteNode(gone_); !failed.empty()) return failed;
  if (std::string failed = world_.StartMusterAgain(); !failed.empty()) return failed;
  // Twice in a row: a decision between two looks would show.
  const bool rests = WaitFor(patience_ms_, [this] {
    if (!IsAtRest()) return false;
    SleepMs(1000);
    return IsAtRest();
  });
  if (!rests) return "an entry is left";
  if (std::string wrong = IsWholeOrNotAtAll(); !wrong.empty()) return wrong;
  return NothingOnTheOldNode();
}

std::string Case::Hold() {
  if (std::string failed = world_.Arm("hold", one_.at); !failed.empty()) return failed;
  if (std::string failed = world_.MakeGang(); !failed.empty()) return failed;
  if (!WaitFor(kPatienceMs, [this] { return world_.Bound() == kMembers - 1; })) {
    return Counted("bound while one is held:", world_.Bound());
  }
  plan_ = world_.Plan();
  before_ = world_.Gang();
  if (std::string wrong = IsPlanned(); !wrong.empty()) return wrong;
  gone_ = UnusedNode();
  return {};
}

std::string Case::HoldAndAbandon() {
  if (std::string failed = Hold(); !failed.empty()) return failed;
  if (std::string failed = world_.DeleteNode(gone_); !failed.empty()) return failed;
  if (std::string failed = world_.KillMuster(); !failed.empty()) return failed;
  if (std::string failed = world_.StartMusterAgain(); !failed.empty()) return failed;
  const bool left = WaitFor(patience_ms_, [this] { return IsAtRest() && world_.Bound() == 0; });
  return left ? "" : Counted("not given up; bound:", world_.Bound());
}

std::string Case::HeldComesTooLate() {
  const std::string held = world_.HeldPod();
  if (!WaitFor(patience_ms_, [&] { return world_.WasTouched(held); })) {
    return "the held member was not touched";
  }
  const Released released = world_.ReleaseHeld();
  if (released.code != 409) return Counted("the held Binding was answered with", released.code);
  // 409 is also "already assigned" and "is being deleted".
  const bool late = released.body.find("ResourceVersion in precondition: ") != std::string::npos;
  return late ? "" : "the held Binding was refused for another reason: " + released.body;
}

std::string Case::RunD() {
  if (std::string failed = HoldAndAbandon(); !failed.empty()) return failed;
  const std::string held = world_.HeldPod();
  const std::vector<Member> members = world_.Gang();
  if (members.size() != 1 || members[0].name != held) return "not just the held member is left";
  if (std::string wrong = HeldComesTooLate(); !wrong.empty()) return wrong;
  if (std::string failed = world_.MakeMissing(); !failed.empty()) return failed;
  if (std::string failed = world_.AddNode("n9", false); !failed.empty()) return failed;
  if (std::string wrong = IsWhole("in the end"); !wrong.empty()) return wrong;
  if (std::string wrong = StaysWhole(); !wrong.empty()) return wrong;
  return NothingOnTheOldNode();
}

std::string Case::TakenOver() {
  if (std::string wrong = IsPlanned(); !wrong.empty()) return wrong;
  if (std::string wrong = IsWhole("by the second operator"); !wrong.empty()) return wrong;
  if (std::string wrong = IsAsPlanned(); !wrong.empty()) return wrong;
  if (std::string wrong = StaysWhole(); !wrong.empty()) return wrong;
  const std::string holder = world_.LeaseHolder();
  return holder == "muster-1" ? "" : "the lease is held by " + holder;
}

std::string Case::RunE() {
  const bool warm = one_.scenario == 'w';
  if (std::string failed = world_.StartStandby(warm); !failed.empty()) return failed;
  if (std::string failed = Kill(); !failed.empty()) return failed;
  std::string wrong = TakenOver();
  return wrong.empty() && warm ? world_.WentByWhatItKept() : wrong;
}

// What the stopped leader had under way is lost, and what it sends when it goes on comes too late.
std::string Case::RunS() {
  if (std::string failed = world_.StartStandby(); !failed.empty()) return failed;
  if (std::string failed = world_.Arm(one_.when, one_.at, SIGSTOP); !failed.empty()) return failed;
  if (std::string failed = world_.MakeGang(); !failed.empty()) return failed;
  if (!world_.WaitStopped(kPatienceMs)) return "the hook did not stop the leader";
  if (std::string failed = world_.Disarm(); !failed.empty()) return failed;
  plan_ = world_.Plan();
  before_ = world_.Gang();
  if (std::string wrong = TakenOver(); !wrong.empty()) return wrong;
  world_.ContinueMuster();
  if (!world_.WaitEnded(patience_ms_)) return "the leader of before goes on";
  return StaysWhole();
}

std::string Case::RunL() {
  if (std::string failed = world_.StartStandby(); !failed.empty()) return failed;
  if (std::string failed = world_.Arm(one_.when, one_.at); !failed.empty()) return failed;
  if (std::string failed = world_.MakeGang(); !failed.empty()) return failed;
  if (!WaitFor(kPatienceMs, [this] { return world_.Bound() == kMembers - 1; })) {
    return Counted("bound while one is held:", world_.Bound());
  }
  plan_ = world_.Plan();
  before_ = world_.Gang();
  if (std::string failed = world_.DeleteLease(); !failed.empty()) return failed;
  if (!WaitFor(patience_ms_, [this] { return !world_.LeaseHolder().empty(); })) {
    return "nobody holds the lease that was deleted";
  }
  const Released released = world_.ReleaseHeld();
  if (released.code != 201) return Counted("the held Binding was answered with", released.code);
  if (std::string wrong = IsPlanned(); !wrong.empty()) return wrong;
  if (std::string wrong = IsWhole("in the end"); !wrong.empty()) return wrong;
  if (std::string wrong = IsAsPlanned(); !wrong.empty()) return wrong;
  return StaysWhole();
}

std::string Case::IsWholeElsewhere() {
  if (std::string wrong = IsWhole("with another node"); !wrong.empty()) return wrong;
  if (std::string wrong = NobodyWasDeleted(); !wrong.empty()) return wrong;
  if (std::string wrong = StaysWhole(); !wrong.empty()) return wrong;
  return NothingOnTheOldNode();
}

std::string Case::RunM() {
  if (std::string failed = Kill(); !failed.empty()) return failed;
  if (std::string wrong = IsPlanned(); !wrong.empty()) return wrong;
  gone_ = UnusedNode();
  if (std::string failed = world_.AddNode("n9", false); !failed.empty()) return failed;
  if (std::string failed = world_.DeleteNode(gone_); !failed.empty()) return failed;
  if (std::string failed = world_.StartMusterAgain(); !failed.empty()) return failed;
  return IsWholeElsewhere();
}

// Nobody is killed.
std::string Case::RunN() {
  if (std::string failed = Hold(); !failed.empty()) return failed;
  if (std::string failed = world_.AddNode("n9", false); !failed.empty()) return failed;
  if (std::string failed = world_.DeleteNode(gone_); !failed.empty()) return failed;
  if (std::string wrong = HeldComesTooLate(); !wrong.empty()) return wrong;
  return IsWholeElsewhere();
}

// There is no room for the last member before the second operator has said so.
std::string Case::RunO() {
  const bool holds = one_.when == "hold";
  if (std::string failed = holds ? Hold() : Kill(); !failed.empty()) return failed;
  if (std::string wrong = IsPlanned(); !wrong.empty()) return wrong;
  if (holds) {
    if (std::string failed = world_.KillMuster(); !failed.empty()) return failed;
  }
  gone_ = UnusedNode();
  if (std::string failed = world_.DeleteNode(gone_); !failed.empty()) return failed;
  if (std::string failed = world_.StartMusterAgain(); !failed.empty()) return failed;
  const bool waits = WaitFor(patience_ms_, [this] {
    return world_.GangMessage().find(" waits for another node, " + gone_) != std::string::npos;
  });
  if (!waits) return "no member waits; the gang says: " + world_.GangMessage();
  whole_ = BoundOf(world_.Gang());
  if (whole_.size() != kMembers - 1) return Counted("bound without room:", std::ssize(whole_));
  if (std::string failed = world_.AddNode("n9", false); !failed.empty()) return failed;
  if (holds) {
    if (std::string wrong = HeldComesTooLate(); !wrong.empty()) return wrong;
  }
  return IsWholeElsewhere();
}

}  // namespace

std::string RunKillCase(const KillCase& one, const KillRun& run) {
  KillWorld world(run.programs, run.plant);
  if (std::string failed = world.Start(); !failed.empty()) return failed;
  std::string wrong = Case(world, one, run.patience_ms).Run();
  return world.unanswered().empty() ? wrong : world.unanswered();
}

}  // namespace muster::e2e
