#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "e2e/demo/steps.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kPodPatienceMs = 12'000;
constexpr const char* kGpu = "nvidia.com/gpu";

std::int64_t UsedOn(const std::string& node, const Json& pods) {
  std::int64_t used = 0;
  for (const Json& pod : pods) {
    const std::string& phase = StringAt(pod, {"status", "phase"});
    const bool ended = phase == "Succeeded" || phase == "Failed";
    if (!ended && StringAt(pod, {"spec", "nodeName"}) == node) used += GpusOf(pod);
  }
  return used;
}

// "node-b: Insufficient nvidia.com/gpu".
void SayFilters(const std::string& pod, const Json& explained) {
  const Json* const nodes = Find(explained, {"nodes"});
  if (nodes == nullptr) return;
  std::string text;
  for (const Json& node : *nodes) {
    const std::string& reason = StringAt(node, {"reason"});
    if (reason.empty()) continue;
    if (!text.empty()) text += "; ";
    text.append(StringAt(node, {"name"})).append(": ").append(reason);
  }
  if (!text.empty()) Stage::Say(pod, "filter", text);
}

// "ModelLocality 100 : 0", or "" if the plugin does not tell the nodes apart.
std::string DifferenceBy(const std::string& plugin, const Json& scores) {
  std::set<std::string> values;
  std::string text;
  for (const Json& score : scores) {
    const Json* const value = Find(score, {"plugins", plugin});
    const std::string shown = value == nullptr ? "-" : Dump(*value);
    values.insert(shown);
    text.append(text.empty() ? plugin + " " : " : ").append(shown);
  }
  return values.size() > 1 ? text : "";
}

std::string Differences(const Json& scores) {
  const Json* const plugins = Find(scores.at(0), {"plugins"});
  if (plugins == nullptr) return {};
  std::string text;
  for (const auto& [plugin, first] : plugins->items()) {
    const std::string difference = DifferenceBy(plugin, scores);
    if (!text.empty() && !difference.empty()) text += ", ";
    text += difference;
  }
  return text.empty() ? text : "   (" + text + ")";
}

void SayScores(const Json& explained) {
  const Json* const scores = Find(explained, {"scores"});
  if (scores == nullptr || scores->empty()) return;
  std::string text;
  for (const Json& score : *scores) {
    text += (text.empty() ? "" : "  ") + StringAt(score, {"node"}) + " " +
            Dump(score.value("total", Json(nullptr)));
  }
  Stage::Say("", "score", text + Differences(*scores));
}

// When what `wokenBy` names ("Node/node-d", "Pod/default/train-0") was seen.
std::optional<std::int64_t> SeenAt(const Timeline& timeline, const std::string& woken_by) {
  const std::string name = woken_by.substr(woken_by.rfind('/') + 1);
  if (woken_by.starts_with("Node/")) return timeline.NodeMade(name);
  return timeline.PodReached(name, "Succeeded");
}

std::string Woken(const Json& explained) {
  return ", woken by " + StringAt(explained, {"wokenBy"});
}

Json FailedScheduling(Stage& stage, const std::string& pod) {
  const Json events = stage.List(
      "/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DPod"
      "%2CinvolvedObject.name%3D" +
      pod);
  for (const Json& event : events) {
    if (StringAt(event, {"reason"}) == "FailedScheduling") return event;
  }
  return nullptr;
}

}  // namespace

std::int64_t GpusOf(const Json& pod) {
  std::int64_t gpus = 0;
  const Json* const containers = Find(pod, {"spec", "containers"});
  if (containers == nullptr) return 0;
  for (const Json& container : *containers) {
    const Json* const limit = Find(container, {"resources", "limits", kGpu});
    if (limit == nullptr) continue;
    gpus += limit->is_string() ? std::atoll(limit->get_ref<const std::string&>().c_str())
                               : limit->get<std::int64_t>();
  }
  return gpus;
}

Outcome ShowNodes(Stage& stage, const Json& /*step*/) {
  const Json pods = stage.List("/api/v1/pods");
  std::printf("    %-8s %-6s %-6s %s\n", "NODE", "GPUS", "FREE", "MODELS");
  for (const Json& node : stage.List("/api/v1/nodes")) {
    const std::string& name = StringAt(node, {"metadata", "name"});
    const std::string& gpus = StringAt(node, {"status", "allocatable", kGpu});
    const std::string& models =
        StringAt(node, {"metadata", "annotations", "muster.dev/cached-models"});
    std::printf("    %-8s %-6s %-6lld %s\n", name.c_str(), gpus.c_str(),
                std::atoll(gpus.c_str()) - static_cast<long long>(UsedOn(name, pods)),
                models.empty() ? "-" : models.c_str());
  }
  return std::nullopt;
}

Outcome ApplyFile(Stage& stage, const Json& step) {
  const std::vector<std::string> args{"apply", "-f",
                                      stage.sample_folder() + "/" + StringAt(step, {"file"})};
  const Output output = stage.Kubectl(args);
  if (output.code == 0) return std::nullopt;
  return Mismatch{.expected = "exit code 0",
                  .seen = "exit code " + std::to_string(output.code) + ": " + output.text,
                  .command = Shown(args)};
}

Outcome PodIsBound(Stage& stage, const Json& step) {
  const std::string& pod = StringAt(step, {"pod"});
  const std::string& stated = StringAt(step, {"node"});
  std::string seen;
  (void)WaitFor(kPodPatienceMs, [&] {
    seen = StringAt(stage.api().Get(PodPath(pod)).body, {"spec", "nodeName"});
    return !seen.empty() && stage.timeline().PodBound(pod);
  });
  if (seen != stated) {
    return Mismatch{.expected = pod + " on " + stated,
                    .seen = pod + " on " + (seen.empty() ? "no node" : seen),
                    .command = "kubectl get pod " + pod + " -o wide"};
  }
  const Json explained = stage.Explain("pods/" + pod);
  std::string subject = pod;
  if (BoolAt(step, {"scores"})) {
    SayFilters(subject, explained);
    SayScores(explained);
    subject.clear();
  }
  const bool woken = BoolAt(step, {"woken"});
  const auto from = woken ? SeenAt(stage.timeline(), StringAt(explained, {"wokenBy"}))
                          : stage.timeline().PodMade(pod);
  const std::int64_t bound_ms = stage.timeline().PodBound(pod).value_or(SteadyMs());
  std::string text = seen + (woken ? Woken(explained) : "") + " after " +
                     std::to_string(bound_ms - from.value_or(bound_ms)) + " ms";
  if (woken) text += ", attempt " + Dump(explained.value("attempt", Json(nullptr)));
  Stage::Say(subject, "bound", text);
  return std::nullopt;
}

Outcome PodWaits(Stage& stage, const Json& step) {
  const std::string& pod = StringAt(step, {"pod"});
  const std::string& stated = StringAt(step, {"message"});
  std::string seen = "no FailedScheduling event";
  const bool waits = WaitFor(kPodPatienceMs, [&] {
    const Json event = FailedScheduling(stage, pod);
    if (!event.is_null()) seen = StringAt(event, {"message"});
    return seen == stated;
  });
  const Answer got = stage.api().Get(PodPath(pod));
  const std::string& node = StringAt(got.body, {"spec", "nodeName"});
  if (got.status != 200) seen = pod + ": " + std::to_string(got.status) + " " + got.text;
  if (!waits || got.status != 200 || !node.empty()) {
    return Mismatch{.expected = stated,
                    .seen = node.empty() ? seen : pod + " is bound to " + node,
                    .command = "kubectl describe pod " + pod};
  }
  Stage::Say(pod, "waits", seen);
  return std::nullopt;
}

Outcome PodEnds(Stage& stage, const Json& step) {
  const std::string& pod = StringAt(step, {"pod"});
  stage.LetPodsEnd();
  if (!WaitFor(kPodPatienceMs,
               [&] { return stage.timeline().PodReached(pod, "Succeeded").has_value(); })) {
    return Mismatch{
        .expected = pod + " Succeeded",
        .seen = pod + " " + StringAt(stage.api().Get(PodPath(pod)).body, {"status", "phase"}),
        .command = "kubectl get pod " + pod};
  }
  const Json object = stage.api().Get(PodPath(pod)).body;
  std::printf("  %s ends (simulated run time %s s)\n", pod.c_str(),
              StringAt(object, {"metadata", "annotations", "sim.muster.dev/run-seconds"}).c_str());
  return std::nullopt;
}

}  // namespace muster::e2e
