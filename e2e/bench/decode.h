// How fast a LIST of pods becomes typed pods, on one thread.
#pragma once

namespace muster::e2e {

void DecodeBench();

}  // namespace muster::e2e
