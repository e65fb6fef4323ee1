#include "scheduler/solve/timed.h"

#include <algorithm>
#include <map>
#include <vector>

#include "scheduler/solve/wake.h"

namespace muster::scheduler {
namespace {

// A Decide shall stay short: so many classes are asked, and so many opened, each of which may need
// an index of its own.
constexpr std::int32_t kAskedPerDecide = 4'096;
constexpr std::int32_t kOpenedPerDecide = 16;

struct Backoff {
  Ticks after;
  std::int32_t failed = 0;
};

using BackoffMap = std::map<ClassKey, Backoff>;

// Of the classes with a gang for which a search has failed; the longest counts.
BackoffMap Backoffs(const Core& core) {
  BackoffMap backoffs;
  for (const Key& key : core.retries.searched()) {
    const std::optional<GangId> gang = core.cluster.FindGang(key);
    if (!gang) continue;
    const ClassKey* filed = core.backlog.ClassOf(*gang);
    const Retry& retry = core.retries.Get(key, core.cluster.gang(*gang).uid);
    if (filed == nullptr || retry.searches == 0) continue;
    Backoff& backoff = backoffs[*filed];
    backoff.after = std::max(backoff.after, retry.search_after);
    backoff.failed = std::max(backoff.failed, retry.searches);
  }
  return backoffs;
}

bool BacksOff(const BackoffMap& backoffs, const ClassKey& key, Ticks now) {
  const auto backoff = backoffs.find(key);
  return backoff != backoffs.end() && backoff->second.after > now;
}

// Nothing in it has to be refused, as far as can be said in constant time.
bool MayFit(Core& core, const ClassKey& key) {
  return BoundPasses(core, key, RefusedBy::kNobody) && QuotaAllows(core.cluster, key);
}

// Its backoff is over.
void SearchAgain(Backlog& backlog, const ClassKey& key) {
  const std::string news = backlog.at(key).search_news;
  if (news.empty()) {
    backlog.OpenByTime(key, OpenedBy::kBackoff);
  } else {
    backlog.Open(key, news);
  }
}

// Closed by what time has no part in, and perhaps wrongly so by now.
bool IsDoubtful(Core& core, const ClassKey& key) {
  const auto it = core.backlog.classes().find(key);
  if (it == core.backlog.classes().end() || it->second.searched) return false;
  return it->second.refused_by != RefusedBy::kNobody && MayFit(core, key);
}

}  // namespace

void NoteFailedSearch(Cycle& cycle, GangId gang, std::int32_t steps) {
  Core& core = cycle.core;
  const ClassKey key = *core.backlog.ClassOf(gang);
  const auto backoffs = Backoffs(core);
  const auto before = backoffs.find(key);
  const std::int32_t failed = before == backoffs.end() ? 0 : before->second.failed;
  const GangRow& row = core.cluster.gang(gang);
  const Ticks after{cycle.now.mono.ms + BackoffMs(failed, core.policy.times().backoff)};
  core.retries.NoteSearch(row.key, row.uid, failed + 1, after);
  core.backlog.CloseSearched(key, core.epoch, steps);
}

bool FailsAgain(Cycle& cycle, GangId gang) {
  const Core& core = cycle.core;
  const WaitClass& c = core.backlog.at(*core.backlog.ClassOf(gang));
  const bool has_more = c.search_steps != 0 && c.search_steps < cycle.all_steps;
  if (c.search_epoch != core.epoch || has_more) return false;
  NoteFailedSearch(cycle, gang, c.search_steps);
  return true;
}

void OpenSearched(Cycle& cycle) {
  Core& core = cycle.core;
  if (core.backlog.searched().empty() && core.retries.searched().empty()) return;
  const BackoffMap backoffs = Backoffs(core);
  for (const auto& [key, backoff] : backoffs) {
    // A gang has joined it, or this core was made anew from a snapshot.
    const bool open = core.backlog.at(key).refused_by == RefusedBy::kNobody;
    if (open && backoff.after > cycle.now.mono) core.backlog.CloseSearched(key, 0, 0);
  }
  const std::vector<ClassKey> searched(core.backlog.searched().begin(),
                                       core.backlog.searched().end());
  for (const ClassKey& key : searched) {
    if (!BacksOff(backoffs, key, cycle.now.mono) && MayFit(core, key)) {
      SearchAgain(core.backlog, key);
    }
  }
}

bool OpenOverdue(Cycle& cycle) {
  Core& core = cycle.core;
  if (core.retries.overdue_at && cycle.now.mono >= *core.retries.overdue_at) {
    for (const auto& [key, c] : core.backlog.classes()) core.overdue.insert(key);
    core.retries.overdue_at = Ticks{cycle.now.mono.ms + core.policy.times().unschedulable_flush_ms};
  }
  std::int32_t opened = 0;
  for (std::int32_t asked = 0; asked < kAskedPerDecide && opened < kOpenedPerDecide; ++asked) {
    if (core.overdue.empty()) break;
    const ClassKey key = *core.overdue.begin();
    core.overdue.erase(core.overdue.begin());
    if (!IsDoubtful(core, key)) continue;
    core.backlog.OpenByTime(key, OpenedBy::kOverdue);
    ++opened;
  }
  return core.overdue.empty();
}

void ScheduleOverdue(Core& core, Ticks now, bool drained) {
  if (core.backlog.closed() == 0) {
    if (drained) core.retries.overdue_at.reset();
  } else if (!core.retries.overdue_at) {
    core.retries.overdue_at = Ticks{now.ms + core.policy.times().unschedulable_flush_ms};
  }
}

}  // namespace muster::scheduler
