// The half of a scenario's world that asks the scheduler: entries that end, cycles, texts.
#include <algorithm>
#include <set>
#include <string_view>

#include "scheduler/testing/builders.h"
#include "scheduler/testing/decision_text.h"
#include "scheduler/testing/scenario_world.h"

namespace muster::scheduler::testing {
namespace {

std::string Name(const Key& key) {
  return key.ns == "default" ? key.name : key.ns + "/" + key.name;
}

Key GangKey(const Scheduler& scheduler, const std::string& word) {
  const std::size_t slash = word.find('/');
  Key key = GroupKey(slash == std::string::npos ? word : word.substr(slash + 1));
  if (slash != std::string::npos) key.ns = word.substr(0, slash);
  if (!scheduler.Status(key)) key.single_pod = true;
  return key;
}

// Members that say the same stand in one line.
std::string MembersText(const std::vector<MemberStatus>& members) {
  std::string out;
  for (std::size_t i = 0; i < members.size();) {
    std::size_t end = i + 1;
    const MemberStatus& m = members[i];
    while (end < members.size() && !m.reason.empty() && members[end].reason == m.reason &&
           members[end].message == m.message) {
      ++end;
    }
    out += m.pod.name;
    if (end - i > 1) out += ".." + members[end - 1].pod.name;
    if (!m.reason.empty()) out += " " + m.reason + ": " + m.message;
    if (m.reason.empty()) out += m.node.empty() ? " -" : (m.bound ? " on " : " goes to ") + m.node;
    out += "\n";
    i = end;
  }
  return out;
}

struct OpenEntry {
  std::uint64_t id = 0;
  Uid gang;
  std::vector<std::pair<Uid, std::string>> members;  // Pod, node.
};

std::vector<OpenEntry> OpenEntries(const Cluster& cluster, EntryState state) {
  std::vector<OpenEntry> open;
  for (const auto& [id, entry] : cluster.entries()) {
    if (entry.state != state) continue;
    OpenEntry& out = open.emplace_back(OpenEntry{id, entry.gang_uid, {}});
    for (const auto& m : entry.members) out.members.emplace_back(m.pod, cluster.node(m.node).name);
  }
  return open;
}

}  // namespace

std::string ScenarioWorld::Strand(const Words& words) {
  const PodSeen* pod = Find(words);
  if (pod == nullptr) return "ERROR no such pod\n";
  for (const OpenEntry& entry : OpenEntries(scheduler_.cluster(), EntryState::kBind)) {
    Send(EntryStranded{entry.gang, entry.id, pod->uid});
  }
  return {};
}

std::string ScenarioWorld::Settle(const Words& /*words*/) {
  // The pages name what was moved where it is now.
  for (const OpenEntry& entry : OpenEntries(scheduler_.cluster(), EntryState::kBind)) {
    for (const auto& member : entry.members) {
      Send(EntryAmended{entry.gang, entry.id, member.first});
    }
  }
  for (const OpenEntry& entry : OpenEntries(scheduler_.cluster(), EntryState::kBind)) {
    for (const auto& [uid, node] : entry.members) {
      for (auto& [name, pod] : pods_) {
        if (pod.uid == uid && pod.state == PodState::kPending) BindPod(pod, node);
      }
    }
    Send(EntryClosed{entry.gang, entry.id});
  }
  return {};
}

std::string ScenarioWorld::Undo(const Words& /*words*/) {
  for (const OpenEntry& entry : OpenEntries(scheduler_.cluster(), EntryState::kAbandon)) {
    std::set<std::string> gone;
    for (const auto& [uid, node] : entry.members) {
      for (const auto& [name, pod] : pods_) {
        if (pod.uid != uid) continue;
        if (pod.state == PodState::kPending) Send(BindAnswered{uid, node, Answer::kRefused});
        if (pod.state != PodState::kPending) gone.insert(name);
      }
    }
    for (const std::string& name : gone) PodGoes({name});
    Send(EntryClosed{entry.gang, entry.id});
  }
  return {};
}

std::string ScenarioWorld::Refused(const Words& words) {
  const PodSeen* pod = Find(words);
  if (pod == nullptr) return "ERROR no such pod\n";
  for (const OpenEntry& entry : OpenEntries(scheduler_.cluster(), EntryState::kAbandon)) {
    for (const auto& [uid, node] : entry.members) {
      if (uid == pod->uid) Send(BindAnswered{uid, node, Answer::kRefused});
    }
  }
  return {};
}

std::string ScenarioWorld::EntryFails(const Words& words, bool refused) {
  const Key key = GangKey(scheduler_, words.at(0));
  const auto status = scheduler_.Status(key);
  if (!status) return "ERROR no such gang\n";
  std::string text;
  for (std::size_t i = 1; i < words.size(); ++i) text += (i == 1 ? "" : " ") + words[i];
  for (const OpenEntry& entry : OpenEntries(scheduler_.cluster(), EntryState::kBind)) {
    if (entry.gang != status->uid) continue;
    Send(EntryFailed{entry.gang, entry.id, entry.members.front().first, text, refused});
  }
  return {};
}

std::string ScenarioWorld::Wait(const Words& words) {
  const std::int64_t ms = ParseAmount("pods", words.at(0)) * 1000;
  now_.mono.ms += ms;
  now_.wall.ms += ms;
  return {};
}

std::string ScenarioWorld::RunCycle(const Words& /*words*/) {
  Result<Scheduler> copy = Scheduler::FromSnapshot(policy_, scheduler_.Snapshot());
  if (!copy.ok()) return "ERROR snapshot: " + copy.error().message + "\n";
  const Decision decision = scheduler_.Decide(now_, {});
  std::string text = decision.ToText();
  const std::string rebuilt = EveryField(copy.value().Decide(now_, {}));
  if (rebuilt != EveryField(decision)) {
    text += "ERROR rebuilt from the snapshot it decides otherwise:\n" + rebuilt;
  }
  if (copy.value().Snapshot() != scheduler_.Snapshot()) text += "ERROR snapshots differ\n";
  for (const Key& key : decision.changed_gangs) {
    const auto status = scheduler_.Status(key);
    if (!status || status->reason.empty()) continue;
    text += "hold " + Name(key) + " " + status->reason + ": " + status->message + "\n";
  }
  return text;
}

std::string ScenarioWorld::ShowStatus(const Words& words) const {
  const auto status = scheduler_.Status(GangKey(scheduler_, words.at(0)));
  if (!status) return "none\n";
  std::string text =
      std::string(PhaseName(status->phase)) + " " + std::to_string(status->bound) + "/" +
      std::to_string(status->total) + " running=" + std::to_string(status->running) +
      " Admitted=" + (status->admitted ? "True/" : "False/") + status->admitted_reason +
      " Scheduled=" + (status->scheduled ? "True/" : "False/") + status->scheduled_reason +
      " attempts=" + std::to_string(status->attempts);
  if (!status->reason.empty()) text += " reason=" + status->reason;
  for (const Charge& charge : status->charges) {
    text += " " + charge.resource + "=" + std::to_string(charge.amount);
  }
  return text + "\n" + status->message + "\n" + MembersText(status->members);
}

std::string ScenarioWorld::ShowExplanation(const Words& words) const {
  const auto explanation = scheduler_.Explain(GangKey(scheduler_, words.at(0)));
  if (!explanation) return "none\n";
  std::string text = "attempt " + std::to_string(explanation->status.attempts) + ", woken by \"" +
                     explanation->woken_by + "\", position " +
                     std::to_string(explanation->queue_position) + "\n";
  for (const auto& node : explanation->nodes) {
    text += node.node + ": " + (node.reason.empty() ? "fits" : node.reason) + "\n";
  }
  for (const auto& score : explanation->scores) {
    text += score.node + " scores " + std::to_string(score.total) + ":";
    for (const auto& [plugin, part] : score.plugins) {
      text += " " + plugin + " " + std::to_string(part);
    }
    text += "\n";
  }
  for (const auto& [pod, node] : explanation->placed) text += pod + " on " + node + "\n";
  return text;
}

std::string ScenarioWorld::ShowQueue(const Words& words) const {
  const auto status = scheduler_.Status(words.at(0));
  if (!status) return "none\n";
  std::string text = std::string(status->active ? "active " : "inactive ") + status->active_reason +
                     " pending=" + std::to_string(status->pending_gangs) +
                     " admitted=" + std::to_string(status->admitted_gangs);
  for (const auto& use : status->resources) {
    text += " " + use.resource + "=" + std::to_string(use.used) + "/" + std::to_string(use.nominal);
  }
  return text + "\n";
}

}  // namespace muster::scheduler::testing
