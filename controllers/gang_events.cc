#include "controllers/gang_events.h"

#include <set>
#include <string>

#include "controllers/conditions.h"
#include "controllers/pod_group_reconciler.h"
#include "controllers/text.h"

namespace muster::controllers {
namespace {

constexpr std::int64_t kRepeatMs = 300'000;
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

bool WasScheduled(const crds::PodGroup& group) {
  if (!group.status.has_value()) return false;
  const crds::Condition* condition = FindCondition(group.status->conditions, "Scheduled");
  return condition != nullptr && condition->status == "True";
}

}  // namespace

void GangEvents::Admitted(const scheduler::Key& single_pod, const scheduler::Uid& uid) {
  gangs_[single_pod].admitted = uid;
}

void GangEvents::Look(const scheduler::GangStatus& gang, const crds::PodGroup* group,
                      std::int64_t now_ms) {
  if (!gang.attempted || (group != nullptr && StaysFinished(gang, *group))) return;
  Memory& memory = gangs_[gang.key];
  std::erase_if(memory.told_ms,
                [now_ms](const auto& told) { return now_ms >= told.second + kRepeatMs; });
  if (gang.key.single_pod) {
    TellBound(gang, memory);
  } else if (group != nullptr) {
    TellScheduled(gang, *group, memory);
  }
  TellWaiting(gang, group, memory, now_ms);
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
  const bool waits = !gang.scheduled && !gang.reason.empty() && !gang.message.empty();
  if (group != nullptr && waits) {
    TellOnce(ObjectRef::PodGroup(gang.key, gang.uid), gang.message, memory, now_ms);
  }
  int told = 0;
  for (const scheduler::MemberStatus& member : gang.members) {
    const bool member_waits = !member.bound && member.node.empty() && !member.reason.empty();
    if (!member_waits || member.message.empty()) continue;
    if (++told > kMembersTold) break;
    TellOnce(ObjectRef::Pod(member.pod, member.uid), member.message, memory, now_ms);
  }
}

void GangEvents::TellOnce(const ObjectRef& about, const std::string& text, Memory& memory,
                          std::int64_t now_ms) {
  if (!memory.told_ms.try_emplace({about.uid, text}, now_ms).second) return;
  recorder_.Emit({.regarding = about,
                  .warning = true,
                  .reason = "FailedScheduling",
                  .action = "Scheduling",
                  .text = text});
}

}  // namespace muster::controllers
