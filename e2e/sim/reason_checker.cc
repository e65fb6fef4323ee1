#include "e2e/sim/reason_checker.h"

#include <algorithm>

#include "e2e/sim/reason_facts.h"

namespace muster::e2e {
namespace {

// See above; and a round of reading takes half a second for 10 gangs.
constexpr std::int64_t kBehindMs = 20'000;
// What was sent before the calm may arrive for so long, and a status is mended after it.
constexpr std::int64_t kLateMs = 90'000;

// One that runs may wait for a part of it, and then has a reason.
bool Waits(const crds::PodGroup& group) {
  if (!group.status) return false;
  const std::string& phase = group.status->phase;
  const bool in_part = phase == "Running" && !group.status->reason.empty();
  return phase == "Pending" || phase == "Queued" || in_part;
}

bool IsFinished(const crds::PodGroup& group) {
  return group.status && (group.status->phase == "Succeeded" || group.status->phase == "Failed");
}

std::int64_t ValueOf(const Numbers& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

// These can be counted; what a plugin says, or of a Binding that failed, cannot.
bool CanTell(const std::string& reason) {
  return reason == "NotEnoughMembers" || reason == "QueueNotFound" || reason == "QueueInactive" ||
         reason == "WaitingForQuota" || reason == "ExceedsMaxQuota" || reason == "NeverFits";
}

}  // namespace

void ReasonChecker::OnPod(const PodChange& change, std::int64_t now_ms) {
  const crds::Pod& now = change.now;
  const bool same = change.before && !change.deleted && change.before->phase == now.phase &&
                    change.before->node_name == now.node_name &&
                    change.before->meta.deletion_ms == now.meta.deletion_ms;
  if (!same) Note(now_ms);
}

void ReasonChecker::Note(std::int64_t now_ms) {
  if (calm_ms_ < 0 || now_ms < calm_ms_ + kLateMs - kBehindMs) return;
  if (std::exchange(noted_, shadow_.version()) == shadow_.version()) return;
  for (const Promises promises : {Promises::kCount, Promises::kDoNot}) {
    const Placements placements(shadow_, promises);
    for (const auto& [name, group] : shadow_.groups()) {
      if (IsFinished(group)) continue;
      Watched& watched = watched_.try_emplace(group.meta.uid, Watched{now_ms, {}}).first->second;
      Append(watched.histories.at(static_cast<std::size_t>(promises)),
             {now_ms, FactsOf(shadow_, placements, group)});
    }
  }
}

void ReasonChecker::Append(History& history, Fact fact) {
  const bool same = !history.empty() && history.back().numbers == fact.numbers;
  if (!same) history.push_back(std::move(fact));
}

void ReasonChecker::Forget(Watched& watched, std::int64_t before_ms) {
  for (History& history : watched.histories) {
    while (history.size() > 1 && history[1].since_ms < before_ms) history.pop_front();
  }
}

void ReasonChecker::Tick(std::int64_t now_ms, std::int64_t leader_since_ms) {
  Note(now_ms);
  const bool settled =
      calm_ms_ >= 0 && now_ms > calm_ms_ + kLateMs && now_ms > leader_since_ms + kLateMs;
  if (!settled) return;
  for (const auto& [name, group] : shadow_.groups()) {
    if (IsFinished(group)) continue;
    Watched& watched = watched_.at(group.meta.uid);
    Forget(watched, now_ms - kBehindMs);
    const bool told = group.status && !group.status->message.empty();
    if (!told && now_ms > watched.since_ms + kBehindMs) {
      complain_("reason (5): gang " + group.meta.name + " is told nothing");
    }
    if (Waits(group)) Check(group, watched);
  }
}

ReasonChecker::Range ReasonChecker::RangeOf(const Watched& watched, const std::string& name) {
  const std::int64_t any = ValueOf(watched.histories.front().back().numbers, name);
  Range range{any, any};
  for (const History& history : watched.histories) {
    for (const Fact& fact : history) {
      range.least = std::min(range.least, ValueOf(fact.numbers, name));
      range.most = std::max(range.most, ValueOf(fact.numbers, name));
    }
  }
  return range;
}

void ReasonChecker::Check(const crds::PodGroup& group, const Watched& watched) {
  Numbers said = NumbersIn(group.status->message);
  const std::string& reason = group.status->reason;
  const bool placement = reason == "Unschedulable" || reason == "TopologyUnsatisfiable";
  if (said.contains("nodes") && placement) said["code " + reason] = 1;
  if (CanTell(reason)) said["code " + reason] = 1;
  for (const auto& [name, value] : said) {
    ++checked_;
    const Range range = RangeOf(watched, name);
    if (value >= range.least && value <= range.most) continue;
    complain_(Text("reason (5): gang ", group.meta.name, " is told \"", name, "\" is ", value,
                   ", it is ", range.least, " to ", range.most, "; ", reason, ": ",
                   group.status->message));
  }
}

}  // namespace muster::e2e
