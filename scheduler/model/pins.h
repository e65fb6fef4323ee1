// What a bound pod is charged to and whose member it is. Both are pinned when it is first seen
// bound; nothing that is edited later moves a charge. What speaks for a pod, the best first:
//
//   1. The open journal entry that names it on this node: what the Binding said, whatever the
//      annotations say by now. Of every pod that is bound in this life, and of those whose entry
//      was still open at a take-over. But a pod that bears no mark of ours there was brought by
//      another scheduler: the entry has lost it.
//   2. At a take-over the status of the PodGroup whose uid it carries: its queue, while the gang is
//      admitted. Nobody but Muster may write it (RBAC), so it needs no proof.
//   3. Its own annotation, if that queue admits its namespace. Else what a pod says that somebody
//      else has bound: the queue that its PodGroup or its label names, on the same condition.
//   4. A queue that does not exist, but is named: its name is charged, as that of an orphan.
//   5. Of a pod whose PodGroup is not there: the queue that is charged already, else `default`, on
//      the condition of 3 or 4, until that PodGroup is seen.
//
// Otherwise the pod uses its node and is charged to nobody: a tenant may not charge others. A pod
// that was bound before the selector of its queue, or a label of its namespace, was changed stays
// charged where it was for as long as 1 or 2 can tell it from a forgery. After a restart a single
// pod, or one of a deleted PodGroup, cannot be told any more: then it is charged to nobody. To
// charge it would let everybody charge everybody by an annotation, while too little charged costs
// its queue's neighbours nothing that they hold: the node is counted all the same.
//
// Nothing durable speaks for 3 either, so who edits the annotations of his pods while nobody leads
// can still choose among the queues that admit his namespace. What stops that is not here: a
// ValidatingAdmissionPolicy that makes them immutable (config/policy/pod-identity).
#pragma once

#include <optional>

#include "scheduler/model/tables.h"

namespace muster::scheduler {

// Of a pod that is shown bound: by its open entry, else as it says of itself. The first time alone.
// JoinGang follows, then SettlePayer.
void PinAsSeen(Tables& t, PodId id, const PodSeen& e);
// A bound pod bears a mark of our Bindings: no other scheduler brought it.
[[nodiscard]] bool IsMarked(const PodRow& row);
// As the Binding of this entry says. JoinGang and SettlePayer follow.
void PinByEntry(Tables& t, PodId id, const EntryRow& entry);

// Who pays for a bound pod; none: nobody. Once everything is known that it takes to say so (its
// namespace, its PodGroup, its queue), that is for good.
[[nodiscard]] std::optional<QueueId> SettlePayer(Tables& t, PodId id);

// All kinds are listed: who pays for what was found.
void SettleFound(Tables& t);
// A queue or a namespace has come into being: some may have waited for it.
void SettleOpen(Tables& t, QueueId made);
void SettleOpen(Tables& t, NamespaceId made);

}  // namespace muster::scheduler
