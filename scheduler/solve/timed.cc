#include "scheduler/solve/timed.h"

#include <algorithm>
#include <map>
#include <vector>

#include "scheduler/solve/wake.h"

namespace muster::scheduler {
namespace {

constexpr std::int64_t kOverdueMs = 300'000;
// Each may need an index of its own, and a Decide shall stay short.
constexpr std::size_t kOverduePerDecide = 64;

struct Backoff {
  Ticks after;
  std::int32_t failed = 0;
};

// Of the classes with a gang for which a search has failed; the longest counts.
std::map<ClassKey, Backoff> Backoffs(const Core& core) {
  std::map<ClassKey, Backoff> backoffs;
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

}  // namespace

void NoteFailedSearch(Cycle& cycle, GangId gang) {
  Core& core = cycle.core;
  const ClassKey key = *core.backlog.ClassOf(gang);
  const auto backoffs = Backoffs(core);
  const auto before = backoffs.find(key);
  const std::int32_t failed = before == backoffs.end() ? 0 : before->second.failed;
  const GangRow& row = core.cluster.gang(gang);
  core.retries.NoteSearch(row.key, row.uid, cycle.now, failed + 1);
  core.backlog.CloseSearched(key, core.epoch);
}

void OpenSearched(Cycle& cycle) {
  Core& core = cycle.core;
  if (core.backlog.searched().empty() && core.retries.searched().empty()) return;
  const auto backoffs = Backoffs(core);
  for (const auto& [key, backoff] : backoffs) {
    // A gang has joined it, or this core was made anew from a snapshot.
    const bool open = core.backlog.at(key).refused_by == RefusedBy::kNobody;
    if (open && backoff.after > cycle.now.mono) core.backlog.CloseSearched(key, 0);
  }
  const std::vector<ClassKey> searched(core.backlog.searched().begin(),
                                       core.backlog.searched().end());
  for (const ClassKey& key : searched) {
    const auto backoff = backoffs.find(key);
    if (backoff != backoffs.end() && backoff->second.after > cycle.now.mono) continue;
    if (!BoundPasses(core, key, RefusedBy::kNobody) || !QuotaAllows(core.cluster, key)) continue;
    const WaitClass& c = core.backlog.at(key);
    if (c.search_epoch == core.epoch) {
      NoteFailedSearch(cycle, c.gangs.begin()->second);  // Nothing has changed: so it would end.
    } else if (c.search_news.empty()) {
      core.backlog.OpenByTime(key, OpenedBy::kBackoff);
    } else {
      core.backlog.Open(key, std::string(c.search_news));
    }
  }
}

bool OpenOverdue(Cycle& cycle) {
  Core& core = cycle.core;
  if (core.retries.overdue_at && cycle.now.mono >= *core.retries.overdue_at) {
    for (const auto& [key, c] : core.backlog.classes()) core.overdue.insert(key);
    core.retries.overdue_at = Ticks{cycle.now.mono.ms + kOverdueMs};
  }
  for (std::size_t opened = 0; opened < kOverduePerDecide && !core.overdue.empty();) {
    const ClassKey key = *core.overdue.begin();
    core.overdue.erase(core.overdue.begin());
    const auto it = core.backlog.classes().find(key);
    if (it == core.backlog.classes().end() || it->second.searched) continue;
    if (it->second.refused_by == RefusedBy::kNobody) continue;
    core.backlog.OpenByTime(key, OpenedBy::kOverdue);
    ++opened;
  }
  return core.overdue.empty();
}

void ScheduleOverdue(Core& core, Ticks now) {
  if (core.backlog.closed() == 0) {
    core.retries.overdue_at.reset();
  } else if (!core.retries.overdue_at) {
    core.retries.overdue_at = Ticks{now.ms + kOverdueMs};
  }
}

}  // namespace muster::scheduler
