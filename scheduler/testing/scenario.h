// Scenario files: a cluster in words, and what the core decides about it. Lines that begin with two
// spaces are what was decided or shown; running a file writes them anew, so a test compares the
// whole text and UPDATE_SCENARIOS=1 rewrites the file.
//
//   levels [NAME=NODE_LABEL]..      of the topology, outermost first; else the default ones. Only
//   as
//                                   the first line
//   queue NAME [RESOURCE=NOMINAL[:BORROWING_LIMIT]].. [selector=KEY=VALUE | selector=none]
//   [stopped] queue-gone NAME   node-gone NAME
//   namespace NAME [KEY=VALUE].. [default-queue=QUEUE]
//   node NAME [RESOURCE=QUANTITY].. [label=K=V] [taint=K=V:EFFECT] [cordoned] [notready]
//        [models=A,B] [images=NAME=SIZE,..]
//   gang [NS/]NAME [queue=Q] [min=N] [pods=N] [priority=N] [timeout=SECONDS] [RESOURCE=QUANTITY]..
//        [ran: so says its stored status] [selector=K=V] [tolerate=K=V] [model=M] [model-required]
//        [product=A,B] [images=NAME,..] [subs=NAME:MIN,..]  [sub=NAME: the sub-group of its pods]
//        [required=LEVEL] [preferred=LEVEL]
//   pods [NS/]GANG FIRST..LAST ..   more members, as `gang` without the group; needs no group
//   group [NS/]NAME ..              the PodGroup alone        group-gone [NS/]NAME
//   pod [NS/]NAME ..                a pod without PodGroup
//   foreign [NS/]NAME NODE ..       a pod of another scheduler, bound
//   bound POD NODE, running POD, done POD, failed POD, terminating POD, gone POD, refused POD,
//   ungated POD
//   placed POD NODE                 bound by somebody else, so without annotations
//   repin POD [queue=Q] [group=[NS/]GROUP]   its annotations are edited
//   settle                          every open entry binds, runs and closes
//   undo                            every entry that is given up: members gone, entry closed
//   failed-entry GANG TEXT          stale-entry GANG TEXT       wait SECONDS
//   stranded POD                    it cannot be bound where its entry has it
//   cycle                           one Decide; it must equal Decide on a copy made from Snapshot()
//   status GANG, explain GANG, queue-status QUEUE
#pragma once

#include <string>
#include <string_view>

namespace muster::scheduler::testing {

// The text with its indented lines as they are now. A line that cannot be read, and any difference
// between the live core and its rebuilt copy, is an indented line that begins with "ERROR".
[[nodiscard]] std::string RunScenario(std::string_view text);

}  // namespace muster::scheduler::testing
