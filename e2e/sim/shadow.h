// What the API server holds, decoded, as it is at this very moment: the checkers' and the world's
// own view, fed by watches without latency. It owes nothing to the operator's caches.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "crds/binding_journal.h"
#include "crds/node.h"
#include "crds/pod.h"
#include "crds/pod_group.h"
#include "crds/queue.h"
#include "e2e/apiserver/server.h"

namespace muster::e2e {

inline constexpr const char* kGpu = "nvidia.com/gpu";
inline constexpr const char* kGroupLabel = "muster.dev/pod-group";
inline constexpr const char* kRackLabel = "topology.muster.dev/rack";
inline constexpr const char* kBlockLabel = "topology.muster.dev/block";
inline constexpr const char* kAdmittedQueue = "muster.dev/admitted-queue";

// By resource, in the inner unit; with "pods".
using Amounts = std::map<std::string, std::int64_t>;
// What a pod takes from its node and its queue.
[[nodiscard]] Amounts AmountsOf(const crds::Pod& pod);
[[nodiscard]] bool IsTerminal(const crds::Pod& pod);
// Bound, not terminal, not terminating.
[[nodiscard]] bool IsActive(const crds::Pod& pod);
[[nodiscard]] bool HasTrue(const std::vector<crds::Condition>& conditions, const std::string& type);

// "" = it has no such label.
[[nodiscard]] std::string RackLabelOf(const crds::Node& node);

// What a Shadow needs to be there. Ends the process if a file is wrong.
void LoadCrds(ApiServer& server, const std::string& folder);

class Shadow {
 public:
  using Name = std::pair<std::string, std::string>;  // Namespace, name.
  // After the change; `before` is null for a new pod.
  using OnPod = std::function<void(const crds::Pod* before, const crds::Pod& now, bool deleted)>;
  using OnPage = std::function<void(const crds::BindingJournal& now)>;  // Made or changed.

  explicit Shadow(ApiServer& server);

  void set_on_pod(OnPod on_pod) { on_pod_ = std::move(on_pod); }
  void set_on_page(OnPage on_page) { on_page_ = std::move(on_page); }

  [[nodiscard]] const std::map<Name, crds::Pod>& pods() const { return pods_; }
  [[nodiscard]] const std::map<std::string, crds::Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::map<Name, crds::PodGroup>& groups() const { return groups_; }
  [[nodiscard]] const std::map<std::string, crds::Queue>& queues() const { return queues_; }
  [[nodiscard]] const std::map<std::string, crds::BindingJournal>& pages() const { return pages_; }

  // Rises with every change.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  // Every pod that a page names, whether it is there or not. Holds until the next change.
  struct Named {
    const crds::JournalEntry* entry = nullptr;
    const crds::JournalEntry::Node* node = nullptr;
    const crds::JournalEntry::Pod* pod = nullptr;
  };
  [[nodiscard]] std::vector<Named> NamedPods() const;
  [[nodiscard]] static std::vector<Named> NamedIn(const crds::BindingJournal& page);
  // The pod that is meant, if it is still there and neither bound nor on its way out.
  [[nodiscard]] const crds::Pod* Waiting(const Named& named) const;

  // The queue that pays for a pod; "" = none: it is not bound or has ended, or it is on its way out
  // and cannot end, since its node is lost. Such a one holds its node, and its queue no more.
  [[nodiscard]] std::string PayerOf(const crds::Pod& pod) const;
  // What every non-terminal pod on the node asks for; and every one that the queue pays for.
  [[nodiscard]] Amounts UseOfNode(const std::string& node) const;
  [[nodiscard]] Amounts UseOfQueue(const std::string& queue) const;

  struct Tally {
    std::int64_t active = 0, succeeded = 0, existing = 0;
  };
  // Members of a PodGroup: by their label, and bound ones by the group's uid.
  [[nodiscard]] Tally Count(const crds::PodGroup& group) const;
  // For a person: the status of a PodGroup and its pods.
  [[nodiscard]] std::string Tell(const std::string& gang) const;

 private:
  void Pods(const std::string& frame);
  void Nodes(const std::string& frame);
  void Groups(const std::string& frame);
  void Queues(const std::string& frame);
  void Pages(const std::string& frame);

  OnPod on_pod_;
  OnPage on_page_;
  std::uint64_t version_ = 0;
  std::map<Name, crds::Pod> pods_;
  std::map<std::string, crds::Node> nodes_;
  std::map<Name, crds::PodGroup> groups_;
  std::map<std::string, crds::Queue> queues_;
  std::map<std::string, crds::BindingJournal> pages_;
};

}  // namespace muster::e2e
