// Bindings per second of the real Muster beside those of a bare generator, on the served API
// server.
#pragma once

#include <cstdint>
#include <string>

namespace muster::e2e {

struct BindingBenchOptions {
  enum class Canary : std::uint8_t { kNone, kBare, kMuster };
  std::string programs;  // The build folder.
  int gangs = 200;       // Of eight pods.
  int rounds = 5;
  Canary canary = Canary::kNone;
};
// "" = each pod was bound in every pass, else what was not.
[[nodiscard]] std::string BindingBench(const BindingBenchOptions& options);

}  // namespace muster::e2e
