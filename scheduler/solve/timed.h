// What time alone opens.
//
// A class whose full search failed although every bound had passed stays open in all that can be
// said in constant time, so it is searched again, after a backoff (QueueTimes). How long is
// remembered with the gangs (retry.h): a class backs off while one of its gangs does.
//
// At each flush (QueueTimes) every other closed class is asked again, and opened if nothing is
// known that refuses it. Whoever is admitted by that was owed a wake-up that did not come: the
// decision names it.
#pragma once

#include "scheduler/solve/cycle.h"

namespace muster::scheduler {

// A full search for the first gang of a class has failed: nothing was left to try (`steps` is 0),
// or a whole budget of `steps` was used up. The class is closed.
void NoteFailedSearch(Cycle& cycle, GangId gang, std::int32_t steps);
// Nothing has changed since one failed, and there are no more steps: so the next would end. If so,
// it has; the class is closed.
[[nodiscard]] bool FailsAgain(Cycle& cycle, GangId gang);

// Opens the classes whose backoff is over, closes those in which a gang has one.
void OpenSearched(Cycle& cycle);
// After everything else has opened what it can. False: there is more to open, in the next Decide.
[[nodiscard]] bool OpenOverdue(Cycle& cycle);
// Sets the next time, if anything is closed. Before all are `drained` it is not known that nothing
// is: a core made anew begins with all of them open.
void ScheduleOverdue(Core& core, Ticks now, bool drained);

}  // namespace muster::scheduler
