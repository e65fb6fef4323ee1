#include "controllers/look_up.h"

namespace muster::controllers {
namespace {

// Empty: the node is as it was when this was decided.
std::string NodeTrouble(const Stores& stores, const Member& member) {
  const NodeRecord* node = stores.node(member.node);
  if (node == nullptr) return "was deleted";
  if (node->uid != member.node_uid) return "was deleted and made again";
  if (node->unschedulable && !member.on_cordoned) return "was cordoned";
  return {};
}

bool HasGroup(const Stores& stores, const Entry& entry) {
  if (entry.gang.single_pod) return true;
  const crds::PodGroup* group = stores.group(entry.gang);
  return group != nullptr && group->meta.uid == entry.gang_uid;
}

Sight Changed(Sight::Kind kind, const Member& member, const std::string& what) {
  return {.kind = kind, .text = member.key.name + ": " + what};
}

}  // namespace

Sight LookUpMember(const Stores& stores, const Entry& entry, const Member& member) {
  const PodRecord* pod = stores.pod(member.key);
  if (pod == nullptr || pod->uid != member.uid) return {.kind = Sight::Kind::kGone};
  if (!pod->node.empty() || pod->terminal) return {.kind = Sight::Kind::kKnown};
  if (pod->terminating) return {.kind = Sight::Kind::kGone};
  if (!HasGroup(stores, entry)) {
    return Changed(Sight::Kind::kStale, member,
                   "the PodGroup was deleted while its gang was bound");
  }
  if (pod->gang != entry.gang) {
    return Changed(Sight::Kind::kNoMember, member,
                   "its labels were changed, it is no member any more");
  }
  const std::string trouble = NodeTrouble(stores, member);
  if (!trouble.empty()) {
    return Changed(Sight::Kind::kNodeLost, member,
                   "node " + member.node + " " + trouble + " before it was bound there");
  }
  const bool newer = member.listed && pod->resource_version != member.version;
  return {.kind = newer ? Sight::Kind::kChanged : Sight::Kind::kAsPlanned};
}

}  // namespace muster::controllers
