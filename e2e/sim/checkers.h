// The invariants that a simulated run is held to, each watched from the API server's side by a
// checker of its own; here they are told what happens. The first violation ends the run; its text
// says when, which checker, what, and with which numbers.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "e2e/sim/domain_checker.h"
#include "e2e/sim/excuses.h"
#include "e2e/sim/journal_checker.h"
#include "e2e/sim/reason_checker.h"
#include "e2e/sim/shadow.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/use_checker.h"
#include "e2e/sim/whole_checker.h"
#include "e2e/sim/wire.h"

namespace muster::e2e {

class Checkers {
 public:
  // `excuses`: what Muster cannot know; null = there is nothing.
  Checkers(SimLoop& loop, const Shadow& shadow, const Excuses* excuses = nullptr);
  Checkers(const Checkers&) = delete;
  Checkers& operator=(const Checkers&) = delete;

  // A request of an operator was answered.
  void OnArrival(const Arrival& arrival);
  // A pod changed, by whomever; before OnArrival of the request that did it.
  void OnPod(const crds::Pod* before, const crds::Pod& now, bool deleted);
  // Once a second. `operator_since_ms`: since when the present operator runs.
  void Tick(std::int64_t operator_since_ms);
  // One wrong object never stops the others (8): it is no error of the operator.
  void OnErrorLogged(const std::string& line) { Fail("others (8): error logged: " + line); }
  // A counter of the operator went up: every wake-up that was owed has come.
  void OnCounted(std::string_view counter) {
    if (counter == "entries_taken_over") Mark("entries taken over");
    if (counter == "lost_wakeups") {
      Fail("liveness (9): a wake-up was lost: time alone found a gang that fits");
    }
  }
  // From now on nothing is lost and nobody is killed: reasons are true now (5).
  void SetCalm() { reasons_.SetCalm(loop_.elapsed_ms()); }
  // The API server was restored to an older state: what was seen before says nothing.
  void BeginAnew();
  // At the end: nothing is half done, nothing is left over.
  void AtRest();
  void Fail(const std::string& what);
  void Mark(const std::string& what) { ++marks_[what]; }

  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  // How often something rare happened: "abandoned", "touched", "late binding refused", ...
  [[nodiscard]] const std::map<std::string, std::int64_t>& marks() const { return marks_; }
  // FNV-1a over every write that reached the server, its answer and its time.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] std::int64_t bindings() const { return bindings_; }

 private:
  void Mix(const std::string& text);
  void OnBinding(const Arrival& arrival, const PodChange* change);
  void OnPage(const Arrival& arrival);
  void OnPodWrite(const Arrival& arrival);
  [[nodiscard]] const PodChange* ChangeOf(const std::string& path) const;

  SimLoop& loop_;
  const Shadow& shadow_;
  UseChecker use_;
  WholeChecker whole_;
  DomainChecker domains_;
  JournalChecker journal_;
  ReasonChecker reasons_;
  std::vector<std::string> violations_;
  std::map<std::string, std::int64_t> marks_;
  std::set<std::uint64_t> abandoned_;  // Ids of entries seen in Abandon.
  std::vector<PodChange> changes_;     // In the present step of the loop.
  std::uint64_t step_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
  std::int64_t bindings_ = 0;
};

}  // namespace muster::e2e
