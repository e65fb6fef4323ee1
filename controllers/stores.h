// What the controllers keep of objects beside the core: of a pod of ours and of a node just what a
// write must carry or is checked against, of PodGroups and Queues the object with its stored
// status. Written by Intake alone. Loop thread only; a pointer is good until the next event.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "crds/object.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

// What a pod says when it is first seen bound. Edits that come later have no effect.
struct PodPins {
  std::string queue;      // Annotation muster.dev/admitted-queue.
  std::string group_uid;  // Annotation muster.dev/admitted-group-uid.
  std::string journal;    // Annotation muster.dev/journal.
  std::string label;      // Label muster.dev/queue.
  std::string sub_group;  // Label muster.dev/subgroup, or what the Binding made of it; "" = none.
};

struct PodRecord {
  scheduler::Key key;   // Namespace and name.
  scheduler::Key gang;  // As the core was told.
  scheduler::Uid uid;
  std::string resource_version;
  std::string node;   // spec.nodeName.
  std::string owner;  // Uid of its controller owner.
  PodPins pins;       // Of a bound pod as it was then.
  std::int64_t generation = 0;
  bool edit_noted = false;  // The user was told that his edit has no effect any more.
  bool terminating = false;
  bool terminal = false;      // Succeeded or Failed.
  crds::Condition scheduled;  // PodScheduled; an empty type = it has none.
};

struct NodeRecord {
  scheduler::Uid uid;
  bool unschedulable = false;
  std::string clipped = {};  // Which of its amounts count as less, as the log was told.
};

class Stores {
 public:
  [[nodiscard]] const PodRecord* pod(const scheduler::Key& key) const;  // Pods of ours only.
  [[nodiscard]] const std::map<scheduler::Key, PodRecord>& pods() const { return pods_; }
  [[nodiscard]] const NodeRecord* node(std::string_view name) const;
  [[nodiscard]] const crds::PodGroup* group(const scheduler::Key& key) const;
  [[nodiscard]] const crds::Queue* queue(std::string_view name) const;
  // The key of the PodGroup with this uid; nullptr = not there.
  [[nodiscard]] const scheduler::Key* group_of_uid(std::string_view uid) const;
  [[nodiscard]] const std::set<scheduler::Key>& pods_of(const scheduler::Key& gang) const;

  void Put(PodRecord record);
  void Put(const std::string& name, NodeRecord record);
  void Put(crds::PodGroup group);
  void Put(crds::Queue queue);
  void ErasePod(const scheduler::Key& key);
  void EraseNode(const std::string& name);
  void EraseGroup(const scheduler::Key& key);
  void EraseQueue(const std::string& name);

 private:
  std::map<scheduler::Key, PodRecord> pods_;
  std::map<scheduler::Key, std::set<scheduler::Key>> pods_of_;
  std::map<std::string, NodeRecord, std::less<>> nodes_;
  std::map<scheduler::Key, crds::PodGroup> groups_;
  std::map<std::string, scheduler::Key, std::less<>> group_of_uid_;
  std::map<std::string, crds::Queue, std::less<>> queues_;
};

}  // namespace muster::controllers
