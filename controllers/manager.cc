#include "controllers/manager.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "controllers/answer.h"
#include "controllers/api_calls.h"
#include "controllers/manager_state.h"
#include "crds/decode.h"

namespace muster::controllers {
namespace {

// What is shown only may be forgotten.
constexpr std::size_t kTimedGangsMax = 20'000;
// Longer than a watch that works takes to show what was written.
constexpr std::int64_t kTouchAgainMs = 15'000;
constexpr std::int64_t kAskAgainMs = 1'000;

}  // namespace

Manager::State::State(Ports given, ManagerOptions chosen, Fatal on_fatal)
    : ports(given),
      options(std::move(chosen)),
      fatal(std::move(on_fatal)),
      core(options.policy),
      writer(ports.api, ports.loop, {.bind_in_flight = options.bind_in_flight}),
      recorder(ports.loop, Sender(), options.holder,
               [this] { ports.telemetry.Count("events_dropped", 1); }),
      status(StatusWorld()),
      metrics({.loop = ports.loop,
               .telemetry = ports.telemetry,
               .stores = stores,
               .queue = [this](const std::string& queue) { return core.Status(queue); }}),
      journal(JournalWorld()),
      binder(BinderWorld()),
      loop(LoopWorld()),
      intake(ports.api, recorder, stores, IntakeOut(), options.scheduler_name),
      recovery(RecoveryWorld()),
      strays({.writer = writer, .loop = ports.loop, .holder = options.holder, .done = [this] {
                OnTouched();
              }}) {
  if (options.election) elector.emplace(ElectorWorld(), *options.election);
  writer.OnBusy([this](bool waiting) { status.BindingsWaiting(waiting); });
}

Journal::World Manager::State::JournalWorld() {
  return {.writer = writer,
          .loop = ports.loop,
          .telemetry = ports.telemetry,
          .holder = options.holder,
          .deposed = [this](const std::string& why) { Yield("deposed: " + why); },
          .room = [this] { loop.Wake(); },
          .served_changed = [this] { UpdateCurrent(); }};
}

Binder::World Manager::State::BinderWorld() {
  return {.writer = writer,
          .loop = ports.loop,
          .telemetry = ports.telemetry,
          .journal = journal,
          .stores = stores,
          .feed = [this](scheduler::Event event) { loop.Feed(std::move(event)); },
          .is_whole = [this](const scheduler::Key& gang) { return core.IsWhole(gang); }};
}

SchedulingLoop::World Manager::State::LoopWorld() {
  return {
      .loop = ports.loop,
      .telemetry = ports.telemetry,
      .core = {.apply = [this](const scheduler::Event& event) { Apply(event); },
               .decide = [this](Now now, scheduler::Budget budget) { return Decide(now, budget); }},
      .journal = journal,
      .binder = binder,
      .decided = [this](const scheduler::Decision& decision, std::int64_t took) {
        OnDecided(decision, took);
      }};
}

LeaderElector::World Manager::State::ElectorWorld() {
  // Whether the one before has lost it too is not known to who had to make it: it waits its time.
  return {.writer = writer,
          .loop = ports.loop,
          .telemetry = ports.telemetry,
          .leading =
              [this](bool created) {
                ShowLeading(true);
                recovery.Start(created ? options.election->lease_ms : 0);
              },
          .standing_by =
              [this] {
                intake.StandBy({.loop = ports.loop, .send = Sender(), .list_us = options.list_us});
              },
          .lost = [this](const std::string& why) { Yield(why); },
          .renewed = [this](Ticks until) { ports.api.AllowWritesUntil(until); }};
}

Recovery::World Manager::State::RecoveryWorld() {
  return {
      .writer = writer,
      .loop = ports.loop,
      .telemetry = ports.telemetry,
      .ns = options.ns,
      .holder = options.holder,
      .pages = options.pages,
      .unreadable = [this](const std::string& why) { Fail("the journal cannot be read: " + why); },
      .done = [this](Recovery::Found pages) { OnFenced(std::move(pages)); }};
}

StatusWriter::World Manager::State::StatusWorld() {
  return {.loop = ports.loop,
          .send = Sender(),
          .stores = stores,
          .recorder = recorder,
          .core = {.gang = [this](const scheduler::Key& gang) { return core.Status(gang); },
                   .queue = [this](const std::string& queue) { return core.Status(queue); }},
          .pod_grace_ms = options.pod_grace_ms};
}

Intake::Out Manager::State::IntakeOut() {
  return {.apply = [this](scheduler::Event event) { OnEvent(std::move(event)); },
          .synced = [this] { OnListed(); },
          .current = [this](bool) { UpdateCurrent(); },
          .group_stored = [this](const scheduler::Key& gang) { status.GroupStored(gang); },
          .queue_stored = [this](const std::string& queue) { status.QueueStored(queue); },
          .warn =
              [this](const std::string& text) {
                ports.telemetry.Log(ports::Level::kWarning, text, {});
              },
          .went_back = [this](const std::string& object) { WentBack(object); },
          .payer = [this](const scheduler::Uid& uid) { return PayerOf(uid); }};
}

Send Manager::State::Sender() {
  return [this](ports::Request request, ports::Api::Done done) {
    writer.Submit(std::move(request), std::move(done));
  };
}

std::string Manager::State::PayerOf(const scheduler::Uid& uid) const {
  const std::optional<scheduler::PodId> pod = core.cluster().FindPod(uid);
  const auto queue = pod ? core.cluster().charged_queue(*pod) : std::nullopt;
  return queue ? core.cluster().queue(*queue).spec.name : "";
}

void Manager::State::End(ports::Level level, const std::string& why) {
  if (std::exchange(failed, true)) return;
  if (elector) elector->End();
  ShowLeading(false);
  writer.Stop();
  loop.Stop();
  ports.telemetry.Log(level, "Muster stops", {{"why", why}});
  // Not from within: whoever hears it may end this Manager.
  ports.loop.Post([on_fatal = fatal, why] { on_fatal(why); });
}

void Manager::State::Apply(const scheduler::Event& event) {
  core.Apply(event);
  if (options.observer.applied) options.observer.applied(event);
}

scheduler::Decision Manager::State::Decide(Now now, scheduler::Budget budget) {
  scheduler::Decision decision = core.Decide(now, budget);
  if (options.observer.decided) options.observer.decided(now, budget, decision);
  return decision;
}

void Manager::State::OnFenced(Recovery::Found pages) {
  found = std::move(pages);
  intake.Start(found.first_id);
}

void Manager::State::OnEvent(scheduler::Event event) {
  const auto* pod = std::get_if<scheduler::PodSeen>(&event);
  const auto* gone = std::get_if<scheduler::PodGone>(&event);
  if (pod != nullptr && !taken_over) NotePod(*pod);
  if (gone != nullptr && !taken_over) touched.erase(gone->uid);
  loop.Feed(std::move(event));
  if (strays_touched && !taken_over && touched.empty()) TakeOver();
}

void Manager::State::NotePod(const scheduler::PodSeen& pod) {
  if (!pod.ours) return;
  bound_before = bound_before || pod.bound_by != 0;
  if (pod.node.empty() && pod.state == scheduler::PodState::kPending) pending.insert(pod.key);
  const PodRecord* record = stores.pod(pod.key);
  if (record == nullptr) return;
  const auto was = touched.find(pod.uid);
  if (was != touched.end() && was->second != record->resource_version) touched.erase(was);
}

void Manager::State::OnListed() {
  if (!found.created) return TakeOver();
  TellMissing();
  for (const scheduler::Key& key : pending) {
    const PodRecord* record = stores.pod(key);
    if (record == nullptr || !record->node.empty()) continue;
    touched[record->uid] = record->resource_version;
  }
  TouchStrays();
}

// Where no page was and nothing is bound by one, this is the first start.
void Manager::State::TellMissing() {
  const bool first_start = found.missing.size() == found.pages.size() && !bound_before;
  if (first_start) return;
  std::string pages;
  for (const std::string& name : found.missing) pages += (pages.empty() ? "" : ",") + name;
  ports.telemetry.Log(ports::Level::kWarning,
                      "pages of the journal were missing and are made again: a gang that was being "
                      "bound by one of them is undone at its time-out unless it is whole",
                      {{"namespace", options.ns}, {"pages", pages}});
}

// One may have been bound between the list and its touch: then its node is taken, and only the
// watch says so.
void Manager::State::OnTouched() {
  strays_touched = true;
  if (taken_over) return;
  if (touched.empty()) return TakeOver();
  // If the API server was restored meanwhile, it has forgotten the touches, and shows nothing.
  ports.loop.After(kTouchAgainMs, [this] {
    if (!taken_over && !failed) TouchStrays();
  });
}

void Manager::State::TouchStrays() {
  std::map<scheduler::Key, StrayTouch::Pod> pods;
  for (const scheduler::Key& key : pending) {
    const PodRecord* record = stores.pod(key);
    if (record == nullptr || !touched.contains(record->uid)) continue;
    pods[key] = {.uid = record->uid, .version = record->resource_version};
  }
  strays.Start(pods);
}

// A node that is gone would still take pods: the API server binds to any name. And what is decided
// while no page can be written only waits, on numbers that grow old.
void Manager::State::UpdateCurrent() {
  if (!intake.current()) pages_doubted = true;
  if (intake.current() && taken_over && std::exchange(pages_doubted, false)) {
    ConfirmPages();
    ConfirmAnswers();
  }
  const bool now = intake.current() && journal.served() && confirming == 0;
  if (std::exchange(current, now) == now) return;
  loop.SetCurrent(now);
  TellReady();
  ports.telemetry.Log(ports::Level::kWarning,
                      now ? "all kinds are followed again, deciding from here on"
                          : "a kind is not followed or not served for now, deciding nothing",
                      {});
}

// A new list may be that of an API server that was restored to an older state. An object that went
// back says so, if there is one; nobody watches the pages, so they are written once more: what they
// are now is what we know, or we are deposed.
void Manager::State::ConfirmPages() {
  ++confirming;
  journal.ConfirmAll([this] { Confirmed(); });
}

// A pod that was bound by an answer of the API server that no watch has shown yet. If the answer
// was given before a restore, no watch ever will. (One that the core does not know has just been
// listed.)
void Manager::State::ConfirmAnswers() {
  for (const auto& [key, record] : stores.pods()) {
    if (!record.node.empty() || record.terminal) continue;
    const auto pod = core.cluster().FindPod(record.uid);
    if (!pod || core.cluster().record(*pod) != scheduler::Record::kBound) continue;
    ++confirming;
    AskFor(key, record.uid);
  }
}

void Manager::State::AskFor(const scheduler::Key& pod, const scheduler::Uid& uid) {
  writer.Submit(GetPod(pod, ports::Lane::kBind),
                [this, pod, uid](const auto& answer) { OnAskedFor(pod, uid, answer); });
}

void Manager::State::OnAskedFor(const scheduler::Key& pod, const scheduler::Uid& uid,
                                const Result<ports::Response>& answer) {
  const Outcome outcome = Judge(answer).outcome;
  if (outcome == Outcome::kGone) return Confirmed();
  const auto now = outcome == Outcome::kDone ? crds::DecodePod(answer.value().body)
                                             : Result<crds::Pod>(Error{Code::kUnavailable, ""});
  if (!now.ok()) {
    ports.loop.After(kAskAgainMs, [this, pod, uid] { AskFor(pod, uid); });
    return;
  }
  const bool same = now.value().meta.uid == uid && !now.value().meta.deletion_ms;
  if (same && now.value().node_name.empty()) return WentBack("pods " + pod.ns + "/" + pod.name);
  Confirmed();
}

void Manager::State::Confirmed() {
  --confirming;
  UpdateCurrent();
}

void Manager::State::TakeOver() {
  taken_over = true;
  pending.clear();
  journal.Adopt(found.pages, found.usable, found.intact_from);
  const OpenEntries open = std::move(found.open);
  const scheduler::Synced synced_now{.first_id = found.first_id, .intact_from = found.intact_from};
  found = {};
  for (const std::uint64_t id : open.dropped) {
    journal.Close(id, Journal::When::kLater, nullptr);
  }
  for (const EntryParts& parts : open.entries) {
    binder.Adopt(parts);
    loop.Feed(SeenOf(parts));
  }
  if (!open.entries.empty()) {
    ports.telemetry.Count("entries_taken_over", static_cast<std::int64_t>(open.entries.size()));
  }
  const std::int64_t warm = intake.warm_kinds();
  if (warm > 0) ports.telemetry.Count("kinds_taken_over_warm", warm);
  if (intake.anew_kinds() > 0) ports.telemetry.Count("kinds_listed_anew", intake.anew_kinds());
  ports.telemetry.Log(ports::Level::kInfo, "listed and fenced, deciding from here on",
                      {{"entries", std::ssize(open.entries)},
                       {"dropped", std::ssize(open.dropped)},
                       {"warm_kinds", warm}});
  loop.Feed(synced_now);
  UpdateCurrent();
}

void Manager::State::OnDecided(const scheduler::Decision& decision, std::int64_t took) {
  if (micros.size() > kTimedGangsMax) micros.clear();
  for (const scheduler::Key& gang : decision.changed_gangs) micros.try_emplace(gang, took);
  for (const auto& admit : decision.admits) micros[admit.gang] = took;
  for (const scheduler::Key& gang : decision.lost_wakeups) {
    ports.telemetry.Count("lost_wakeups", 1);
    ports.telemetry.Log(
        ports::Level::kWarning,
        "a gang that nothing had woken was found when all that wait were asked again",
        {{"gang", ports::ObjectRef{gang.ns, gang.name}}});
  }
  status.OnDecision(decision);
  metrics.OnDecision(decision);
  // The first one is over when this returns.
  if (ready) ports.loop.Post([this] { TellReady(); });
}

void Manager::State::TellReady() {
  if (!ready || !synced()) return;
  std::exchange(ready, nullptr)();
}

Manager::Manager(Ports ports, ManagerOptions options, Fatal fatal)
    : state_(std::make_unique<State>(ports, std::move(options), std::move(fatal))) {}

Manager::~Manager() = default;

void Manager::OnReady(std::function<void()> ready) {
  state_->ready = std::move(ready);
}

void Manager::Start() {
  state_->ShowLeading(false);
  if (state_->elector) return state_->elector->Start();
  state_->recovery.Start(0);
}

void Manager::Stop(std::function<void()> done) {
  state_->writer.Stop();
  state_->loop.Stop();
  if (!state_->elector || state_->failed) return done();
  state_->elector->Release(std::move(done));
}

}  // namespace muster::controllers
