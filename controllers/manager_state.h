// The parts of a Manager and what it remembers of its start. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "controllers/binder.h"
#include "controllers/decision_metrics.h"
#include "controllers/event_recorder.h"
#include "controllers/intake.h"
#include "controllers/journal.h"
#include "controllers/manager.h"
#include "controllers/recovery.h"
#include "controllers/scheduling_loop.h"
#include "controllers/status_writer.h"
#include "controllers/stores.h"
#include "controllers/stray_touch.h"
#include "controllers/writer.h"

namespace muster::controllers {

// Owns the parts, in the order in which they need each other, and the steps of the start:
//
//   Start --> [lease; while another holds it: stand by (Intake)] --> fence (Recovery) --> lists, or
//   what the standby kept (Intake) --> [touch strays, watch shows them] --> EntrySeen, Synced -->
//   first Decide --> entries rolled forward or given up
struct Manager::State {
  State(Ports given, ManagerOptions chosen, Fatal on_fatal);

  [[nodiscard]] Journal::World JournalWorld();
  [[nodiscard]] Binder::World BinderWorld();
  [[nodiscard]] SchedulingLoop::World LoopWorld();
  [[nodiscard]] LeaderElector::World ElectorWorld();
  [[nodiscard]] Recovery::World RecoveryWorld();
  [[nodiscard]] StatusWriter::World StatusWorld();
  [[nodiscard]] Intake::Out IntakeOut();
  [[nodiscard]] Send Sender();
  [[nodiscard]] std::string PayerOf(const scheduler::Uid& uid) const;

  // Another leads, or may: nothing wrong with this one.
  void Yield(const std::string& why) { End(ports::Level::kWarning, why); }
  void Fail(const std::string& why) { End(ports::Level::kError, why); }
  void WentBack(const std::string& object) {
    Yield("the API server went back to an older state: " + object);
  }
  void End(ports::Level level, const std::string& why);
  void Apply(const scheduler::Event& event);
  [[nodiscard]] scheduler::Decision Decide(Now now, scheduler::Budget budget);
  void OnFenced(Recovery::Found pages);
  void OnEvent(scheduler::Event event);
  void NotePod(const scheduler::PodSeen& pod);
  void OnListed();
  void TellMissing();
  void OnTouched();
  void TouchStrays();
  void UpdateCurrent();
  void ConfirmPages();
  void ConfirmAnswers();
  void AskFor(const scheduler::Key& pod, const scheduler::Uid& uid);
  void OnAskedFor(const scheduler::Key& pod, const scheduler::Uid& uid,
                  const Result<ports::Response>& answer);
  void Confirmed();
  void TakeOver();
  void OnDecided(const scheduler::Decision& decision, std::int64_t micros);
  [[nodiscard]] bool synced() const {
    return loop.started() && intake.synced() && current && !failed;
  }
  void TellReady();
  // Without an election there is no Lease to tell of.
  void ShowLeading(bool leading) const {
    if (elector) controllers::ShowLeading(ports.telemetry, options.election->name, leading);
  }

  Ports ports;
  ManagerOptions options;
  Fatal fatal;
  scheduler::Scheduler core;
  Stores stores;
  Writer writer;
  EventRecorder recorder;
  StatusWriter status;
  DecisionMetrics metrics;
  Journal journal;
  Binder binder;
  SchedulingLoop loop;
  Intake intake;
  std::optional<LeaderElector> elector;
  Recovery recovery;
  StrayTouch strays;

  Recovery::Found found;
  std::function<void()> ready;  // Until it was told.
  bool strays_touched = false;
  bool bound_before = false;  // A pod is bound by an entry that was on some page.
  bool taken_over = false;
  bool failed = false;
  bool current = true;         // What is known is not old, and can be acted upon.
  bool pages_doubted = false;  // Since the last look at them a kind had to be listed anew.
  std::int32_t confirming = 0;
  std::set<scheduler::Key> pending;  // Of ours, without a node; until the take-over.
  // By uid, at the version that the list showed: pods that were touched, and that the watch has to
  // show as they are now. Until then what is known of them is older than what they may be.
  std::map<scheduler::Uid, std::string> touched;
  std::map<scheduler::Key, std::int64_t> micros;
};

}  // namespace muster::controllers
