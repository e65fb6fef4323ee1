// muster-hostile: objects as no sane client writes them, through the watches of an operator on
// virtual time, and through a served API server with the real operator beside it. Exit 0 only if
// each ended as it must; with --must-fail only if something went wrong in that way: for the faults
// that are planted to prove that this can fail.

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "e2e/cli/command_line.h"
#include "e2e/harness/process.h"
#include "e2e/hostile/apply.h"
#include "e2e/hostile/stream.h"

namespace muster::e2e {
namespace {

struct Flags {
  std::size_t first = 0, count = 500;
  std::uint64_t seed = 1;
  std::string way, plant, must_fail;  // way: "" = both.
};

int Report(std::string_view way, const HostileVerdict& verdict, std::int64_t began_ms) {
  std::printf("%s: %.1f s\n", std::string(way).c_str(),
              static_cast<double>(SteadyMs() - began_ms) / 1000.0);
  for (const auto& [end, count] : verdict.ends) {
    std::printf("  %7lld  %s\n", static_cast<long long>(count), end.c_str());
  }
  for (const std::string& what : verdict.wrong) std::printf("  WRONG  %s\n", what.c_str());
  std::fflush(stdout);
  return static_cast<int>(verdict.wrong.size());
}

bool Failed(const Flags& flags, const HostileVerdict& verdict) {
  return std::ranges::any_of(verdict.wrong, [&](const std::string& what) {
    return what.find(flags.must_fail) != std::string::npos;
  });
}

int Run(const Flags& flags) {
  const Result<HostileObjects> objects = HostileObjects::Load(flags.seed);
  if (!objects.ok()) {
    std::fprintf(stderr, "muster-hostile: %s\n", objects.error().message.c_str());
    return 1;
  }
  int wrong = 0;
  bool as_planted = true;
  const auto note = [&](std::string_view way, const HostileVerdict& verdict,
                        std::int64_t began_ms) {
    wrong += Report(way, verdict, began_ms);
    as_planted = as_planted && Failed(flags, verdict);
  };
  if (flags.way != "apply") {
    const std::int64_t began_ms = SteadyMs();
    note("watch",
         PlayStream(objects.value(), {.seed = flags.seed,
                                      .first = flags.first,
                                      .count = flags.count,
                                      .gives_up = flags.plant == "gives-up",
                                      .no_operator = flags.plant == "no-operator"}),
         began_ms);
  }
  if (flags.way != "watch") {
    const std::int64_t began_ms = SteadyMs();
    ApplyRun run{.first = flags.first,
                 .count = flags.count,
                 .server_error = flags.plant == "server-error",
                 .no_operator = flags.plant == "no-operator"};
    if (!flags.plant.empty()) run.patience_ms = 2'000;
    note("apply", PlayApply(objects.value(), run), began_ms);
  }
  std::printf(
      "%zu objects of seed %llu; each place of each kind in each way within %zu; %d wrong\n",
      flags.count, static_cast<unsigned long long>(flags.seed), objects.value().Round(), wrong);
  if (!flags.must_fail.empty()) return as_planted ? 0 : 1;
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster::e2e

int main(int argc, char** argv) {
  muster::e2e::Flags flags;
  muster::e2e::CommandLine line("Hostile objects, through watches and through the API server.",
                                "muster-hostile");
  line.Add("--first", flags.first, "The number of the first, to play some again");
  line.Add("--count", flags.count, "Objects");
  line.Add("--seed", flags.seed, "What they are made from");
  line.Add("--only", flags.way, "One of the two ways in", {.choices = {"watch", "apply"}});
  line.Add("--plant", flags.plant, "A fault with which this must fail",
           {.choices = {"gives-up", "no-operator", "server-error"}});
  line.Add("--must-fail", flags.must_fail, "Exit 0 only if it fails with this text");
  if (const auto end = line.Parse(argc, argv)) return *end;
  return muster::e2e::Run(flags);
}
