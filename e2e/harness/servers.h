// The two programs under test as children: muster-local and muster, started with the flags and
// files that drivers and suites need, and waited for until they are ready.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/harness/process.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

struct Programs {
  std::string local, muster;  // Paths of the binaries.
  std::string folder;         // For kubeconfig, token and logs; exists.
  [[nodiscard]] std::string kubeconfig() const { return folder + "/kubeconfig"; }
  [[nodiscard]] std::string token_file() const { return folder + "/token"; }
  [[nodiscard]] std::string local_log() const { return folder + "/muster-local.log"; }
  [[nodiscard]] std::string muster_log(const std::string& identity = "muster-0") const {
    return folder + (identity == "muster-0" ? "/muster.log" : "/" + identity + ".log");
  }
};

struct Server {
  Child child;
  std::int32_t port = 0;       // Of the API server; of /explain for muster.
  std::int32_t side_port = 0;  // Of the API server, if it was asked for one.
  std::int64_t start_ms = 0;   // From the start to ready.
};

// `flags` beyond port and kubeconfig. Port 0 = a free one. Empties its log first.
[[nodiscard]] Result<Server> StartLocal(const Programs& programs, std::int32_t port,
                                        const std::vector<std::string>& flags);
// Flags with which a lease passes on after 5 s instead of 15: the rules are the same.
[[nodiscard]] std::vector<std::string> ShortLease();
struct MusterRun {
  // As the uid of its pod: of the same identity, a new process goes on with the lease of the old.
  std::string identity = "muster-0";
  std::vector<std::string> flags = {};
};
// Not waited for. Its log goes on where a former one of its identity ended.
[[nodiscard]] Result<Child> LaunchMuster(const Programs& programs, const MusterRun& run);
// Ready = it has synced, or stands by.
[[nodiscard]] Result<Server> StartMuster(const Programs& programs, const MusterRun& run = {});

}  // namespace muster::e2e
