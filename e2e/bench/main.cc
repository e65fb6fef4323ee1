// muster-bench: every figure is a median, of 21 where nothing else is said, and stands beside its
// goal. A missed goal is printed, not an error: machines differ. Work that was not done is one.
#include <cstdio>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "e2e/bench/bindings.h"
#include "e2e/bench/decisions.h"
#include "e2e/bench/decode.h"
#include "e2e/paths/paths.h"

int main(int argc, char** argv) {
  using Canary = muster::e2e::BindingBenchOptions::Canary;
  muster::e2e::BindingBenchOptions options{.programs = muster::e2e::BinaryDir()};
  bool bindings_only = false;
  CLI::App app("Medians of decisions, event costs, decoding and Bindings, each beside its goal.");
  app.add_option("--programs", options.programs, "The build folder with the binaries")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--bindings-only", bindings_only, "Nothing but the Bindings per second");
  app.add_option("--gangs", options.gangs, "Gangs of eight that are bound")->capture_default_str();
  app.add_option("--rounds", options.rounds, "Of Bindings")->capture_default_str();
  app.add_option("--canary", options.canary, "A fault with which the bench must fail")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Canary>{{"bare", Canary::kBare}, {"muster", Canary::kMuster}}));
  CLI11_PARSE(app, argc, argv);
  if (!bindings_only) {
    muster::e2e::DecisionBench();
    muster::e2e::DecodeBench();
  }
  const std::string wrong = muster::e2e::BindingBench(options);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "muster-bench: %s\n", wrong.c_str());
  return 1;
}
