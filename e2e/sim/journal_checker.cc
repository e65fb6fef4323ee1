#include "e2e/sim/journal_checker.h"

#include <cstdint>
#include <map>

#include "e2e/apiserver/json.h"

namespace muster::e2e {
namespace {

// Calls `look` with each entry, node and pod that the pages name.
template <class Look>
void ForEachNamed(const Shadow& shadow, Look look) {
  for (const auto& [name, page] : shadow.pages()) {
    for (const crds::JournalEntry& entry : page.entries) {
      for (const crds::JournalEntry::Node& node : entry.nodes) {
        for (const crds::JournalEntry::Pod& pod : node.pods) look(entry, node, pod);
      }
    }
  }
}

std::string Tell(const crds::Pod& pod) {
  return pod.meta.name + " (uid " + pod.meta.uid + ", resourceVersion " +
         pod.meta.resource_version + ")";
}

bool SaysUnscheduled(const std::string& patch) {
  const Json body = Parse(patch).value_or(Json());
  const Json* conditions = Find(body, {"status", "conditions"});
  if (conditions == nullptr) return false;
  bool says = false;
  for (const Json& condition : *conditions) {
    says = says || (StringAt(condition, {"type"}) == "PodScheduled" &&
                    StringAt(condition, {"status"}) == "False");
  }
  return says;
}

}  // namespace

void JournalChecker::OnBinding(const PodChange& change) const {
  if (!change.before || !change.before->node_name.empty() || change.now.node_name.empty()) return;
  const crds::Pod& pod = *change.before;
  bool named = false;
  ForEachNamed(shadow_, [&](const auto& /*entry*/, const auto& node, const auto& at) {
    named = named || (node.name == change.now.node_name && at.uid == pod.meta.uid &&
                      at.resource_version == pod.meta.resource_version);
  });
  if (named) return;
  complain_("journal (6): a Binding that no page names took effect: " + Tell(pod) + " on " +
            change.now.node_name);
}

// One that is on its way out already is not ended by this.
void JournalChecker::OnDelete(const PodChange& change) const {
  if (!change.before || change.before->meta.deletion_ms.has_value()) return;
  if (!change.deleted && !change.now.meta.deletion_ms.has_value()) return;
  bool named = false;
  ForEachNamed(shadow_, [&](const auto& entry, const auto& /*node*/, const auto& at) {
    named = named || (entry.abandon && at.uid == change.before->meta.uid);
  });
  if (named) return;
  complain_("journal (6): a DELETE that no page names took effect: " + Tell(*change.before) +
            " on \"" + change.before->node_name + "\"");
}

void JournalChecker::OnStatus(const PodChange& change, const std::string& patch) const {
  if (change.deleted || change.now.node_name.empty() || !SaysUnscheduled(patch)) return;
  complain_("journal (6): a touch took effect on a pod that is bound: " + Tell(change.now) +
            " on " + change.now.node_name);
}

void JournalChecker::OnPage() const {
  std::map<std::string, std::uint64_t> given_up;
  ForEachNamed(shadow_, [&](const auto& entry, const auto& /*node*/, const auto& at) {
    if (entry.abandon) given_up[at.uid] = entry.id;
  });
  ForEachNamed(shadow_, [&](const auto& entry, const auto& /*node*/, const auto& at) {
    const auto found = given_up.find(at.uid);
    if (found == given_up.end() || found->second == entry.id) return;
    complain_("journal (6): " + at.name + " stands in entry " + std::to_string(entry.id) +
              " while entry " + std::to_string(found->second) + " is given up");
  });
}

void JournalChecker::OnPod(const PodChange& change) const {
  if (change.deleted || !change.before || change.before->meta.uid != change.now.meta.uid) return;
  const std::string& before = change.before->node_name;
  if (before.empty() || before == change.now.node_name) return;
  complain_("journal (6): pod " + change.now.meta.name + " moved from " + before + " to " +
            change.now.node_name);
}

}  // namespace muster::e2e
