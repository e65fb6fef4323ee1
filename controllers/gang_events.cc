#include "controllers/gang_events.h"

#include <set>
#include <string>

#include "controllers/conditions.h"
#include "controllers/pod_group_reconciler.h"
#include "controllers/text.h"

namespace muster::controllers {
namespace {

// The same text about the same object is told again after this time, not before.
constexpr std::int64_t kRepeatMs = 300'000;
// A gang of thousands is one problem, not thousands of events.
constexpr int kMembersTold = 8;

// "4 of 4 members bound to 4 nodes: node-1, node-2, node-3, node-4"
std::string BoundText(const scheduler::GangStatus& gang) {
  std::set<std::string> nodes;
  for (const scheduler::MemberStatus& member : gang.members) {
    if (!member.node.empty()) nodes.insert(member.node);
  }
  std::string text = std::to_string(gang.bound + gang.succeeded) + " of " +
                     std::to_string(gang.total) + " members bound to " +
                     Plural(nodes.size(), "node");
  const char* separator = ": ";
  for (const std::string& node : nodes) {
    text += separator + node;
    separator = ", ";
  }
  return text;
}

// By its stored status; says nothing about the gang of now.
bool WasScheduled(const crds::PodGroup& group) {
  return group.status.has_value() && HasTrue(group.status->conditions, "Scheduled");
}

}  // namespace

void GangEvents::Admitted(const scheduler::Key& single_pod, const scheduler::Uid& uid) {
  gangs_[single_pod].admitted = uid;
}

void GangEvents::Look(const scheduler::GangStatus& gang, const crds::PodGroup* group,
                      std::int64_t now_ms) {
  if (!gang.attempted || (group != nullptr && StaysFinished(gang, *group))) return;
  Memory& memory = gangs_[gang.key];
  memory.told_before = !memory.looked && ToldBefore(gang, group);
  memory.looked = true;
  std::erase_if(memory.told_ms,
                [now_ms](const auto& told) { return now_ms >= told.second + kRepeatMs; });
  if (gang.key.single_pod) {
    TellBound(gang, memory);
  } else if (group != nullptr) {
    TellScheduled(gang, *group, memory);
  }
  TellWaiting(gang, group, memory, now_ms);
}

// A restart does not tell thousands of waiting gangs again what stands in their status.
bool GangEvents::ToldBefore(const scheduler::GangStatus& gang, const crds::PodGroup* group) const {
  if (group != nullptr) return group->status.has_value() && group->status->message == gang.message;
  if (gang.members.empty()) return false;
  const PodRecord* pod = stores_.pod(gang.members[0].pod);
  return pod != nullptr && pod->scheduled.status == "False" &&
         pod->scheduled.message == gang.members[0].message;
}

void GangEvents::TellScheduled(const scheduler::GangStatus& gang, const crds::PodGroup& group,
                               Memory& memory) {
  if (!gang.scheduled) {
    memory.scheduled.clear();
    return;
  }
  // The stored condition speaks for a former life of this process.
  if (memory.scheduled == gang.uid || WasScheduled(group)) return;
  memory.scheduled = gang.uid;
  recorder_.Emit({.regarding = ObjectRef::PodGroup(gang.key, gang.uid),
                  .warning = false,
                  .reason = "Scheduled",
                  .action = "Binding",
                  .text = BoundText(gang)});
}

void GangEvents::TellBound(const scheduler::GangStatus& gang, Memory& memory) {
  for (const scheduler::MemberStatus& member : gang.members) {
    // Placed is not bound: the Binding may still be refused.
    if (member.node.empty() || member.uid != memory.admitted) continue;
    if (!member.bound && gang.succeeded + gang.failed == 0) continue;
    memory.admitted.clear();
    recorder_.Emit({.regarding = ObjectRef::Pod(member.pod, member.uid),
                    .warning = false,
                    .reason = "Scheduled",
                    .action = "Binding",
                    .text = "Successfully assigned " + member.pod.ns + "/" + member.pod.name +
                            " to " + member.node});
  }
}

void GangEvents::TellWaiting(const scheduler::GangStatus& gang, const crds::PodGroup* group,
                             Memory& memory, std::int64_t now_ms) {
  // While its Bindings are under way nothing is wrong, and there is no reason.
  const bool waits = !gang.scheduled && !gang.reason.empty() && !gang.message.empty();
  if (group != nullptr && waits) {
    TellOnce(ObjectRef::PodGroup(gang.key, gang.uid), gang.message, memory, now_ms);
  }
  int told = 0;  // In rank order, as the core lists them.
  for (const scheduler::MemberStatus& member : gang.members) {
    const bool member_waits = !member.bound && member.node.empty() && !member.reason.empty();
    if (!member_waits || member.message.empty()) continue;
    if (++told > kMembersTold) break;
    TellOnce(ObjectRef::Pod(member.pod, member.uid), member.message, memory, now_ms);
  }
}

void GangEvents::TellOnce(const ObjectRef& about, const std::string& text, Memory& memory,
                          std::int64_t now_ms) {
  if (!memory.told_ms.try_emplace({about.uid, text}, now_ms).second || memory.told_before) return;
  recorder_.Emit({.regarding = about,
                  .warning = true,
                  .reason = "FailedScheduling",
                  .action = "Scheduling",
                  .text = text});
}

}  // namespace muster::controllers
