// Names that many tests and rigs speak of.
#pragma once

namespace muster::controllers::testing {

inline constexpr const char* kGpu = "nvidia.com/gpu";

}  // namespace muster::controllers::testing
