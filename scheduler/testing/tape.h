// Random events for properties, drawn from a tape of numbers so that a failing run shrinks. The
// world is tiny, so that names collide: pods made again under a new uid, groups made again, nodes
// that come and go, answers that are late or wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/model/event.h"

namespace muster::scheduler::testing {

class Tape {
 public:
  explicit Tape(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers)) {}
  [[nodiscard]] bool empty() const { return at_ >= numbers_.size(); }
  // In [0, bound); 0 past the end.
  std::uint32_t Below(std::uint32_t bound) { return empty() ? 0 : numbers_[at_++] % bound; }
  bool OneIn(std::uint32_t n) { return Below(n) == n - 1; }

 private:
  std::vector<std::uint32_t> numbers_;
  std::size_t at_ = 0;
};

[[nodiscard]] Event RandomEvent(Tape& tape);

}  // namespace muster::scheduler::testing
