// The cluster in which Bindings are counted: muster-local with nodes of 8 GPUs and gangs of eight
// pods of one GPU each, all there before anybody binds. A new one for every pass, so that no pass
// meets what another left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/harness/client.h"
#include "e2e/harness/servers.h"
#include "operator/http_client.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

inline constexpr int kGangSize = 8;

class BindCluster {
 public:
  struct Size {
    int gangs = 0;
    int nodes = 0;  // Each takes one gang.
    int write_ms = 0;
  };
  // Writes the objects and starts muster-local on them.
  [[nodiscard]] static Result<BindCluster> Start(const Programs& programs, const Size& size);

  [[nodiscard]] std::int32_t port() const { return server_.port; }
  [[nodiscard]] app::Endpoint endpoint() const;
  [[nodiscard]] pid_t pid() const { return server_.child.pid(); }  // Of the API server.
  [[nodiscard]] std::int64_t pods() const { return pods_; }

  struct Pod {
    std::string name, uid, resource_version, gang, gang_uid;
  };
  // By gang and rank, as a client that lists them sees them.
  [[nodiscard]] Result<std::vector<Pod>> List() const;
  [[nodiscard]] static std::string NodeName(int i);

  // Bindings that took effect, by the clock of the server.
  struct Tally {
    std::int64_t done = 0;
    std::int64_t span_us = 0;  // From the first to the last.
  };
  [[nodiscard]] Tally Count() const;
  // "" = every pod has a node, and the server counted one Binding for each.
  [[nodiscard]] std::string WhatIsUnbound() const;

 private:
  BindCluster(Server server, std::int64_t pods);

  Server server_;
  std::int64_t pods_ = 0;
};

}  // namespace muster::e2e
