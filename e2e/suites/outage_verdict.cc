#include "e2e/suites/outage_verdict.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "e2e/suites/api_view.h"

namespace muster::e2e {
namespace {

using Wrong = std::vector<std::string>;

std::string OutOf(std::size_t part, std::size_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

void JudgeGang(const OutageEnd::Gang& gang, Wrong& wrong) {
  const auto running = std::ranges::count_if(gang.pods, [](const OutageEnd::Pod& pod) {
    return pod.phase == "Running" && !pod.node.empty() && !pod.terminating;
  });
  const auto bound =
      std::ranges::count_if(gang.pods, [](const OutageEnd::Pod& pod) { return !pod.node.empty(); });
  if (gang.fits && running != std::ssize(gang.created)) {
    wrong.push_back(gang.name + ": " +
                    OutOf(static_cast<std::size_t>(running), gang.created.size()) + " run");
  }
  if (gang.fits != (gang.phase == "Running")) {
    wrong.push_back(gang.name + ": its status says " + gang.phase);
  }
  if (!gang.fits && bound > 0) {
    wrong.push_back(gang.name + ": " + std::to_string(bound) + " bound where there is no room");
  }
}

void JudgeLosses(const OutageEnd::Gang& gang, Wrong& wrong) {
  const auto lost = std::ranges::count_if(gang.created, [&gang](const std::string& uid) {
    return std::ranges::none_of(gang.pods, [&uid](const OutageEnd::Pod& pod) {
      return pod.uid == uid && !pod.terminating;
    });
  });
  if (lost > 0) wrong.push_back(gang.name + ": " + std::to_string(lost) + " deleted");
}

void JudgePod(const OutageEnd& end, const OutageEnd::Pod& pod, Wrong& wrong) {
  if (pod.node.empty()) return;
  if (!end.nodes.contains(pod.node)) {
    wrong.push_back(pod.name + " is on " + pod.node + ", which does not exist");
  }
  const auto found = end.accepted.find(pod.uid);
  if (found == end.accepted.end()) {
    wrong.push_back(pod.name + ": no Binding was accepted");
  } else if (!found->second.contains(pod.node)) {
    wrong.push_back(pod.name + ": its Binding was accepted for another node than " + pod.node);
  }
}

// Of pods that are gone, too.
void JudgeBindings(const OutageEnd& end, Wrong& wrong) {
  for (const auto& [uid, nodes] : end.accepted) {
    if (nodes.size() == 1) continue;
    wrong.push_back(std::to_string(nodes.size()) + " Bindings were accepted for pod " + uid);
  }
}

// No member ends by itself here: one that has failed was too much on its node.
void JudgeNodes(const OutageEnd& end, Wrong& wrong) {
  std::map<std::string, int> used;
  for (const OutageEnd::Gang& gang : end.gangs) {
    for (const OutageEnd::Pod& pod : gang.pods) {
      if (!pod.node.empty()) used[pod.node] += pod.gpus;
    }
  }
  for (const auto& [node, gpus] : used) {
    if (gpus <= kNodeGpus) continue;
    wrong.push_back(node + " is overcommitted: " + std::to_string(gpus) + " of " +
                    std::to_string(kNodeGpus) + " GPUs");
  }
}

}  // namespace

std::string WrongIn(const OutageEnd& end) {
  Wrong wrong;
  for (const OutageEnd::Gang& gang : end.gangs) {
    JudgeGang(gang, wrong);
    JudgeLosses(gang, wrong);
    for (const OutageEnd::Pod& pod : gang.pods) JudgePod(end, pod, wrong);
  }
  JudgeBindings(end, wrong);
  JudgeNodes(end, wrong);
  if (!end.pages_are_empty) wrong.emplace_back("a journal entry is left");
  std::string text;
  for (const std::string& one : wrong) text += (text.empty() ? "" : "; ") + one;
  return text;
}

}  // namespace muster::e2e
