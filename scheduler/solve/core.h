// The parts of the core and what it remembers of each gang between two decisions. Everything here
// but the cluster and the retry table is a cache, or only shown: a core made anew from the snapshot
// of those two decides the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/framework/policy.h"
#include "scheduler/model/cluster.h"
#include "scheduler/solve/backlog.h"
#include "scheduler/solve/probe.h"
#include "scheduler/solve/retry.h"
#include "scheduler/solve/scheduler.h"
#include "scheduler/solve/shape_indexes.h"

namespace muster::scheduler {

// The last attempt of a gang, for /explain. Nodes and scores of the first kMaxShown nodes by name.
struct LastAttempt {
  static constexpr std::size_t kMaxShown = 64;
  std::string woken_by;
  // Of the shape, and of the images, that they were asked for.
  std::uint64_t shape_version = 0, images_version = 0;
  std::vector<Explanation::NodeVerdict> nodes;
  std::vector<Explanation::NodeScore> scores;
};

struct GangInfo {
  Key key;
  QueueId queue;
  std::int32_t attempts = 0;               // Admissions, and refusals of classes that it has left.
  std::int32_t total = 0;                  // Members when it was filed last.
  bool attempted = false;                  // Decide has looked at it.
  bool pending = false, admitted = false;  // As counted for its queue.
  Wall admitted_at;
  std::string woken_by;  // What let it into its class, until the next attempt.
  LastAttempt last;
};

struct QueueInfo {
  QueueSeen spec;  // As of the last Decide.
  bool exists = false;
  std::set<GangId> waiting;  // Held or filed: what the queue says may change what they are.
  std::int32_t pending = 0, admitted = 0;
};

struct Core {
  explicit Core(Policy policy_in)
      : policy(std::move(policy_in)), plugins(policy), indexes(plugins), shown(plugins) {}
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Policy policy;
  PluginSet plugins;
  Cluster cluster;
  RetryTable retries;
  ShapeIndexes indexes;
  ShapeIndexes shown;  // For what is told alone: who asks must not change what Decide does.
  Backlog backlog;
  std::map<GangId, GangInfo> gangs;
  std::map<QueueId, QueueInfo> queues;
  std::set<std::uint64_t> lacking;  // Entries that lack a member or the node of one (amend.h).
  std::set<ClassKey> overdue;       // Still to be opened because time is up (timed.h).
  std::uint64_t epoch = 1;          // Rises with whatever may change how a search ends.
  ProbeCache probe_cache;
  Now now;              // Of the last Decide.
  bool primed = false;  // The first Decide after Synced has been.
};

}  // namespace muster::scheduler
