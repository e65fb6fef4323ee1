#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "e2e/demo/steps.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kPatienceMs = 15'000;
constexpr std::int64_t kRestMs = 2000;
constexpr const char* kHooks = "/muster-local/hooks";
constexpr const char* kRackLabel = "topology.muster.dev/rack";

struct Members {
  std::vector<std::string> names;  // All that exist.
  std::vector<std::string> bound;
  std::set<std::string> nodes;
  std::int64_t succeeded = 0;
};

Json PodsOf(Stage& stage, const std::string& gang) {
  return stage.List("/api/v1/namespaces/default/pods?labelSelector=muster.dev%2Fpod-group%3D" +
                    gang);
}

Members Read(Stage& stage, const std::string& gang) {
  Members members;
  for (const Json& pod : PodsOf(stage, gang)) {
    const std::string& name = StringAt(pod, {"metadata", "name"});
    const std::string& node = StringAt(pod, {"spec", "nodeName"});
    members.names.push_back(name);
    if (StringAt(pod, {"status", "phase"}) == "Succeeded") ++members.succeeded;
    if (node.empty()) continue;
    members.bound.push_back(name);
    members.nodes.insert(node);
  }
  return members;
}

std::string Of(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

std::string Join(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

struct Span {
  std::int64_t made_ms = 0;                // The last member came.
  std::int64_t first_ms = 0, last_ms = 0;  // Bindings seen.
};

Span SpanOf(const Timeline& timeline, const Members& members) {
  Span span{.made_ms = 0, .first_ms = INT64_MAX, .last_ms = 0};
  for (const std::string& name : members.names) {
    span.made_ms = std::max(span.made_ms, timeline.PodMade(name).value_or(0));
    const std::int64_t bound = timeline.PodBound(name).value_or(0);
    span.first_ms = std::min(span.first_ms, bound);
    span.last_ms = std::max(span.last_ms, bound);
  }
  return span;
}

std::int64_t BoundBefore(const Timeline& timeline, const Members& members, std::int64_t ms) {
  return std::count_if(members.names.begin(), members.names.end(), [&](const std::string& name) {
    return timeline.PodBound(name).value_or(INT64_MAX) <= ms;
  });
}

std::string HowItWasBound(Stage& stage, const Json& step, const Members& members) {
  const std::string& gang = StringAt(step, {"gang"});
  const Span span = SpanOf(stage.timeline(), members);
  if (BoolAt(step, {"recovered"})) {
    const std::int64_t before = BoundBefore(stage.timeline(), members, stage.restart.from);
    const auto after = static_cast<std::int64_t>(members.bound.size()) - before;
    return ", " + std::to_string(before) + " before the kill, " + std::to_string(after) +
           " after; " + std::to_string(stage.timeline().Deleted(gang)) + " pods deleted";
  }
  std::string text = " after " + std::to_string(span.last_ms - span.made_ms) + " ms";
  if (!BoolAt(step, {"decision"})) return text;
  const Json explained = stage.Explain("podgroups/" + gang);
  return text + " (decision " + Dump(explained.value("decisionMicroseconds", Json(nullptr))) +
         " us, " + std::to_string(members.bound.size()) + " Bindings " +
         std::to_string(span.last_ms - span.first_ms) + " ms)";
}

std::string RunSeconds(Stage& stage, const std::string& gang) {
  const Members members = Read(stage, gang);
  if (members.names.empty()) return "?";
  return StringAt(stage.api().Get(PodPath(members.names[0])).body,
                  {"metadata", "annotations", "sim.muster.dev/run-seconds"});
}

Mismatch NotKilled(const std::string& expected, const std::string& seen, const std::string& gang) {
  return {.expected = expected,
          .seen = seen,
          .command = "kubectl get pods -l muster.dev/pod-group=" + gang + " -o wide"};
}

// Until all of it is bound; `members` is what was seen last.
Outcome AwaitBound(Stage& stage, const Json& step, Members& members) {
  const std::string& gang = StringAt(step, {"gang"});
  const std::int64_t stated = IntAt(step, {"members"}).value_or(0);
  const bool bound = WaitFor(kPatienceMs, [&] {
    members = Read(stage, gang);
    return std::ssize(members.bound) == stated && std::ssize(members.names) == stated &&
           BoundBefore(stage.timeline(), members, SteadyMs()) == stated;
  });
  const std::int64_t deleted = stage.timeline().Deleted(gang);
  if (!bound || deleted > 0) {
    return NotKilled(gang + ": " + Of(stated, stated) + " bound, 0 deleted",
                     gang + ": " + Of(std::ssize(members.bound), std::ssize(members.names)) +
                         " bound, " + std::to_string(deleted) + " deleted",
                     gang);
  }
  return std::nullopt;
}

// By rack, what it has free beside the members of the gang.
std::map<std::string, std::int64_t> FreeGpus(Stage& stage, const std::string& gang) {
  std::map<std::string, std::int64_t> free;
  std::map<std::string, std::string> rack_of;
  for (const Json& node : stage.List("/api/v1/nodes")) {
    const std::string& rack = StringAt(node, {"metadata", "labels", kRackLabel});
    rack_of[StringAt(node, {"metadata", "name"})] = rack;
    free[rack] += std::atoll(StringAt(node, {"status", "allocatable", "nvidia.com/gpu"}).c_str());
  }
  for (const Json& pod : stage.List("/api/v1/pods")) {
    const auto rack = rack_of.find(StringAt(pod, {"spec", "nodeName"}));
    const bool own = StringAt(pod, {"metadata", "labels", "muster.dev/pod-group"}) == gang;
    if (!own && rack != rack_of.end()) free[rack->second] -= GpusOf(pod);
  }
  return free;
}

// "(free 32: the tightest that fits; r2 63, r3 64, r4 64)"; none: it is not the tightest.
std::optional<std::string> FreeText(const std::map<std::string, std::int64_t>& free,
                                    const std::string& rack, std::int64_t members) {
  std::string others;
  for (const auto& [name, gpus] : free) {
    if (name == rack) continue;
    if (gpus >= members && gpus < free.at(rack)) return std::nullopt;
    others += (others.empty() ? "" : ", ") + name + " " + std::to_string(gpus);
  }
  return " (free " + std::to_string(free.at(rack)) + ": the tightest that fits; " + others + ")";
}

}  // namespace

Outcome GangIsInRack(Stage& stage, const Json& step) {
  const std::string& gang = StringAt(step, {"gang"});
  const std::string& stated = StringAt(step, {"rack"});
  Members members;
  if (Outcome failed = AwaitBound(stage, step, members)) return failed;
  std::set<std::string> racks;
  for (const std::string& node : members.nodes) {
    racks.insert(StringAt(stage.api().Get("/api/v1/nodes/" + node).body,
                          {"metadata", "labels", kRackLabel}));
  }
  const std::map<std::string, std::int64_t> free = FreeGpus(stage, gang);
  const auto text = FreeText(free, stated, std::ssize(members.bound));
  if (racks != std::set{stated} || !text) {
    return NotKilled(gang + " in rack " + stated + ", the tightest that fits",
                     gang + " in rack " + Join(racks) + (text ? "" : ", where a tighter one fits"),
                     gang);
  }
  const auto bound = std::ssize(members.bound);
  const std::string nodes = ", " + std::to_string(members.nodes.size()) + " nodes";
  Stage::Say(gang, "bound",
             Of(bound, bound) + " in rack " + stated + (BoolAt(step, {"free"}) ? *text : nodes));
  return std::nullopt;
}

Outcome GangIsBound(Stage& stage, const Json& step) {
  const std::string& gang = StringAt(step, {"gang"});
  const std::int64_t stated = IntAt(step, {"members"}).value_or(0);
  Members members;
  if (Outcome failed = AwaitBound(stage, step, members)) return failed;
  if (BoolAt(step, {"recovered"})) stage.restart.to = SteadyMs();
  Stage::Say(gang, "bound",
             Of(std::ssize(members.bound), stated) + " on " + Join(members.nodes) +
                 HowItWasBound(stage, step, members));
  return std::nullopt;
}

Outcome GangWaits(Stage& stage, const Json& step) {
  const std::string& gang = StringAt(step, {"gang"});
  const std::string& stated = StringAt(step, {"message"});
  const std::int64_t whole = IntAt(step, {"members"}).value_or(0);
  // In the sample that has the node.
  const bool planted = stage.options().canary == Canary::kHalfGang &&
                       stage.api().Get("/api/v1/nodes/node-1").status == 200;
  if (planted) {
    Members members;
    (void)WaitFor(kPatienceMs, [&] {
      members = Read(stage, gang);
      return std::ssize(members.names) == whole;
    });
    (void)stage.BindByHand(members.names.at(0), "node-1");
  }
  std::string seen;
  (void)WaitFor(kPatienceMs, [&] {
    seen = StringAt(
        stage.api().Get("/apis/muster.dev/v1alpha1/namespaces/default/podgroups/" + gang).body,
        {"status", "message"});
    return seen == stated;
  });
  const Members members = Read(stage, gang);
  const std::int64_t there = std::ssize(members.names);
  const std::string bound = Of(std::ssize(members.bound), there) + " bound; ";
  if (seen != stated || there != whole || !members.bound.empty()) {
    return Mismatch{.expected = Of(0, whole) + " bound; " + stated,
                    .seen = bound + seen,
                    .command = "kubectl describe podgroups.muster.dev " + gang};
  }
  Stage::Say(gang, "waits", bound + seen);
  return std::nullopt;
}

Outcome KillAtBinding(Stage& stage, const Json& step) {
  const std::string& gang = StringAt(step, {"gang"});
  const std::string& holder = StringAt(step, {"after-gang"});
  const std::int64_t at = IntAt(step, {"at"}).value_or(0);
  const std::int64_t whole = IntAt(step, {"members"}).value_or(0);
  const Answer armed = stage.api().Post(kHooks, {{"gang", "default/" + gang},
                                                 {"when", "after"},
                                                 {"at", at},
                                                 {"pid", stage.operator_process().pid()}});
  if (armed.status != 200) return NotKilled("the kill is armed", armed.text, gang);
  stage.LetPodsEnd();
  const bool killed = WaitFor(kPatienceMs, [&] { return stage.operator_process().ended(); });
  stage.restart = {.from = SteadyMs(), .to = INT64_MAX};
  const Members held = Read(stage, holder), members = Read(stage, gang);
  if (!killed || held.succeeded != whole || std::ssize(members.bound) != at) {
    return NotKilled(holder + " ended, " + Of(at, whole) + " bound of " + gang + ", muster killed",
                     holder + (held.succeeded == whole ? " ended, " : " runs, ") +
                         Of(std::ssize(members.bound), whole) + " bound of " + gang + ", muster " +
                         (killed ? "killed" : "runs"),
                     gang);
  }
  std::printf(
      "  %s ends (simulated run time %s s); muster is killed with SIGKILL after Binding %s of %s,"
      " and started again\n",
      holder.c_str(), RunSeconds(stage, holder).c_str(), Of(at, whole).c_str(), gang.c_str());
  (void)stage.api().Delete(kHooks);
  return stage.StartOperator();
}

Outcome NoGangRests(Stage& stage, const Json& step) {
  // What is half bound now may still move on; it rests if it does not.
  if (stage.timeline().HalfBound()) SleepMs(kRestMs + 100);
  const std::vector<Rest> rests = stage.timeline().Rests(kRestMs, SteadyMs(), stage.restart);
  if (!rests.empty()) {
    return NotKilled("no gang rests with a part of its members bound",
                     rests[0].gang + " rested for " + std::to_string(rests[0].ms) + " ms with " +
                         Of(rests[0].bound, rests[0].members) + " bound",
                     rests[0].gang);
  }
  std::printf(
      "  watched %lld pod events: outside that restart no gang rested (%lld s between two events)"
      " with 1 to %lld members bound\n",
      static_cast<long long>(stage.timeline().pod_events()), static_cast<long long>(kRestMs / 1000),
      static_cast<long long>(IntAt(step, {"members"}).value_or(0) - 1));
  return std::nullopt;
}

}  // namespace muster::e2e
