#include "controllers/testing/manager_rig.h"

#include <utility>

#include "controllers/testing/names.h"
#include "controllers/testing/one_life.h"

namespace muster::controllers::testing {

struct ManagerRig::Life : OneLife<LifeApi> {
  explicit Life(ManagerRig& rig)
      : OneLife(rig.loop_, rig.api_, rig.telemetry_, rig.options_,
                [&rig](const std::string& why) { rig.fatal_.push_back(why); }) {}
};

ManagerRig::ManagerRig() {
  options_.holder = "me";
  options_.pages = 2;
}

ManagerRig::~ManagerRig() = default;

void ManagerRig::AddNode(const std::string& name, bool cordoned) {
  crds::Node node;
  node.meta.name = name;
  node.meta.uid = "uid-" + name;
  node.meta.resource_version = api_.Version();
  node.ready = true;
  node.unschedulable = cordoned;
  node.allocatable = {{kGpu, 4'000}, {"pods", 110}};
  api_.Show("nodes", node);
}

void ManagerRig::AddQueue(const std::string& name, const std::string& gpus) {
  crds::Queue queue;
  queue.meta.name = name;
  queue.meta.uid = "uid-" + name;
  queue.meta.resource_version = api_.Version();
  queue.resources = {{.name = kGpu, .nominal_quota = gpus, .borrowing_limit = "0"}};
  queue.namespace_selector = crds::LabelSelector{};
  api_.Show("queues", queue);
  crds::Namespace ns;
  ns.meta.name = "default";
  ns.meta.uid = "uid-default";
  ns.meta.resource_version = api_.Version();
  api_.Show("namespaces", ns);
}

void ManagerRig::AddGroup(const std::string& name, std::int32_t min_member,
                          std::optional<crds::PodGroupStatus> status) {
  crds::PodGroup group;
  group.meta.name = name;
  group.meta.ns = "default";
  group.meta.uid = "uid-" + name;
  group.meta.resource_version = api_.Version();
  group.queue = "q";
  group.min_member = min_member;
  group.status = std::move(status);
  api_.Show("podgroups", group);
}

void ManagerRig::DeleteGroup(const std::string& name) {
  crds::PodGroup group;
  group.meta.name = name;
  group.meta.ns = "default";
  group.meta.uid = "uid-" + name;
  api_.ShowDeleted("podgroups", group);
}

void ManagerRig::ShowPod(const std::string& name, const std::string& group) {
  group_of_[name] = group;
  if (!api_.pods().contains(name)) (void)api_.AddPod(name, "uid-" + name);
  api_.Show("pods", PodObject(name, api_.pods().at(name), group));
}

void ManagerRig::DeletePod(const std::string& name) {
  crds::Pod pod;
  pod.meta.name = name;
  pod.meta.ns = "default";
  pod.meta.uid = api_.pods().contains(name) ? api_.pods().at(name).uid : "uid-" + name;
  api_.pods().erase(name);
  group_of_.erase(name);
  api_.ShowDeleted("pods", pod);
}

void ManagerRig::ShowHalf(const std::string& group) {
  FakeApi::Pod& bound = api_.AddPod(group + "-0", "uid-" + group + "-0");
  bound.node = "n1";
  bound.journal = "p-00/41";
  bound.group_uid = "uid-" + group;
  for (const char* member : {"-0", "-1"}) ShowPod(group + member, group);
}

crds::JournalEntry ManagerRig::EntryOfG(
    std::uint64_t id, const std::vector<std::pair<std::string, std::string>>& pods_at) {
  crds::JournalEntry entry;
  entry.id = id;
  entry.ns = "default";
  entry.group_name = "g";
  entry.group_uid = "uid-g";
  entry.queue = "q";
  entry.charges = {{kGpu, 4'000 * static_cast<std::int64_t>(pods_at.size())}};
  entry.min_member = static_cast<std::int32_t>(pods_at.size());
  for (const auto& [pod, node] : pods_at) {
    const std::string version = std::to_string(api_.pods().at(pod).version);
    entry.nodes.push_back(
        {.name = node,
         .uid = "uid-" + node,
         .pods = {{.name = pod, .uid = "uid-" + pod, .resource_version = version}}});
  }
  return entry;
}

void ManagerRig::AddPages(const std::vector<crds::JournalEntry>& on_the_second,
                          const std::vector<crds::JournalEntry>& on_the_first) {
  for (const char* name : {"p-00", "p-01"}) {
    crds::BindingJournal page;
    page.meta.ns = "muster-system";
    page.meta.name = name;
    page.holder = "former";
    page.sequence = 3;
    page.entries = std::string_view(name) == "p-01" ? on_the_second : on_the_first;
    api_.AddPage(page);
  }
}

void ManagerRig::Start() {
  life_ = std::make_unique<Life>(*this);
  manager_ = &life_->manager;
  manager_->OnReady([this] { ++ready_; });
  manager_->Start();
  loop_.Advance(100);
}

void ManagerRig::Kill() {
  life_.reset();
  manager_ = nullptr;
  api_.ForgetWatches();
  const std::map<std::string, std::string> shown = group_of_;
  for (const auto& [name, group] : shown) {
    if (api_.pods().contains(name)) {
      ShowPod(name, group);
    } else {
      DeletePod(name);
    }
  }
}

std::size_t ManagerRig::Entries() const {
  std::size_t entries = 0;
  for (const auto& [name, page] : api_.pages()) entries += page.entries.size();
  return entries;
}

std::string ManagerRig::ReasonOf(const std::string& group) const {
  const auto now = manager_->Explain({.ns = "default", .name = group});
  return now ? now->status.reason : "";
}

std::string ManagerRig::MessageOf(const std::string& group) const {
  const auto now = manager_->Explain({.ns = "default", .name = group});
  return now ? now->status.message : "";
}

}  // namespace muster::controllers::testing
