// The one source of chance in a simulated run: splitmix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014). The same seed gives the same draws on every compiler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "scheduler/base/check.h"

namespace muster::e2e {

class Prng {
 public:
  explicit Prng(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  // In [low, high]. The bias of the modulus does not matter here.
  [[nodiscard]] std::int64_t Between(std::int64_t low, std::int64_t high) {
    MUSTER_CHECK(low <= high);
    return low + static_cast<std::int64_t>(Next() % static_cast<std::uint64_t>(high - low + 1));
  }
  // An index of a list of so many, at least one.
  [[nodiscard]] std::size_t Below(std::size_t size) {
    return static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(size) - 1));
  }
  [[nodiscard]] bool Chance(std::int64_t permille) { return Between(0, 999) < permille; }

 private:
  std::uint64_t state_;
};

}  // namespace muster::e2e
