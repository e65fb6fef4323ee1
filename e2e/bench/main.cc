// muster-bench: every figure is a median, of 21 where nothing else is said, and stands beside its
// goal. A missed goal is printed, not an error: machines differ. Work that was not done is one.
#include <cstdio>
#include <string>

#include "e2e/bench/bindings.h"
#include "e2e/bench/decisions.h"
#include "e2e/bench/decode.h"
#include "e2e/cli/command_line.h"
#include "e2e/paths/paths.h"

int main(int argc, char** argv) {
  using Canary = muster::e2e::BindingBenchOptions::Canary;
  muster::e2e::BindingBenchOptions options{.programs = muster::e2e::BinaryDir()};
  bool bindings_only = false;
  muster::e2e::CommandLine line(
      "Medians of decisions, event costs, decoding and Bindings, each beside its goal.",
      "muster-bench");
  line.Add("--programs", options.programs, "The build folder with the binaries",
           {.type = "FOLDER", .path = muster::e2e::FlagRule::Path::kFolder});
  line.Add("--bindings-only", bindings_only, "Nothing but the Bindings per second");
  line.Add("--gangs", options.gangs, "Gangs of eight that are bound");
  line.Add("--rounds", options.rounds, "Of Bindings");
  line.AddChoice<Canary>("--canary", options.canary,
                         {{"bare", Canary::kBare}, {"muster", Canary::kMuster}},
                         "A fault with which the bench must fail");
  if (const auto end = line.Parse(argc, argv)) return *end;
  if (!bindings_only) {
    muster::e2e::DecisionBench();
    muster::e2e::DecodeBench();
  }
  const std::string wrong = muster::e2e::BindingBench(options);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "muster-bench: %s\n", wrong.c_str());
  return 1;
}
