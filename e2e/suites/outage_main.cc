// outages: the real operator through outages of the real served API server, in parallel, each with
// servers of its own. Prints how long after its end all that fits ran. Exit 0 only if all ended as
// they must; with --must-fail only if each failed with every one of these texts: for the faults
// that are planted to prove that they can fail.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "e2e/cli/command_line.h"
#include "e2e/paths/paths.h"
#include "e2e/suites/outage_cases.h"

namespace muster::e2e {
namespace {

struct Flags {
  std::string programs = BinaryDir(), folder = "build/run/outages", plant;
  std::vector<std::string> kinds, must_fail;
  std::int64_t seconds = 0;  // 0 = in full.
  std::int64_t patience_s = OutageRun{}.patience_ms / 1000;
  int restarts = 0;
  unsigned jobs = 4;
};

std::vector<OutageKind> Chosen(const std::vector<std::string>& names) {
  std::vector<OutageKind> kinds = OutageKinds();
  if (names.empty()) return kinds;
  std::erase_if(kinds, [&names](const OutageKind& kind) {
    return std::ranges::find(names, kind.name) == names.end();
  });
  return kinds;
}

class Outages {
 public:
  explicit Outages(const Flags& flags) : flags_(flags), kinds_(Chosen(flags.kinds)) {}

  int All() {
    std::printf("%-10s %7s %7s %9s %11s\n", "OUTAGE", "LASTED", "STRUCK", "RESTARTS", "RECOVERY");
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1U, flags_.jobs); ++i) {
      workers.emplace_back([this] { Work(); });
    }
    for (std::thread& worker : workers) worker.join();
    const bool complete =
        !kinds_.empty() && (flags_.kinds.empty() || kinds_.size() == flags_.kinds.size());
    return complete && as_stated_ == kinds_.size() ? 0 : 1;
  }

 private:
  void Work() {
    for (std::size_t i = next_++; i < kinds_.size(); i = next_++) One(kinds_[i]);
  }

  void One(const OutageKind& kind) {
    const OutageRun run{.programs = {.local = flags_.programs + "/e2e/muster-local",
                                     .muster = flags_.programs + "/operator/muster",
                                     .folder = flags_.folder + "/" + kind.name},
                        .plant = flags_.plant,
                        .seconds = flags_.seconds > 0 ? flags_.seconds : kind.seconds,
                        .short_lease = flags_.seconds > 0,
                        .restarts_min = flags_.restarts,
                        .patience_ms = flags_.patience_s * 1000};
    const OutageResult result = RunOutage(kind, run);
    if (IsAsStated(result)) ++as_stated_;
    const std::string end =
        result.wrong.empty() ? "ok" : "FAILED: " + result.wrong + "; logs: " + run.programs.folder;
    const std::lock_guard lock(output_);
    std::printf("%-10s %5lld s %7lld %9d %9.1f s  %s\n", kind.name,
                static_cast<long long>(run.seconds), static_cast<long long>(result.struck),
                result.restarts, static_cast<double>(result.recovery_ms) / 1000.0, end.c_str());
    std::fflush(stdout);
  }

  [[nodiscard]] bool IsAsStated(const OutageResult& result) const {
    if (flags_.must_fail.empty()) return result.wrong.empty();
    return std::ranges::all_of(flags_.must_fail, [&result](const std::string& text) {
      return result.wrong.find(text) != std::string::npos;
    });
  }

  const Flags flags_;
  const std::vector<OutageKind> kinds_;
  std::atomic<std::size_t> next_ = 0, as_stated_ = 0;
  std::mutex output_;
};

}  // namespace
}  // namespace muster::e2e

int main(int argc, char** argv) {
  muster::e2e::Flags flags;
  muster::e2e::CommandLine line(
      "Takes the API server away in several ways, and looks at what becomes of the gangs.",
      "outages");
  line.Add("--programs", flags.programs, "The build folder with the binaries",
           {.type = "FOLDER", .path = muster::e2e::FlagRule::Path::kFolder});
  line.Add("--folder", flags.folder, "For logs, one folder per outage", {.type = "FOLDER"});
  line.Add("--kind", flags.kinds, "Names such as down, throttled; all without", {.commas = true});
  line.Add("--seconds", flags.seconds,
           "How long each lasts, with short leases; without it each lasts in full",
           {.min = 1, .max = 600});
  line.Add("--restarts", flags.restarts,
           "So often at least the operator has to end, and be started again");
  line.Add("--jobs", flags.jobs, "Outages at a time");
  line.Add("--patience", flags.patience_s, "Seconds for each thing that must come after it");
  line.Add("--plant", flags.plant, "A fault with which they must fail",
           {.choices = {"idle", "delete-member", "one-node"}});
  line.Add("--must-fail", flags.must_fail, "Exit 0 only if each fails with this text");
  if (const auto end = line.Parse(argc, argv)) return *end;
  return muster::e2e::Outages(flags).All();
}
