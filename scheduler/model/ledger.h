// What each pod counts for, and the sums over it: node use, queue usage, member counts, member
// lists. Every change of a pod goes: Standing before = StandingOf(..); change cells and row;
// Settle(.., before). Sums therefore always lose exactly what they were given.
#pragma once

#include <optional>
#include <string_view>

#include "scheduler/model/tables.h"

namespace muster::scheduler {

// What a pod adds to the sums, as its row and cells stand.
struct Standing {
  std::optional<NodeId> node{};    // Its request and one pod slot are used there.
  std::optional<NodeId> next{};    // And there, of one that moves.
  std::optional<QueueId> queue{};  // The same is charged there.
  std::optional<GangId> gang{};    // Counted as a member there, under `record`.
  ShapeId shape;
  Record record{};
  bool running = false;
  friend bool operator==(const Standing&, const Standing&) = default;
};
[[nodiscard]] Standing StandingOf(const Tables& t, PodId id);
// Brings the sums from `before` to StandingOf(id), and touches what changed.
void Settle(Tables& t, PodId id, const Standing& before);

// Cells of one pod. `payer` is who would pay for it.
void SetRecord(Tables& t, PodId id, Record record);
void SetPlace(Tables& t, PodId id, std::optional<NodeId> node, std::optional<QueueId> payer);
// Of a reserved pod, which stays where it is. A new place or another record ends it.
void SetNext(Tables& t, PodId id, NodeId next);

// Sets the gang and `member` of the row by the rules of GangRow, and keeps the lists of both gangs;
// `named` is the gang that the pod's own label names now (none: not ours). The order of the list is
// by rank and name: leave before they change.
void JoinGang(Tables& t, PodId id, std::optional<GangId> named);
// Out of its gang.
void LeaveGang(Tables& t, PodId id);
// The PodGroup for which a bound pod was bound, if it exists and lies in the pod's namespace.
[[nodiscard]] std::optional<GangId> PinnedGroup(const Tables& t, const PodRow& row);
// Pin of the PodGroup uid; "" = none.
void SetGroupPin(Tables& t, PodId id, std::string_view uid);

// A name becomes a column of every row: shapes that ask for it, and the sums over their pods, are
// brought up to date. O(pods) the first time, else a look-up.
ResourceId InternResource(Tables& t, std::string_view name);

// Order of the members of a gang: rank (none last), name, uid.
[[nodiscard]] bool MemberLess(const Tables& t, PodId a, PodId b);

}  // namespace muster::scheduler
