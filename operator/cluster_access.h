// Which API server, and how it and we prove who we are, as it is written down: files are named here
// and read by credentials.h, again and again. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "operator/exec_plugin.h"

namespace muster::app {

// A PEM text, or the file that holds it; neither: none. The text wins, as in client-go.
struct PemSource {
  std::string text{}, file{};
};

struct ClusterAccess {
  std::string origin{};  // The file that says so, for messages.
  // The server. `prefix` stands before each path: "" or "/k8s/clusters/c-1".
  std::string host{}, prefix{};
  std::int32_t port = 0;
  bool tls = false;
  // Of TLS alone.
  std::string server_name{};  // What its certificate has to name.
  bool verify = true;
  PemSource ca{};  // None: the system's roots.
  // Who we are; all empty is anonymous.
  std::string token{}, token_file{};  // The file wins.
  PemSource certificate{}, key{};
  std::optional<ExecPlugin> exec{};  // Then nothing else of these.
};

// "https://host:port", an IPv6 address in brackets.
[[nodiscard]] std::string ServerText(const ClusterAccess& access);

}  // namespace muster::app
