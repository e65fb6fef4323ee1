#include "e2e/sim/whole_checker.h"

#include <algorithm>

namespace muster::e2e {
namespace {

// Beyond its own time-out a gang may stay half bound while its requests are still under way (60 s),
// answers are waited for (10 s each) and retries are paced.
constexpr std::int64_t kUndoMs = 150'000;

}  // namespace

// How many members it has, if that is a part of its minimum; else 0. A gang that has run whole and
// lost a member is no part, and members that ran to their end hold nothing.
std::int64_t WholeChecker::PartOf(const crds::PodGroup& group) const {
  const Shadow::Tally tally = shadow_.Count(group);
  const std::int64_t have = tally.active + tally.succeeded;
  const bool ran = group.status && HasTrue(group.status->conditions, "Scheduled");
  return tally.active == 0 || have >= group.min_member || ran ? 0 : have;
}

void WholeChecker::Tick(std::int64_t now_ms, std::int64_t leader_since_ms) {
  for (const auto& [name, group] : shadow_.groups()) {
    const std::int64_t have = PartOf(group);
    if (have == 0) {
      partial_since_ms_.erase(group.meta.uid);
      continue;
    }
    const std::int64_t since_ms = std::max(
        partial_since_ms_.try_emplace(group.meta.uid, now_ms).first->second, leader_since_ms);
    if (now_ms - since_ms <= group.schedule_timeout_seconds * 1000 + kUndoMs) continue;
    complain_("whole (2): gang " + name.second + " rests with " + std::to_string(have) + " of " +
              std::to_string(group.min_member) + " members bound" + shadow_.Tell(name.second));
  }
}

void WholeChecker::AtRest() const {
  for (const auto& [name, group] : shadow_.groups()) {
    const std::int64_t have = PartOf(group);
    if (have == 0) continue;
    complain_("whole (2): gang " + name.second + " is left with " + std::to_string(have) + " of " +
              std::to_string(group.min_member) + shadow_.Tell(name.second));
  }
}

}  // namespace muster::e2e
