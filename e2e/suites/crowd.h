// Many pods of another scheduler, made over HTTP, of which one changes all the time: a cluster in
// which a list takes its time and a watch is never quiet. On a thread of its own until it is
// destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "e2e/harness/client.h"

namespace muster::e2e {

class Crowd {
 public:
  explicit Crowd(std::int32_t port) : client_(port) {}
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // Returns when all are there. "" = done, else what went wrong.
  [[nodiscard]] std::string Gather(int pods);

 private:
  Client client_;  // The thread's, once it runs.
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace muster::e2e
