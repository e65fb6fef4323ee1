// Where the process can be asked (servers.h), as flags say it.
#pragma once

#include <cstdint>
#include <optional>

#include "operator/bind_address.h"

namespace muster::app {

struct ServerOptions {
  std::int32_t http_port = 10251;      // Of 127.0.0.1: every page; 0 = any free one.
  std::optional<BindAddress> metrics;  // /metrics alone.
  std::optional<BindAddress> health;   // /healthz and /readyz alone.
  std::optional<BindAddress> grpc;     // Of loopback.
};

}  // namespace muster::app
