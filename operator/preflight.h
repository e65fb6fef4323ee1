// The first question to the API server: is it there, does it know us, and does the namespace of our
// own objects exist. Asked again while there is no answer; a mistake of the set-up ends the process
// with a text that says what to do, before anything is listed or written. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "controllers/ports/api.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"

namespace muster::app {

class Preflight {
 public:
  struct World {
    ports::Api& api;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    std::string ns;
    std::function<void()> ready;
    std::function<void(const std::string& why)> fatal;
  };

  explicit Preflight(World world) : world_(std::move(world)) {}
  Preflight(const Preflight&) = delete;
  Preflight& operator=(const Preflight&) = delete;

  void Start();  // `ready` or `fatal` is called at most once.

 private:
  void OnAnswer(const Result<ports::Response>& answer);
  void TryAgain(const std::string& why);

  World world_;
  std::int64_t wait_ms_ = 0;
};

}  // namespace muster::app
