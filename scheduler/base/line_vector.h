// A std::vector whose elements begin at a cache line. A row of 64 bytes is then one line and not
// parts of two: what is touched one row here, one row there, costs half the misses.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace muster {

inline constexpr std::size_t kCacheLine = 64;

template <class T>
struct LineAllocator {
  using value_type = T;

  LineAllocator() = default;
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): containers rebind by conversion.
  LineAllocator(const LineAllocator<U>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{kCacheLine}));
  }
  void deallocate(T* memory, std::size_t /*count*/) {
    ::operator delete(memory, std::align_val_t{kCacheLine});
  }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace muster
