#include "e2e/harness/servers.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "e2e/harness/client.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kReadyMs = 20'000;
// Each program names in its log the port that it was given: asked for 0, nobody can have taken it.
constexpr std::string_view kLocalServes = "://127.0.0.1:";
constexpr std::string_view kLocalSide = "side door on port ";
constexpr std::string_view kMusterServes = "serving http=127.0.0.1:";

// The last thing that it said; each program begins its lines with its name.
Error NotReady(const std::string& what, const std::string& log) {
  const std::vector<std::string> last = Tail(log, 1);
  return {Code::kUnavailable, last.empty() ? what + ": no answer; log: " + log : last[0]};
}

// The port behind `mark` in what was written to `log` from byte `from` on; 0 = not yet there.
std::int32_t PortInLog(const std::string& log, std::uintmax_t from, std::string_view mark) {
  std::ifstream in(log, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(from));
  for (std::string line; std::getline(in, line) && !in.eof();) {  // Whole lines only.
    const std::size_t at = line.find(mark);
    if (at != std::string::npos) return std::atoi(line.c_str() + at + mark.size());
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
  Server server{.child = std::move(child)};
  while (server.port == 0) {
    if (server.child.ended() || SteadyMs() - begin > kReadyMs) {
      return NotReady("muster-local", programs.local_log());
    }
    SleepMs(5);
    server.port = PortInLog(programs.local_log(), 0, kLocalServes);
  }
  server.side_port = PortInLog(programs.local_log(), 0, kLocalSide);
  server.start_ms = SteadyMs() - begin;
  return server;
}

std::vector<std::string> ShortLease() {
  return {"--leader-elect-lease-duration", "5s",   "--leader-elect-renew-deadline", "4s",
          "--leader-elect-retry-period",   "500ms"};
}

Result<Child> LaunchMuster(const Programs& programs, const MusterRun& run) {
  Command command{
      .argv = {programs.muster, "--kubeconfig", programs.kubeconfig(), "--http-port", "0"},
      .env = {"POD_UID=" + run.identity},
      .cwd = {}};
  command.argv.insert(command.argv.end(), run.flags.begin(), run.flags.end());
  return Child::Start(command, programs.muster_log(run.identity));
}

Result<Server> StartMuster(const Programs& programs, const MusterRun& run) {
  const std::int64_t begin = SteadyMs();
  const std::string log = programs.muster_log(run.identity);
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(log, none);
  const std::uintmax_t before = none ? 0 : size;
  MUSTER_ASSIGN(Child child, LaunchMuster(programs, run));
  Server server{.child = std::move(child)};
  while (server.port == 0 || Client(server.port).Get("/readyz").status != 200) {
    if (server.child.ended() || SteadyMs() - begin > kReadyMs) {
      return NotReady("muster", log);
    }
    SleepMs(10);
    if (server.port == 0) server.port = PortInLog(log, before, kMusterServes);
  }
  server.start_ms = SteadyMs() - begin;
  return server;
}

}  // namespace muster::e2e
