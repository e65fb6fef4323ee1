// Leader election by a Lease (coordination.k8s.io/v1), with the rules and timings of client-go's
// tools/leaderelection: times of others are never compared with a clock of ours, what counts is how
// long the Lease was seen unchanged. The Lease decides who works; it fences nobody: that the
// journal's pages do. Loop thread only.
//
//   Start --> candidate: looks every retry period, times 1 to 2.2; one that finds another holder
//   stands by --> leader: renews every retry period --> lost, for good: another holder, or no
//   renewal for the renew deadline
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "controllers/answer.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"
#include "controllers/writer.h"
#include "crds/lease.h"

namespace muster::controllers {

struct LeaderElection {
  std::string ns = "muster-system", name = "muster";  // Of the Lease.
  std::string identity;                               // Never empty, of one process at a time.
  // lease > renew deadline > 1.2 * retry period, as client-go asks for.
  std::int64_t lease_ms = 15'000, renew_deadline_ms = 10'000, retry_period_ms = 2'000;
};
// Empty, or which of the durations cannot be: "the renew deadline (..) must be ..".
[[nodiscard]] std::string ProblemOf(const LeaderElection& election);

class LeaderElector {
 public:
  struct World {
    Writer& writer;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    // Once. created: there was no Lease, so nobody can tell whether somebody else still leads.
    std::function<void(bool created)> leading;
    std::function<void()> standing_by;                 // Once, before `leading`: another leads.
    std::function<void(const std::string& why)> lost;  // Once, after `leading`.
    // The Lease was renewed: a write may start before then (R8), counted from when the renewal was
    // sent, for nobody knows when it took effect.
    std::function<void(Ticks until)> renewed;
  };

  LeaderElector(World world, LeaderElection election)
      : world_(std::move(world)), election_(std::move(election)) {}
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  void Start() { Try(); }
  // A leader that ends by itself gives the Lease back, so that the next need not wait for its end.
  // `done` follows, whatever is answered; at once when there is nothing to give back and nothing
  // under way.
  void Release(std::function<void()> done);
  // Sends nothing more, and tells nothing.
  void End() {
    state_ = State::kEnded;
    ++turn_;
  }
  [[nodiscard]] bool leading() const { return state_ == State::kLeader; }
  // Whose the Lease was when it was last seen; "" = nobody's.
  [[nodiscard]] const std::string& holder() const { return seen_.holder; }

 private:
  enum class State : std::uint8_t { kCandidate, kLeader, kEnded };
  using Answer = Result<ports::Response>;
  using Step = void (LeaderElector::*)(const Answer& answer);

  void Try();
  void Send(ports::Request request, Step step);
  void Get();
  void OnRead(const Answer& answer);
  void Observe(crds::Lease lease);
  [[nodiscard]] bool HeldByAnother() const;
  void Put(bool exists);
  void OnWritten(const Answer& answer);
  void Failed(const Verdict& verdict);
  void Lead(bool created);
  void WatchDeadline();
  void TryLater();
  void Lose(const std::string& why);
  void GiveBack();

  World world_;
  const LeaderElection election_;
  State state_ = State::kCandidate;
  crds::Lease seen_;
  std::optional<Ticks> seen_since_;  // Unchanged since then, by our own clock.
  bool current_ = false;             // `seen_` is what the server has, as far as we know.
  bool created_ = false;             // By the write under way.
  bool stood_by_ = false;            // Said so.
  Ticks sent_;                       // The write under way.
  Ticks renewed_;                    // When the last write that succeeded was sent.
  std::uint64_t turn_ = 0;           // Answers of former turns are not heard.
  bool open_ = false;                // A request of this turn is under way.
  std::string sent_renew_time_;      // Of our latest write.
  std::function<void()> release_;    // Set: what follows when the Lease is given back.
};

}  // namespace muster::controllers
