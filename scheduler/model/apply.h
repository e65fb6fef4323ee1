// How each Event changes the tables. Facts are levels: a repeat changes and touches nothing, and
// what is behind a pod's record is ignored.
#pragma once

#include "scheduler/model/event.h"
#include "scheduler/model/tables.h"

namespace muster::scheduler {

void ApplyEvent(Tables& t, const PodSeen& e);
void ApplyEvent(Tables& t, const PodGone& e);
void ApplyEvent(Tables& t, const BindAnswered& e);

void ApplyEvent(Tables& t, const NodeSeen& e);
void ApplyEvent(Tables& t, const NodeGone& e);

void ApplyEvent(Tables& t, const GangSeen& e);
void ApplyEvent(Tables& t, const GangGone& e);

void ApplyEvent(Tables& t, const QueueSeen& e);
void ApplyEvent(Tables& t, const QueueGone& e);
void ApplyEvent(Tables& t, const NamespaceSeen& e);
void ApplyEvent(Tables& t, const NamespaceGone& e);
void ApplyEvent(Tables& t, const PriorityClassSeen& e);
void ApplyEvent(Tables& t, const PriorityClassGone& e);

void ApplyEvent(Tables& t, const EntrySeen& e);
void ApplyEvent(Tables& t, const EntryFailed& e);
void ApplyEvent(Tables& t, const EntryStranded& e);
void ApplyEvent(Tables& t, const EntryAmended& e);
void ApplyEvent(Tables& t, const EntryLeft& e);
void ApplyEvent(Tables& t, const EntryClosed& e);
void ApplyEvent(Tables& t, const Synced& e);

// The entry holds nothing for the pod any more.
void ReleaseMember(Tables& t, PodId pod);
// A pod that an entry named before it was seen: Reserved as the entry says, if it has no node.
void ReserveAwaited(Tables& t, PodId pod);
// Or it will never be seen.
void ReleaseAwaited(Tables& t, const Uid& uid);

}  // namespace muster::scheduler
