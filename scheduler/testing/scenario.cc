#include "scheduler/testing/scenario.h"

#include <functional>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "scheduler/testing/scenario_grammar.h"
#include "scheduler/testing/scenario_world.h"

namespace muster::scheduler::testing {
namespace {

std::vector<std::string> Words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

using Command = std::function<std::string(ScenarioWorld&, const ScenarioWorld::Words&)>;

const std::map<std::string, Command>& Commands() {
  static const std::map<std::string, Command> kCommands = {
      {"levels", [](auto& w, const auto& a) { return w.Levels(a); }},
      {"queue", [](auto& w, const auto& a) { return w.Queue(a); }},
      {"queue-gone", [](auto& w, const auto& a) { return w.QueueGoes(a); }},
      {"namespace", [](auto& w, const auto& a) { return w.Namespace(a); }},
      {"node", [](auto& w, const auto& a) { return w.Node(a); }},
      {"node-gone", [](auto& w, const auto& a) { return w.NodeGoes(a); }},
      {"gang", [](auto& w, const auto& a) { return w.Gang(a); }},
      {"group", [](auto& w, const auto& a) { return w.Group(a); }},
      {"group-gone", [](auto& w, const auto& a) { return w.GroupGoes(a); }},
      {"pods", [](auto& w, const auto& a) { return w.Pods(a); }},
      {"pod", [](auto& w, const auto& a) { return w.Pod(a); }},
      {"foreign", [](auto& w, const auto& a) { return w.Foreign(a); }},
      {"bound", [](auto& w, const auto& a) { return w.Bound(a); }},
      {"placed", [](auto& w, const auto& a) { return w.Placed(a); }},
      {"repin", [](auto& w, const auto& a) { return w.Repin(a); }},
      {"running", [](auto& w, const auto& a) { return w.Becomes(a, PodState::kBound); }},
      {"ungated", [](auto& w, const auto& a) { return w.Becomes(a, PodState::kPending); }},
      {"done", [](auto& w, const auto& a) { return w.Becomes(a, PodState::kSucceeded); }},
      {"failed", [](auto& w, const auto& a) { return w.Becomes(a, PodState::kFailed); }},
      {"terminating", [](auto& w, const auto& a) { return w.Terminating(a); }},
      {"gone", [](auto& w, const auto& a) { return w.PodGoes(a); }},
      {"refused", [](auto& w, const auto& a) { return w.Refused(a); }},
      {"failed-entry", [](auto& w, const auto& a) { return w.EntryFails(a, true); }},
      {"stale-entry", [](auto& w, const auto& a) { return w.EntryFails(a, false); }},
      {"stranded", [](auto& w, const auto& a) { return w.Strand(a); }},
      {"settle", [](auto& w, const auto& a) { return w.Settle(a); }},
      {"undo", [](auto& w, const auto& a) { return w.Undo(a); }},
      {"wait", [](auto& w, const auto& a) { return w.Wait(a); }},
      {"cycle", [](auto& w, const auto& a) { return w.RunCycle(a); }},
      {"status", [](auto& w, const auto& a) { return w.ShowStatus(a); }},
      {"explain", [](auto& w, const auto& a) { return w.ShowExplanation(a); }},
      {"queue-status", [](auto& w, const auto& a) { return w.ShowQueue(a); }},
  };
  return kCommands;
}

// What the line shows, "" or lines that end in "\n", without their indent.
std::string RunLine(ScenarioWorld& world, const std::string& line) {
  std::vector<std::string> words = Words(line);
  if (words.empty() || words[0][0] == '#') return {};
  const auto command = Commands().find(words[0]);
  if (command == Commands().end()) return "ERROR unknown command " + words[0] + "\n";
  words.erase(words.begin());
  const std::string problem = LineProblem(command->first, words);
  if (!problem.empty()) return "ERROR " + problem + "\n";
  std::string shown = command->second(world, words);
  const std::string audit = world.Audit();
  if (!audit.empty()) shown += "ERROR audit: " + audit + "\n";
  return shown;
}

}  // namespace

std::string RunScenario(std::string_view text) {
  ScenarioWorld world;
  std::istringstream in{std::string(text)};
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("  ", 0) == 0) continue;
    out += line + "\n";
    std::istringstream shown(RunLine(world, line));
    for (std::string row; std::getline(shown, row);) out += "  " + row + "\n";
  }
  return out;
}

}  // namespace muster::scheduler::testing
