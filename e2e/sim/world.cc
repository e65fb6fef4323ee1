#include "e2e/sim/world.h"

#include <algorithm>
#include <utility>

#include "e2e/apiserver/json.h"
#include "e2e/sim/sim_kubelets.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

// A life is killed at most so often: the last one has to get somewhere.
constexpr std::int64_t kLivesMax = 6;
// The API server is restored to one of the last of its states that were saved.
constexpr std::int64_t kSaveEveryMs = 10'000;
constexpr std::size_t kSaved = 4;
constexpr std::int64_t kMilli = 1'000;

Json Meta(const std::string& name) {
  return {{"name", name}};
}

ApiServer::Options ServerOptions(std::uint64_t seed) {
  ApiServer::Options options;
  options.uid_seed = seed;
  return options;
}

}  // namespace

World::World(WorldOptions options)
    : options_(std::move(options)),
      prng_(options_.seed),
      server_(ServerOptions(options_.seed), [this]() { return loop_.wall_ms(); }),
      shadow_((LoadCrds(server_, options_.crds_folder), server_)),
      excuses_(loop_),
      checkers_(loop_, shadow_, &excuses_),
      marks_(loop_, shadow_),
      wire_(loop_, server_, options_.seed ^ 0x77697265U, WireHooks()),
      kubelets_({.lease_ms = 10'000}, [this](const HttpRequest& request) { return Send(request); }),
      controllers_({.jobs = {.backoff_ms = 1'000, .max_backoff_ms = 8'000}},
                   [this](const HttpRequest& request) { return Send(request); }),
      owner_(loop_, shadow_, options_.seed ^ 0x6f776e72U,
             [this](const HttpRequest& request) { return Send(request); }),
      trouble_({.loop = loop_,
                .prng = prng_,
                .server = server_,
                .shadow = shadow_,
                .kubelets = kubelets_,
                .weather = wire_.weather(),
                .excuses = excuses_,
                .nodes = options_.nodes}),
      meddlers_({.loop = loop_,
                 .prng = prng_,
                 .server = server_,
                 .shadow = shadow_,
                 .kubelets = kubelets_,
                 .owner = owner_,
                 .weather = wire_.weather(),
                 .excuses = excuses_}) {
  shadow_.set_on_pod([this](const crds::Pod* before, const crds::Pod& now, bool deleted) {
    if (restoring_) return;
    checkers_.OnPod(before, now, deleted);
    marks_.OnPod(before, now, deleted);
    owner_.OnPod(before, now, deleted);
  });
  shadow_.set_on_page([this](const crds::BindingJournal& page) {
    if (!restoring_) excuses_.NoteStored(page);
  });
  wire_.set_faults(options_.faults);
}

Wire::Hooks World::WireHooks() {
  return {.arrived = [this](const Arrival& arrival) { OnArrival(arrival); },
          .moved = [this]() { OnMoved(); },
          .tap = options_.plant ? options_.plant(loop_) : Tap(),
          .listed_again = [this]() { marks_.OnListedAgain(); }};
}

void World::OnArrival(const Arrival& arrival) {
  checkers_.OnArrival(arrival);
  marks_.OnArrival(arrival);
  if (troubled_) meddlers_.OnArrival(arrival);
}

void World::OnMoved() {
  if (!troubled_ || lives_ >= kLivesMax * options_.operators) return;
  if (!wire_.weather().Draw(Fault::kKill, prng_)) return;
  Instance& instance = instances_[prng_.Below(instances_.size())];
  if (!instance.life || std::exchange(instance.ending, true)) return;
  wire_.weather().Note(Fault::kKill);
}

HttpResponse World::Send(const HttpRequest& request) {
  return server_.Handle(request);
}

void World::Populate() {
  for (const char* name : {"default", "muster-system"}) {
    const Json space = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Meta(name)}};
    (void)Send(Post("/api/v1/namespaces", Dump(space)));
  }
  trouble_.MakeNodes();
  for (const std::string& line : options_.extra) {
    const std::size_t space = line.find(' ');
    const HttpResponse made = Send(Post(line.substr(0, space), line.substr(space + 1)));
    MUSTER_CHECK(made.status == 201);
  }
  FollowCluster(ClusterParts{kubelets_, controllers_}, server_, loop_);
  for (const GangPlan& gang : options_.gangs) owner_.Plan(gang);
}

void World::StartLife(std::size_t index) {
  ++lives_;
  Instance& instance = instances_[index];
  ++instance.lives;
  marks_.OnLife();
  // Every other life goes on under the identity of the one before, as a restarted container does.
  const std::string holder =
      "muster-" + std::to_string(index) + "-" + std::to_string((instance.lives + 1) / 2);
  Life::Events events;
  events.fatal = [this, index](const std::string& why) { OnFatal(index, why); };
  events.error_logged = [this](const std::string& line) { checkers_.OnErrorLogged(line); };
  events.counted = [this](std::string_view counter) {
    checkers_.OnCounted(counter);
    if (counter == "entries_taken_over") marks_.OnTakenOver();
    if (counter == "kinds_taken_over_warm") marks_.Mark("warm take-over");
    if (counter == "kinds_listed_anew") marks_.Mark("kinds listed anew at a take-over");
  };
  const bool election = instances_.size() > 1;
  instance.twin = std::make_unique<TwinCore>(
      options_.policy, [this](const std::string& what) { checkers_.Fail(what); });
  instance.life = std::make_unique<Life>(loop_, wire_,
                                         Life::Self{.seed = prng_.Next(),
                                                    .holder = holder,
                                                    .election = election,
                                                    .policy = options_.policy,
                                                    .observer = instance.twin->Observer()},
                                         std::move(events));
  if (options_.log) {
    instance.life->set_log([this, holder](const std::string& line) {
      options_.log(std::to_string(loop_.elapsed_ms()) + " " + holder + ": " + line);
    });
  }
  instance.life->Start();
}

void World::EndLife(std::size_t index) {
  Instance& instance = instances_[index];
  instance.ending = false;
  if (!instance.life) return;
  instance.life.reset();
  loop_.After(prng_.Between(100, 20'000), [this, index]() { StartLife(index); });
}

// Of two, one may lose the lease or find that the other has written a page. Of one nothing may, but
// where a page went by other hands.
void World::OnFatal(std::size_t index, const std::string& why) {
  const bool lost = why.starts_with("the lease ");
  const bool deposed = why.starts_with("deposed: ");
  Weather& weather = wire_.weather();
  const bool alone = instances_.size() == 1 && weather.struck(Fault::kPageDeleted) == 0 &&
                     weather.struck(Fault::kRestored) == 0;
  const bool back =
      weather.struck(Fault::kRestored) > 0 && why.starts_with("the API server went back");
  if (!back && (alone || (!lost && !deposed))) {
    return checkers_.Fail("the operator gave up: " + why);
  }
  marks_.OnFatal(why, instances_[index].life->bindings_under_way());
  instances_[index].ending = true;
}

std::int64_t World::LeadingSince() {
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    if (!instance.life) continue;
    const controllers::Manager& manager = instance.life->manager();
    if (!manager.leading() || !manager.synced()) continue;
    const std::pair<std::size_t, std::int64_t> leader{i, instance.lives};
    if (leader != std::exchange(leader_, leader)) leading_since_ms_ = loop_.elapsed_ms();
    return leading_since_ms_;
  }
  leader_ = {};
  return loop_.elapsed_ms();
}

void World::LookAtLeader() {
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    if (!instance.life || !instance.life->manager().synced()) continue;
    return marks_.Look(instance.life->manager(), instance.lives * 2 + static_cast<std::int64_t>(i));
  }
}

void World::Tick() {
  checkers_.Tick(LeadingSince());
  owner_.Tick();
  if (loop_.elapsed_ms() / kSecond % 30 == 0) server_.Bookmark();
  if (troubled_) {
    const bool two = instances_.size() > 1;
    trouble_.Second(two);
    if (two && wire_.weather().Draw(Fault::kWallJump, prng_)) JumpClock();
    if (wire_.weather().Draw(Fault::kRestored, prng_)) RestoreServer();
    if (loop_.elapsed_ms() % kSaveEveryMs == 0) SaveServer();
    LookAtLeader();
  }
  loop_.After(kSecond, [this]() { Tick(); });
}

void World::SaveServer() {
  saved_.push_back({.at_ms = loop_.elapsed_ms(), .state = server_.Save()});
  if (saved_.size() > kSaved) saved_.pop_front();
}

void World::RestoreServer() {
  if (saved_.empty()) return;
  wire_.weather().Note(Fault::kRestored);
  const Saved then = saved_[prng_.Below(saved_.size())];
  excuses_.NoteRestored(then.at_ms);
  wire_.DropAll();
  for (Instance& instance : instances_) {
    if (instance.life) instance.life->LoseConnections();
  }
  restoring_ = true;
  server_.Restore(*then.state);
  restoring_ = false;
  // Its pods may be on the nodes once more while Muster thinks of others there.
  std::int64_t all = 0;
  for (const NodePlan& node : options_.nodes) {
    excuses_.NoteTaken(node.name, node.gpus * kMilli);
    all += node.gpus * kMilli;
  }
  for (const auto& [name, queue] : shadow_.queues()) excuses_.NoteTaken(Excuses::Queue(name), all);
  checkers_.BeginAnew();
  marks_.BeginAnew();
  controllers_.Forget();
  TellAll(controllers_, server_, loop_);
  trouble_.MakeMissingNodes();
  owner_.OnRestored();
  meddlers_.OnRestored();
}

void World::JumpClock() {
  const Instance& instance = instances_[prng_.Below(instances_.size())];
  const std::int64_t ms = prng_.Between(-3'600'000, 3'600'000);
  if (!instance.life) return;
  instance.life->JumpWall(ms);
  wire_.weather().Note(Fault::kWallJump);
}

void World::RunUntil(std::int64_t end_ms, const std::function<bool()>& done) {
  while (checkers_.violations().empty() && loop_.Step(end_ms)) {
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      if (instances_[i].ending) EndLife(i);
    }
    if (done()) return;
  }
}

WorldResult World::Run() {
  Populate();
  Beat(ClusterParts{kubelets_, controllers_}, loop_);
  instances_.resize(static_cast<std::size_t>(options_.operators));
  Tick();
  for (std::size_t i = 0; i < instances_.size(); ++i) StartLife(i);
  RunUntil(options_.trouble_ms, []() { return false; });
  troubled_ = false;
  wire_.set_faults({});
  trouble_.Mend();
  checkers_.SetCalm();
  const auto finished = [this]() { return owner_.Unfinished().empty(); };
  RunUntil(options_.trouble_ms + options_.peace_ms, finished);
  if (checkers_.violations().empty()) {
    for (const std::string& gang : owner_.Unfinished()) {
      checkers_.Fail("liveness (9): gang " + gang + " fits and did not run to its end" +
                     shadow_.Tell(gang));
    }
    // Requests of dead lives may take 60 s; a settled entry leaves after 5 s of quiet. And all that
    // still waits is looked at once more.
    RunUntil(loop_.elapsed_ms() + 310'000, []() { return false; });
    checkers_.AtRest();
  }
  Counts marks = marks_.counts();
  for (const auto& [mark, count] : checkers_.marks()) marks[mark] += count;
  return {.violations = checkers_.violations(),
          .marks = std::move(marks),
          .faults = wire_.weather().ByName(),
          .hash = checkers_.hash(),
          .bindings = checkers_.bindings(),
          .lives = lives_,
          .elapsed_ms = loop_.elapsed_ms(),
          .steps = loop_.steps()};
}

}  // namespace muster::e2e
