#include "e2e/harness/servers.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "e2e/harness/client.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kReadyMs = 20'000;
constexpr std::string_view kReady = "ready on http://127.0.0.1:";

// The last thing that it said; each program begins its lines with its name.
Error NotReady(const std::string& what, const std::string& log) {
  const std::vector<std::string> last = Tail(log, 1);
  return {Code::kUnavailable, last.empty() ? what + ": no answer; log: " + log : last[0]};
}

std::int32_t PortInLog(const std::string& log) {
  for (const std::string& line : Tail(log, 20)) {
    const std::size_t at = line.find(kReady);
    if (at != std::string::npos) return std::atoi(line.c_str() + at + kReady.size());
  }
  return 0;
}

}  // namespace

Result<Server> StartLocal(const Programs& programs, std::int32_t port,
                          const std::vector<std::string>& flags) {
  const std::int64_t begin = SteadyMs();
  std::filesystem::remove(programs.local_log());
  Command command{.argv = {programs.local, "--port", std::to_string(port), "--kubeconfig-out",
                           programs.kubeconfig()},
                  .env = {},
                  .cwd = {}};
  command.argv.insert(command.argv.end(), flags.begin(), flags.end());
  MUSTER_ASSIGN(Child child, Child::Start(command, programs.local_log()));
  Server server{.child = std::move(child), .port = 0, .start_ms = 0};
  while (server.port == 0) {
    if (server.child.ended() || SteadyMs() - begin > kReadyMs) {
      return NotReady("muster-local", programs.local_log());
    }
    SleepMs(5);
    server.port = PortInLog(programs.local_log());
  }
  server.start_ms = SteadyMs() - begin;
  return server;
}

Result<Server> StartMuster(const Programs& programs) {
  const std::int64_t begin = SteadyMs();
  const std::int32_t port = FreePort();
  MUSTER_ASSIGN(Child child,
                Child::Start({.argv = {programs.muster, "--kubeconfig", programs.kubeconfig(),
                                       "--http-port", std::to_string(port)},
                              .env = {},
                              .cwd = {}},
                             programs.muster_log()));
  Server server{.child = std::move(child), .port = port, .start_ms = 0};
  Client client(port);
  while (client.Get("/readyz").status != 200) {
    if (server.child.ended() || SteadyMs() - begin > kReadyMs) {
      return NotReady("muster", programs.muster_log());
    }
    SleepMs(10);
  }
  server.start_ms = SteadyMs() - begin;
  return server;
}

}  // namespace muster::e2e
