// kill-matrix: runs the kill matrix, or the named cases of it, in parallel, each with servers of
// its own. Exit 0 only if every case ended as it must; with --must-fail only if every case failed
// for that reason: for the faults that are planted to prove that the matrix can fail.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "e2e/cli/command_line.h"
#include "e2e/paths/paths.h"
#include "e2e/suites/kill_cases.h"

namespace muster::e2e {
namespace {

struct Flags {
  std::string programs = BinaryDir(), folder = "build/run/kill", plant, must_fail;
  std::vector<std::string> cases;  // Names; empty = all.
  unsigned jobs = 2;
  std::int64_t patience_s = KillRun{}.patience_ms / 1000;
};

std::vector<KillCase> Chosen(const Flags& flags) {
  std::vector<KillCase> cases = AllKillCases();
  if (flags.cases.empty()) return cases;
  std::erase_if(cases, [&](const KillCase& one) {
    return std::find(flags.cases.begin(), flags.cases.end(), one.name()) == flags.cases.end();
  });
  return cases;
}

class Run {
 public:
  explicit Run(const Flags& flags) : flags_(flags), cases_(Chosen(flags)) {}

  int All() {
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1U, flags_.jobs); ++i) {
      workers.emplace_back([this] { Work(); });
    }
    for (std::thread& worker : workers) worker.join();
    std::printf("%zu cases, %zu failed\n", cases_.size(), failed_.load());
    const bool complete =
        !cases_.empty() && (flags_.cases.empty() || cases_.size() == flags_.cases.size());
    return complete && as_stated_ == cases_.size() ? 0 : 1;
  }

 private:
  void Work() {
    for (std::size_t i = next_++; i < cases_.size(); i = next_++) {
      const KillCase& one = cases_[i];
      const std::int64_t begin_ms = SteadyMs();
      const KillRun run{.programs = {.local = flags_.programs + "/e2e/muster-local",
                                     .muster = flags_.programs + "/operator/muster",
                                     .folder = flags_.folder + "/" + one.name()},
                        .plant = flags_.plant,
                        .patience_ms = flags_.patience_s * 1000};
      const std::string wrong = RunKillCase(one, run);
      if (!wrong.empty()) ++failed_;
      if (flags_.must_fail.empty() ? wrong.empty()
                                   : wrong.find(flags_.must_fail) != std::string::npos) {
        ++as_stated_;
      }
      const std::lock_guard lock(output_);
      std::printf(
          "%-12s %5.1f s  %s%s\n", one.name().c_str(),
          static_cast<double>(SteadyMs() - begin_ms) / 1000.0, wrong.empty() ? "ok" : "",
          wrong.empty() ? "" : ("FAILED: " + wrong + "; logs: " + run.programs.folder).c_str());
      std::fflush(stdout);
    }
  }

  const Flags flags_;
  const std::vector<KillCase> cases_;
  std::atomic<std::size_t> next_ = 0, failed_ = 0, as_stated_ = 0;
  std::mutex output_;
};

}  // namespace
}  // namespace muster::e2e

int main(int argc, char** argv) {
  muster::e2e::Flags flags;
  muster::e2e::CommandLine line(
      "Kills the operator at every Binding of a gang, and looks at what becomes of it.",
      "kill-matrix");
  line.Add("--programs", flags.programs, "The build folder with the binaries",
           {.type = "FOLDER", .path = muster::e2e::FlagRule::Path::kFolder});
  line.Add("--folder", flags.folder, "For logs, one folder per case", {.type = "FOLDER"});
  line.Add("--case", flags.cases, "Names such as a-0-page, b-3-before, d-8-hold; all without",
           {.commas = true});
  line.Add("--jobs", flags.jobs, "Cases at a time");
  line.Add("--patience", flags.patience_s,
           "Seconds for each thing that must come after the restart");
  line.Add(
      "--plant", flags.plant, "A fault with which cases must fail",
      {.choices = {"empty-pages", "no-resource-version", "delete-member", "not-started-again"}});
  line.Add("--must-fail", flags.must_fail, "Exit 0 only if every case fails with this text");
  if (const auto end = line.Parse(argc, argv)) return *end;
  return muster::e2e::Run(flags).All();
}
