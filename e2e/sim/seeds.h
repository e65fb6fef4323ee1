// From a seed to the cluster, the work and the weather of one run.
#pragma once

#include <cstdint>
#include <string>

#include "e2e/sim/world.h"

namespace muster::e2e {

// 3 to 40 nodes, 1 to 60 gangs of 1 to 16 members, four in ten of them Jobs, some single pods and a
// ReplicaSet of such, over two queues; in three worlds of four nodes stand in racks, and a gang in
// three has to be in one, or likes to; among them objects that are wrong in some way and must not
// stop the others. Four runs in five are small: up to 8 nodes, 14 gangs, 9 members.
[[nodiscard]] WorldOptions OptionsOfSeed(std::uint64_t seed, const std::string& crds_folder);

// Two queues and a priority class, as every run has them.
[[nodiscard]] std::vector<std::string> StandardObjects();

}  // namespace muster::e2e
