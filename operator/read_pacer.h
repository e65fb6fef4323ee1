// When a reader of a stream should wait a little before it reads on. A stream that was waited for
// twice within a moment is busy, and each of its events costs two processes a wake-up: after a rest
// many of them are there at once. A quiet stream is never held back. Pure; one thread.
#pragma once

#include <cstdint>

namespace muster::app {

class ReadPacer {
 public:
  static constexpr std::int64_t kRestMs = 1;

  // Bytes came at that instant. True: rest for kRestMs, once they are handled.
  [[nodiscard]] bool OnBytes(std::int64_t now_us) {
    // What came right after the last was there already: nobody was woken for it.
    if (now_us - read_on_us_ < kThereUs) return false;
    const bool busy = now_us - woken_us_ < kBusyUs;
    woken_us_ = now_us;
    return busy;
  }
  // They are handled, and the rest is over: reading goes on.
  void OnReadOn(std::int64_t now_us) { read_on_us_ = now_us; }

 private:
  static constexpr std::int64_t kThereUs = 15;
  static constexpr std::int64_t kBusyUs = 3 * kRestMs * 1000;

  std::int64_t read_on_us_ = -kBusyUs;
  std::int64_t woken_us_ = -kBusyUs;
};

}  // namespace muster::app
