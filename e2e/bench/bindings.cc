#include "e2e/bench/bindings.h"

#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include <unistd.h>

#include "e2e/bench/bare_generator.h"
#include "e2e/bench/bind_cluster.h"
#include "e2e/bench/measure.h"
#include "operator/api_client.h"

namespace muster::e2e {
namespace {

using Canary = BindingBenchOptions::Canary;

constexpr std::int64_t kPollMs = 20;
// Without a Binding for so long nothing more will come.
constexpr std::int64_t kPatienceMs = 5'000;
// What a real API server takes for a Binding.
constexpr int kRealWriteMs = 2;

// Of one pass over all pods.
struct Pass {
  double per_second = 0;
  double server_us = 0, client_us = 0;  // CPU for each Binding.
  double total_ms = 0;                  // Of Muster: from the start of the process to the last one.
};

// CPU of API server and client from here on, for each Binding from here on.
class CpuWatch {
 public:
  CpuWatch(const BindCluster& cluster, pid_t client)
      : cluster_(cluster),
        client_(client),
        done_(cluster.Count().done),
        server_us_(CpuMicros(cluster.pid())),
        client_us_(CpuMicros(client)) {}

  void Read(Pass& pass) const {
    const double server_us = CpuMicros(cluster_.pid()) - server_us_;
    const double client_us = CpuMicros(client_) - client_us_;
    const auto bindings = static_cast<double>(cluster_.Count().done - done_);
    pass.server_us = server_us / bindings;
    pass.client_us = client_us / bindings;
  }

 private:
  const BindCluster& cluster_;
  const pid_t client_;
  const std::int64_t done_;
  const double server_us_, client_us_;
};

class Bench {
 public:
  Bench(const BindingBenchOptions& options, const std::string& folder)
      : options_(options),
        programs_{.local = options.programs + "/e2e/muster-local",
                  .muster = options.programs + "/operator/muster",
                  .folder = folder} {}

  [[nodiscard]] Result<Pass> Bare(int write_ms) const {
    MUSTER_ASSIGN(const BindCluster cluster, Cluster(write_ms, 0));
    MUSTER_ASSIGN(const std::vector<app::HttpCall> calls,
                  BareBindings(cluster, options_.canary == Canary::kBare ? 1 : 0));
    Pass pass;
    const CpuWatch cpu(cluster, getpid());
    SendBare(cluster, calls, app::ApiClientOptions().bind_connections);
    cpu.Read(pass);
    return End(cluster, pass);
  }

  // The canary is a cluster that is one node short: its last gang cannot be bound.
  [[nodiscard]] Result<Pass> Muster(int write_ms) const {
    const int nodes_short = options_.canary == Canary::kMuster ? 1 : 0;
    MUSTER_ASSIGN(const BindCluster cluster, Cluster(write_ms, nodes_short));
    Pass pass;
    const std::int64_t begin_ms = SteadyMs();
    MUSTER_ASSIGN(const Server muster, StartMuster(programs_));
    const CpuWatch cpu(cluster, muster.child.pid());
    std::int64_t seen = 0;
    std::int64_t since_ms = begin_ms;
    while (seen < cluster.pods() && SteadyMs() - since_ms < kPatienceMs) {
      SleepMs(kPollMs);
      const std::int64_t done = cluster.Count().done;
      if (done != std::exchange(seen, done)) since_ms = SteadyMs();
    }
    cpu.Read(pass);
    pass.total_ms = static_cast<double>(SteadyMs() - begin_ms);
    return End(cluster, pass);
  }

 private:
  [[nodiscard]] Result<BindCluster> Cluster(int write_ms, int nodes_short) const {
    return BindCluster::Start(
        programs_,
        {.gangs = options_.gangs, .nodes = options_.gangs - nodes_short, .write_ms = write_ms});
  }
  [[nodiscard]] static Result<Pass> End(const BindCluster& cluster, Pass pass) {
    if (std::string wrong = cluster.WhatIsUnbound(); !wrong.empty()) {
      return Error{Code::kInternal, std::move(wrong)};
    }
    const BindCluster::Tally tally = cluster.Count();
    // The first one begins the time.
    const auto intervals = static_cast<double>(tally.done - 1);
    pass.per_second = intervals * 1e6 / static_cast<double>(tally.span_us);
    return pass;
  }

  const BindingBenchOptions options_;
  const Programs programs_;
};

struct Passes {
  std::vector<Pass> all;

  [[nodiscard]] double Middle(double Pass::*value) const {
    std::vector<double> values;
    values.reserve(all.size());
    for (const Pass& pass : all) values.push_back(pass.*value);
    return Median(values);
  }
  // "" = done.
  [[nodiscard]] std::string Add(const std::string& who, const Result<Pass>& pass) {
    if (!pass.ok()) return who + ": " + pass.error().message;
    all.push_back(pass.value());
    return {};
  }
};

void Show(const std::string& server, const Passes& bare, const Passes& muster) {
  const double bare_rate = bare.Middle(&Pass::per_second);
  const double rate = muster.Middle(&Pass::per_second);
  const double share = 100 * rate / bare_rate;
  Print({"Bindings, bare generator" + server, bare_rate, "/s", "", true});
  Print({"Bindings, Muster" + server, rate, "/s", "", true});
  Print({"Muster beside the bare generator" + server, share, "%", "90 %", share >= 90});
}

void ShowCosts(const Passes& bare, const Passes& muster) {
  const auto cost = [](const std::string& what, double us) {
    Print({"CPU for a Binding, " + what, us, "us", "", true});
  };
  cost("API server, under the bare generator", bare.Middle(&Pass::server_us));
  cost("API server, under Muster", muster.Middle(&Pass::server_us));
  cost("bare generator", bare.Middle(&Pass::client_us));
  cost("Muster", muster.Middle(&Pass::client_us));
  Print({"from the start of muster to the last Binding", muster.Middle(&Pass::total_ms), "ms", "",
         true});
}

// Both in each round, and who begins alternates: what slows the machine for a while slows both.
std::string Run(const Bench& bench, int rounds, int write_ms) {
  Passes bare;
  Passes muster;
  for (int round = 0; round < rounds; ++round) {
    for (const bool is_bare : {round % 2 == 0, round % 2 != 0}) {
      std::string wrong = is_bare ? bare.Add("bare generator", bench.Bare(write_ms))
                                  : muster.Add("Muster", bench.Muster(write_ms));
      if (!wrong.empty()) return wrong;
    }
  }
  std::string server;
  if (write_ms > 0) server.append(", writes of ").append(std::to_string(write_ms)).append(" ms");
  Show(server, bare, muster);
  if (write_ms == 0) ShowCosts(bare, muster);
  return {};
}

}  // namespace

// An API server that keeps its objects in memory answers faster than the two cores of a small
// machine can ask: there the share says what Muster's own work costs. With the time that a real
// one takes for a write it says whether Muster keeps its connections busy.
std::string BindingBench(const BindingBenchOptions& options) {
  std::string folder = options.programs + "/bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return folder + ": cannot be made";
  const Bench bench(options, folder);
  (void)std::printf("%d pods in %d gangs, medians of %d rounds:\n", options.gangs * kGangSize,
                    options.gangs, options.rounds);
  for (const int write_ms : {0, kRealWriteMs}) {
    std::string wrong = Run(bench, options.rounds, write_ms);
    if (!wrong.empty()) return wrong.append("; logs: ").append(folder);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return {};
}

}  // namespace muster::e2e
