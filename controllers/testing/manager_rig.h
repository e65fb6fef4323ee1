// A whole Manager over a FakeApi and a ManualLoop, for tests of what its parts do together. Objects
// lie in namespace "default"; pods of a PodGroup and nodes have four GPUs. A Manager that is killed
// hears of nothing any more, and the next one begins from what the API server holds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controllers/manager.h"
#include "controllers/testing/fake_api.h"
#include "controllers/testing/manual_loop.h"
#include "controllers/testing/protocol_rig.h"

namespace muster::controllers::testing {

class ManagerRig {
 public:
  ManagerRig();
  ~ManagerRig();
  ManagerRig(const ManagerRig&) = delete;
  ManagerRig& operator=(const ManagerRig&) = delete;

 protected:
  // Objects, as the watch shows them from now on.
  void AddNode(const std::string& name, bool cordoned = false);
  void AddQueue(const std::string& name, const std::string& gpus);
  void AddGroup(const std::string& name, std::int32_t min_member,
                std::optional<crds::PodGroupStatus> status = {});
  void DeleteGroup(const std::string& name);
  // As the API server has it now; made if need be. `group` "" = a pod without PodGroup.
  void ShowPod(const std::string& name, const std::string& group);
  void DeletePod(const std::string& name);
  // Member 0 is bound to n1 as a former life did it, member 1 waits.
  void ShowHalf(const std::string& group);
  // An entry of group g as a page names it: each pod, at the version that it has, at its node.
  [[nodiscard]] crds::JournalEntry EntryOfG(
      std::uint64_t id, const std::vector<std::pair<std::string, std::string>>& pods_at);
  // As a former life left them.
  void AddPages(const std::vector<crds::JournalEntry>& on_the_second,
                const std::vector<crds::JournalEntry>& on_the_first = {});

  void Start();
  void Kill();  // What every pod is now is what the next life will list.

  [[nodiscard]] std::string NodeOf(const std::string& pod) { return api_.pods().at(pod).node; }
  [[nodiscard]] std::size_t Entries() const;
  [[nodiscard]] std::string ReasonOf(const std::string& group) const;  // Of its condition.
  [[nodiscard]] std::string MessageOf(const std::string& group) const;

  ManualLoop loop_;
  FakeApi api_{loop_};
  FakeTelemetry telemetry_;
  ManagerOptions options_;
  std::vector<std::string> fatal_;
  int ready_ = 0;  // How often a Manager said so.
  Manager* manager_ = nullptr;

 private:
  struct Life;
  std::map<std::string, std::string> group_of_;  // Pods that were shown.
  std::unique_ptr<Life> life_;
};

}  // namespace muster::controllers::testing
