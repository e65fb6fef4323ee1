// Where a server listens, as flags say it: "127.0.0.1:9090", "[::1]:9090", ":8080" (every IPv4
// address), "0" or "" (nowhere, as controller-runtime has it). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/base/result.h"

namespace muster::app {

struct BindAddress {
  std::string host;       // Without brackets.
  std::int32_t port = 0;  // 0 = any free one.

  // Reached from this machine alone.
  [[nodiscard]] bool loopback() const;
  // "127.0.0.1:9090", "[::1]:9090".
  [[nodiscard]] std::string text() const;
};

// nullopt: nowhere. A host is an address or "localhost".
[[nodiscard]] Result<std::optional<BindAddress>> ParseBindAddress(std::string_view text);

// What is wrong with it, for flags and keys; "" = nothing.
[[nodiscard]] std::string ProblemOfAddress(std::string_view text);
// The same where nobody but this machine may be served.
[[nodiscard]] std::string ProblemOfLoopback(std::string_view text);

// For whoever can choose another by `flag`: nothing can be served there.
[[nodiscard]] Error CannotServe(const BindAddress& at, std::string_view flag);

}  // namespace muster::app
