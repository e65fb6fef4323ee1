// muster-sim: plays the canaries, then seeds. The last line of a failure is the command that shows
// it again.
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "e2e/cli/command_line.h"
#include "e2e/paths/paths.h"
#include "e2e/sim/canaries.h"
#include "e2e/sim/minimums.h"
#include "e2e/sim/seeds.h"

namespace muster::e2e {
namespace {

struct Arguments {
  std::uint64_t first = 1;
  std::int64_t seeds = 60;
  std::string crds = CrdsFolder();
  bool log = false;
  bool all = false;
};

struct Totals {
  Counts marks, faults;
};

// Less is no test of anything.
constexpr std::uint64_t kStepsMin = 2'000;
// One seed in so many is run again.
constexpr std::uint64_t kAgainEvery = 5;

void Print(const std::string& text) {
  (void)std::printf("%s\n", text.c_str());
}

std::string Hex(std::uint64_t value) {
  char text[32];
  (void)std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

bool PlayCanaries(const Arguments& arguments) {
  bool good = true;
  for (const Canary& canary : Canaries(arguments.crds)) {
    const std::vector<std::string> without = canary.play(false);
    const std::vector<std::string> with = canary.play(true);
    const bool found = !with.empty() && with.front().find(canary.says) != std::string::npos;
    Print("canary " + canary.name + ": " + (found ? "found: " : "NOT FOUND, but ") +
          (with.empty() ? "nothing" : with.front()));
    if (!without.empty()) Print("  without it: " + without.front());
    good = good && found && without.empty();
  }
  return good;
}

bool PlaySeed(std::uint64_t seed, const Arguments& arguments, Totals& totals) {
  WorldOptions options = OptionsOfSeed(seed, arguments.crds);
  if (arguments.log) options.log = Print;
  const WorldResult result = World(options).Run();
  for (const auto& [mark, count] : result.marks) totals.marks[mark] += count;
  for (const auto& [fault, count] : result.faults) totals.faults[fault] += count;
  Print("seed " + std::to_string(seed) + " hash " + Hex(result.hash) + " lives " +
        std::to_string(result.lives) + " bindings " + std::to_string(result.bindings) + " steps " +
        std::to_string(result.steps) + " time " + std::to_string(result.elapsed_ms / 1000) + " s");
  for (const std::string& violation : result.violations) Print("  " + violation);
  bool good = result.violations.empty();
  if (good && result.steps < kStepsMin) {
    Print("  a run of less than " + std::to_string(kStepsMin) + " events");
    good = false;
  }
  // The same input gives the same bytes.
  if (seed % kAgainEvery == 0 && !arguments.log &&
      World(OptionsOfSeed(seed, arguments.crds)).Run().hash != result.hash) {
    Print("  the second run of this seed gave another hash");
    good = false;
  }
  if (!good) Print("muster-sim --first " + std::to_string(seed) + " --seeds 1 --log");
  return good;
}

// False: something was met too seldom.
bool PrintTable(const std::string& title, std::span<const Minimum> minimums, const Counts& counts,
                std::int64_t seeds) {
  Print(title);
  const Verdict verdict = Judge(minimums, counts, seeds);
  for (const std::string& line : verdict.lines) Print("  " + line);
  return verdict.lacking.empty();
}

int Run(const Arguments& arguments) {
  if (!arguments.log && !PlayCanaries(arguments)) return 1;
  Totals totals;
  bool good = true;
  for (std::int64_t i = 0; i < arguments.seeds; ++i) {
    good = PlaySeed(arguments.first + static_cast<std::uint64_t>(i), arguments, totals) && good;
    if (!good && !arguments.all) return 1;
  }
  const std::vector<Minimum> faults = FaultMinimums();
  const bool struck = PrintTable("faults that struck:", faults, totals.faults, arguments.seeds);
  const bool reached =
      PrintTable("marks that were reached:", MarkMinimums(), totals.marks, arguments.seeds);
  if (!struck || !reached) Print("something was met too seldom: the weather is too mild");
  return good && struck && reached ? 0 : 1;
}

}  // namespace
}  // namespace muster::e2e

int main(int argc, char** argv) {
  muster::e2e::Arguments arguments;
  muster::e2e::CommandLine line(
      "Simulates clusters under faults, each from a seed, and checks every invariant.",
      "muster-sim");
  line.Add("--first", arguments.first, "The first seed");
  line.Add("--seeds", arguments.seeds, "How many");
  line.Add("--crds", arguments.crds, "Folder of the CRDs",
           {.type = "FOLDER", .path = muster::e2e::FlagRule::Path::kFolder});
  line.Add("--log", arguments.log, "Print the operator's log lines; no canaries");
  line.Add("--all", arguments.all, "Play the seeds behind one that fails, too");
  if (const auto end = line.Parse(argc, argv)) return *end;
  return muster::e2e::Run(arguments);
}
