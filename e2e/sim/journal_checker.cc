#include "e2e/sim/journal_checker.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "e2e/apiserver/json.h"

namespace muster::e2e {
namespace {

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

// By a page that is there, or by one that was taken away.
bool JournalChecker::AnyNamed(const std::function<bool(const Shadow::Named&)>& meant) const {
  const std::vector<Shadow::Named> named = shadow_.NamedPods();
  if (std::any_of(named.begin(), named.end(), meant)) return true;
  if (excuses_ == nullptr) return false;
  for (const crds::BindingJournal& page : excuses_->LostPages()) {
    const std::vector<Shadow::Named> lost = Shadow::NamedIn(page);
    if (std::any_of(lost.begin(), lost.end(), meant)) return true;
  }
  return false;
}

void JournalChecker::OnBinding(const PodChange& change) const {
  if (!change.before || !change.before->node_name.empty() || change.now.node_name.empty()) return;
  const crds::Pod& pod = *change.before;
  const bool is_named = AnyNamed([&](const Shadow::Named& at) {
    return at.node->name == change.now.node_name && at.pod->uid == pod.meta.uid &&
           at.pod->resource_version == pod.meta.resource_version;
  });
  if (is_named) return;
  complain_("journal (6): a Binding that no page names took effect: " + Tell(pod) + " on " +
            change.now.node_name);
}

// One that is on its way out already is not ended by this.
void JournalChecker::OnDelete(const PodChange& change) const {
  if (!change.before || change.before->meta.deletion_ms.has_value()) return;
  if (!change.deleted && !change.now.meta.deletion_ms.has_value()) return;
  const bool is_named = AnyNamed([&](const Shadow::Named& at) {
    return at.entry->abandon && at.pod->uid == change.before->meta.uid;
  });
  if (is_named) return;
  complain_("journal (6): a DELETE that no page names took effect: " + Tell(*change.before) +
            " on \"" + change.before->node_name + "\"");
}

void JournalChecker::OnStatus(const PodChange& change, const std::string& patch) const {
  if (change.deleted || change.now.node_name.empty() || !SaysUnscheduled(patch)) return;
  complain_("journal (6): a touch took effect on a pod that is bound: " + Tell(change.now) +
            " on " + change.now.node_name);
}

void JournalChecker::OnPage() const {
  const std::vector<Shadow::Named> named = shadow_.NamedPods();
  std::map<std::string, std::uint64_t> given_up;
  for (const Shadow::Named& at : named) {
    if (at.entry->abandon) given_up[at.pod->uid] = at.entry->id;
  }
  for (const Shadow::Named& at : named) {
    const auto found = given_up.find(at.pod->uid);
    if (found == given_up.end() || found->second == at.entry->id) continue;
    complain_("journal (6): " + at.pod->name + " stands in entry " + std::to_string(at.entry->id) +
              " while entry " + std::to_string(found->second) + " is given up");
  }
}

void JournalChecker::OnPod(const PodChange& change) const {
  if (change.deleted || !change.before || change.before->meta.uid != change.now.meta.uid) return;
  const std::string& before = change.before->node_name;
  if (before.empty() || before == change.now.node_name) return;
  complain_("journal (6): pod " + change.now.meta.name + " moved from " + before + " to " +
            change.now.node_name);
}

}  // namespace muster::e2e
