// Arithmetic of amounts. One amount of one object lies in [0, 2^56) (larger ones are clipped where
// they are read), so that sums over a cluster cannot overflow int64; count x amount, which can, is
// computed in 128 bits. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "scheduler/base/check.h"

namespace muster {

inline constexpr std::int64_t kAmountMax = (std::int64_t{1} << 56U) - 1;

[[nodiscard]] constexpr std::int64_t ClipAmount(std::int64_t amount) {
  return std::clamp<std::int64_t>(amount, 0, kAmountMax);
}

__extension__ using Wide = __int128;

[[nodiscard]] constexpr Wide WideProduct(std::int64_t count, std::int64_t amount) {
  return static_cast<Wide>(count) * amount;
}

// At the ends of int64 instead of past them: for products that are compared or shown, never for
// sums that must come back to zero.
[[nodiscard]] constexpr std::int64_t Saturate(Wide value) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  if (value > kMax) return kMax;
  if (value < kMin) return kMin;
  return static_cast<std::int64_t>(value);
}

// How many times `amount` goes into `room`: 0 when room is negative, at most `limit`. An amount of
// 0 goes in `limit` times, whatever the room.
[[nodiscard]] constexpr std::int64_t TimesIn(std::int64_t room, std::int64_t amount,
                                             std::int64_t limit) {
  if (amount == 0) return limit;
  return std::clamp<std::int64_t>(room / amount, 0, limit);
}

// A sum of the core: overflow means that an amount was not clipped.
[[nodiscard]] inline std::int64_t CheckedAdd(std::int64_t sum, std::int64_t delta) {
  std::int64_t result = 0;
  MUSTER_CHECK(!__builtin_add_overflow(sum, delta, &result));
  return result;
}

}  // namespace muster
