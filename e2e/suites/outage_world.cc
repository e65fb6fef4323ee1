#include "e2e/suites/outage_world.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

namespace muster::e2e {
namespace {

constexpr const char* kOutage = "/muster-local/outage";
constexpr const char* kNewToken = "another-token";
constexpr int kOutageNodes = 16;
constexpr int kMemberGpus = kNodeGpus / 2;
// By name the last, so that it is no node's better without a reason.
constexpr const char* kSpare = "z0";

std::string GangOf(const Json& pod) {
  return StringAt(pod, {"metadata", "labels", "muster.dev/pod-group"});
}

OutageEnd::Pod PodOf(const Json& pod) {
  return {.name = StringAt(pod, {"metadata", "name"}),
          .uid = StringAt(pod, {"metadata", "uid"}),
          .node = StringAt(pod, {"spec", "nodeName"}),
          .phase = StringAt(pod, {"status", "phase"}),
          .gpus = kMemberGpus,
          .terminating = !StringAt(pod, {"metadata", "deletionTimestamp"}).empty()};
}

// As a kubelet: the first time at once, then after 10 s, which doubles.
std::int64_t RestartDelayMs(int restarts) {
  constexpr std::int64_t kFirstMs = 10'000, kMostMs = 300'000;
  return restarts == 0 ? 0 : std::min(kFirstMs << std::min(restarts - 1, 5), kMostMs);
}

}  // namespace

std::string OutageWorld::Start() {
  std::error_code error;
  std::filesystem::remove_all(programs_.folder, error);
  std::filesystem::create_directories(programs_.folder, error);
  std::vector<std::string> flags = {"--tls", "--side-port", "0", "--token-file",
                                    programs_.token_file()};
  if (!plant_.empty()) flags.insert(flags.end(), {"--plant", plant_});
  auto local = StartLocal(programs_, 0, flags);
  if (!local.ok()) return local.error().message;
  local_ = std::move(local).value();
  api_ = std::make_unique<ApiView>(local_.side_port);
  std::string failed = api_->Create(kQueues, QueueObject("default"));
  for (int i = 1; i <= kOutageNodes && failed.empty(); ++i) {
    failed = api_->Create(kNodes, NodeObject("n" + std::to_string(i), false));
  }
  if (failed.empty()) failed = api_->Create(kNodes, NodeObject(kSpare, true));
  if (failed.empty()) LaunchAgain();
  return failed;
}

void OutageWorld::LaunchAgain() {
  auto launched = LaunchMuster(programs_, {.flags = muster_flags_});
  if (launched.ok()) muster_ = std::move(launched).value();
  ++starts_;
}

void OutageWorld::KeepMuster() {
  if (!keeps_muster_ || !muster_.ended()) {
    next_start_ms_ = 0;
    return;
  }
  if (next_start_ms_ == 0) next_start_ms_ = SteadyMs() + RestartDelayMs(restarts());
  if (SteadyMs() < next_start_ms_) return;
  LaunchAgain();
}

void OutageWorld::KillMuster() {
  keeps_muster_ = false;
  muster_.Signal(SIGKILL);
  (void)muster_.WaitEnd(10'000);
}

std::string OutageWorld::MakeGang(const std::string& name, int members, bool spare) {
  return Make({.name = name}, members, spare);
}

std::string OutageWorld::MakeGangTooMany(const std::string& name, int members) {
  return Make({.name = name, .fits = false}, members, false);
}

std::string OutageWorld::Make(OutageEnd::Gang gang, int members, bool spare) {
  std::string failed = api_->Create(kGroups, PodGroupObject(gang.name, members));
  for (int i = 0; i < members && failed.empty(); ++i) {
    const Answer made = api_->client().Post(
        kPods, PodObject(MemberMeta(gang.name, i, spare), Json::object(), kMemberGpus));
    if (made.status != 201) failed = made.text;
    gang.created.insert(StringAt(made.body, {"metadata", "uid"}));
  }
  gangs_.push_back(std::move(gang));
  return failed;
}

std::string OutageWorld::RemoveGang(const std::string& name) {
  std::string failed = api_->Delete(std::string(kGroups) + "/" + name);
  for (const Json& pod : api_->Items(kPods)) {
    if (GangOf(pod) != name || !failed.empty()) continue;
    failed = api_->Delete(std::string(kPods) + "/" + StringAt(pod, {"metadata", "name"}));
  }
  std::erase_if(gangs_, [&name](const OutageEnd::Gang& gang) { return gang.name == name; });
  return failed;
}

std::string OutageWorld::RemoveSpare() {
  for (const Json& pod : api_->Items(kPods)) {
    if (PodOf(pod).node == kSpare) return PodOf(pod).name + " is on the spare node";
  }
  return api_->Delete(std::string(kNodes) + "/" + kSpare);
}

OutageEnd OutageWorld::Look() {
  OutageEnd end{.gangs = gangs_,
                .nodes = api_->Nodes(),
                .accepted = api_->Accepted(),
                .pages_are_empty = api_->PagesAreEmpty()};
  const Json pods = api_->Items(kPods);
  const Json groups = api_->Items(kGroups);
  for (OutageEnd::Gang& gang : end.gangs) {
    for (const Json& pod : pods) {
      if (GangOf(pod) == gang.name) gang.pods.push_back(PodOf(pod));
    }
    for (const Json& group : groups) {
      if (StringAt(group, {"metadata", "name"}) != gang.name) continue;
      gang.phase = StringAt(group, {"status", "phase"});
    }
  }
  return end;
}

bool OutageWorld::AllRun() {
  std::size_t wanted = 0, running = 0;
  for (const OutageEnd::Gang& gang : gangs_) wanted += gang.fits ? gang.created.size() : 0;
  for (const Json& pod : api_->Items(kPods)) {
    const std::string gang = GangOf(pod);
    const bool counts = std::ranges::any_of(
        gangs_, [&gang](const OutageEnd::Gang& one) { return one.fits && one.name == gang; });
    const OutageEnd::Pod seen = PodOf(pod);
    running += counts && seen.phase == "Running" && !seen.terminating ? 1 : 0;
  }
  return running == wanted;
}

bool OutageWorld::IsBeyondRepair() {
  std::set<std::string> sound;
  for (const Json& pod : api_->Items(kPods)) {
    const OutageEnd::Pod seen = PodOf(pod);
    if (seen.phase != "Failed" && !seen.terminating) sound.insert(seen.uid);
  }
  return std::ranges::any_of(gangs_, [&sound](const OutageEnd::Gang& gang) {
    return !std::ranges::includes(sound, gang.created);
  });
}

bool OutageWorld::IsSettled() {
  if (!WrongIn(Look()).empty()) return false;
  const Json pods = api_->Items(kPods);
  return std::ranges::all_of(pods, [](const Json& pod) {
    return !PodOf(pod).node.empty() || !Unscheduled(pod).is_null();
  });
}

std::string OutageWorld::Order(const std::string& kind, int at) {
  kind_ = kind;
  const Answer taken =
      api_->client().Post(kOutage, {{"kind", kind}, {"at", at}, {"token", kNewToken}});
  return taken.status == 200 ? "" : "the outage is not ordered: " + taken.text;
}

bool OutageWorld::HasBegun() {
  if (kind_ == "frozen") return local_.child.stopped();
  return StringAt(api_->Object(kOutage), {"state"}) == "on";
}

std::string OutageWorld::End(std::int64_t& struck) {
  if (kind_ == "frozen") local_.child.Signal(SIGCONT);
  if (kind_ == "rotated") {
    const std::string next = programs_.token_file() + ".next";
    std::ofstream(next) << kNewToken << "\n";
    std::filesystem::rename(next, programs_.token_file());
  }
  struck = IntAt(api_->Object(kOutage), {"struck"}).value_or(0);
  return api_->Delete(kOutage);
}

}  // namespace muster::e2e
