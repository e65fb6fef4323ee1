#include "e2e/suites/outage_cases.h"

#include <functional>
#include <utility>

#include "e2e/suites/outage_world.h"

namespace muster::e2e {
namespace {

// For what comes before the outage.
constexpr std::int64_t kBeginMs = 60'000;
// In the middle of a gang of eight.
constexpr int kAtBinding = 4;

class OutageCase {
 public:
  OutageCase(const OutageKind& kind, const OutageRun& run)
      : kind_(kind),
        run_(run),
        world_(run.programs, run.plant == OutageRun::kIdle ? "" : run.plant,
               run.short_lease ? ShortLease() : std::vector<std::string>()) {}

  OutageResult Run() {
    if (std::string failed = world_.Start(); !failed.empty()) return {.wrong = failed};
    Note(Play());
    Note(WrongIn(world_.Look()));
    if (!world_.unanswered().empty()) Note(world_.unanswered());
    result_.restarts = world_.restarts();
    if (result_.restarts < run_.restarts_min) {
      Note("the operator was started again " + std::to_string(result_.restarts) + " times");
    }
    return result_;
  }

 private:
  void Note(const std::string& wrong) {
    if (wrong.empty()) return;
    result_.wrong += (result_.wrong.empty() ? "" : "; ") + wrong;
  }
  // False: it has not come, or never can.
  template <class Condition>
  bool Comes(std::int64_t patience_ms, const Condition& holds) {
    bool came = false;
    (void)world_.Await(patience_ms, [&] {
      came = holds();
      return came || world_.IsBeyondRepair();
    });
    return came;
  }
  // "" = all came that had to; so below.
  std::string Play();
  std::string Before();
  std::string Lasting();
  std::string Early();
  std::string Late();
  std::string Recovery();
  [[nodiscard]] bool is_frozen() const { return std::string(kind_.name) == "frozen"; }

  const OutageKind kind_;
  const OutageRun run_;
  OutageWorld world_;
  OutageResult result_;
};

std::string OutageCase::Play() {
  if (std::string failed = Before(); !failed.empty()) return failed;
  if (run_.plant == OutageRun::kIdle) world_.KillMuster();
  if (std::string failed = Lasting(); !failed.empty()) return failed;
  return Recovery();
}

// While it is frozen nobody can change anything.
std::string OutageCase::Lasting() {
  const std::int64_t half_ms = run_.seconds * 500;
  const auto pass = [this, half_ms] { (void)world_.Await(half_ms, [] { return false; }); };
  std::string failed = is_frozen() ? "" : Early();
  pass();
  if (failed.empty() && !is_frozen()) failed = Late();
  pass();
  return failed;
}

std::string OutageCase::Before() {
  std::string failed = world_.MakeGang("before", 4);
  if (failed.empty()) failed = world_.MakeGang("ending", 12);
  if (!failed.empty()) return failed;
  if (!Comes(kBeginMs, [this] { return world_.AllRun(); })) {
    return "before the outage not all runs";
  }
  failed = world_.Order(kind_.name, kAtBinding);
  if (failed.empty()) failed = world_.MakeGang("midst", 8);
  if (!failed.empty()) return failed;
  const bool begun = world_.Await(kBeginMs, [this] { return world_.HasBegun(); });
  return begun ? "" : "the outage has not begun";
}

std::string OutageCase::Early() {
  std::string failed = world_.RemoveSpare();
  return failed.empty() ? world_.MakeGang("during", 4) : failed;
}

// In the end all nodes are full. There is no room for the last before those that are removed are
// gone, which is long after everybody could know that the spare node is.
std::string OutageCase::Late() {
  std::string failed = world_.RemoveGang("ending");
  return failed.empty() ? world_.MakeGang("large", 12, true) : failed;
}

std::string OutageCase::Recovery() {
  std::string failed = world_.End(result_.struck);
  const std::int64_t ended_ms = SteadyMs();
  if (failed.empty() && is_frozen()) failed = Early();
  if (failed.empty() && is_frozen()) failed = Late();
  if (failed.empty()) failed = world_.MakeGang("after", 4);
  if (!failed.empty()) return failed;
  if (!Comes(run_.patience_ms, [this] { return world_.AllRun(); })) {
    return "after the outage not all runs";
  }
  result_.recovery_ms = SteadyMs() - ended_ms;
  if (result_.struck < kind_.strikes_min) {
    return "it struck " + std::to_string(result_.struck) + " times only";
  }
  if (failed = world_.MakeGangTooMany("waiting", 4); !failed.empty()) return failed;
  const bool settled = Comes(run_.patience_ms, [this] { return world_.IsSettled(); });
  return settled ? "" : "it does not settle";
}

}  // namespace

// What strikes in two forms has to have done so in both.
const std::vector<OutageKind>& OutageKinds() {
  static const std::vector<OutageKind> kinds = {
      {.name = "down", .seconds = 60},
      {.name = "frozen", .seconds = 60},
      {.name = "throttled", .seconds = 30},
      {.name = "errors", .seconds = 30, .strikes_min = 2},
      {.name = "cut", .seconds = 30, .strikes_min = 2},
      {.name = "expired", .seconds = 30, .strikes_min = 2},
      {.name = "rotated", .seconds = 30},
  };
  return kinds;
}

OutageResult RunOutage(const OutageKind& kind, const OutageRun& run) {
  return OutageCase(kind, run).Run();
}

}  // namespace muster::e2e
