#include "controllers/testing/user_world.h"

#include <utility>
#include <variant>

#include "controllers/testing/names.h"
#include "controllers/translate.h"
#include "crds/decode.h"
#include "scheduler/base/check.h"
#include "scheduler/framework/policy.h"

namespace muster::controllers::testing {
namespace {

using Type = ports::WatchEvent::Type;

constexpr std::int64_t kMilli = 1'000;

// The first "key":"..." behind `from`, without its escapes of quotes.
std::string Text(const std::string& json, const std::string& key, std::size_t from = 0) {
  const std::string head = '"' + key + "\":\"";
  std::size_t at = json.find(head, from);
  if (at == std::string::npos) return "";
  std::string out;
  for (at += head.size(); json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
    out += json[at];
  }
  return out;
}

// The object that a patch of its status leaves behind, as the API server would send it.
std::string WithStatus(const std::string& patch) {
  const std::string head = R"("path":"/status","value":)";
  const std::size_t at = patch.find(head) + head.size();
  return R"({"metadata":{"name":"x"},"status":)" + patch.substr(at, patch.size() - at - 2) + "}";
}

}  // namespace

UserWorld::UserWorld()
    : scheduler_(scheduler::DefaultPolicy()),
      recorder_(
          loop_,
          [this](ports::Request request, Done done) { Call(std::move(request), std::move(done)); },
          "muster-0", [] {}),
      writer_({.loop = loop_,
               .send = [this](ports::Request request,
                              Done done) { Call(std::move(request), std::move(done)); },
               .stores = stores_,
               .recorder = recorder_,
               .core = {.gang = [this](const auto& key) { return scheduler_.Status(key); },
                        .queue = [this](const auto& name) { return scheduler_.Status(name); }}}),
      intake_(*this, recorder_, stores_,
              {.apply = [this](const scheduler::Event& event) { scheduler_.Apply(event); },
               .synced = [this] { scheduler_.Apply(scheduler::Synced{}); },
               .current = [](bool) {},
               .group_stored = [this](const auto& key) { writer_.GroupStored(key); },
               .queue_stored = [this](const auto& name) { writer_.QueueStored(name); },
               .warn = [](const std::string&) {},
               .payer = [this](const auto& uid) { return PayerOf(uid); }},
              "muster") {
  intake_.Start(1);
  for (const char* plural :
       {"podgroups", "queues", "nodes", "namespaces", "priorityclasses", "pods"}) {
    ports::WatchEvent end{};
    end.type = Type::kListEnd;
    Send(plural, std::move(end));
  }
  Namespace("default", {{"kubernetes.io/metadata.name", "default"}});
}

std::string UserWorld::PayerOf(const scheduler::Uid& uid) const {
  const scheduler::Cluster& cluster = scheduler_.cluster();
  const auto pod = cluster.FindPod(uid);
  const auto queue = pod ? cluster.charged_queue(*pod) : std::nullopt;
  return queue ? cluster.queue(*queue).spec.name : "";
}

template <class T>
void UserWorld::See(const std::string& plural, T object) {
  if (object.meta.uid.empty()) object.meta.uid = "u-" + object.meta.name;
  if (object.meta.generation == 0) object.meta.generation = 1;
  if (object.meta.creation_ms == 0) object.meta.creation_ms = loop_.now().wall.ms;
  object.meta.resource_version = NextVersion();
  ports::WatchEvent event{};
  event.type = Type::kModified;
  event.object = std::move(object);
  Send(plural, std::move(event));
}

void UserWorld::Node(const std::string& name, std::int64_t gpus) {
  crds::Node node;
  node.meta.name = name;
  node.allocatable = {{"cpu", 64 * kMilli}, {kGpu, gpus * kMilli}, {"pods", 110}};
  node.ready = true;
  See("nodes", std::move(node));
}

void UserWorld::Queue(const std::string& name, const std::string& gpus) {
  crds::Queue queue;
  queue.meta.name = name;
  queue.namespace_selector.emplace();
  queue.resources.emplace_back();
  queue.resources[0].name = kGpu;
  queue.resources[0].nominal_quota = gpus;
  Put(std::move(queue));
}

void UserWorld::Namespace(const std::string& name, const crds::StringMap& labels) {
  crds::Namespace ns;
  ns.meta.name = name;
  ns.meta.labels = labels;
  See("namespaces", std::move(ns));
}

void UserWorld::PriorityClass(const std::string& name, std::int32_t value) {
  crds::PriorityClass priority_class;
  priority_class.meta.name = name;
  priority_class.value = value;
  See("priorityclasses", std::move(priority_class));
}

void UserWorld::GroupGoes(const std::string& name) {
  ports::WatchEvent event{};
  event.type = Type::kDeleted;
  event.object = *stores_.group({"default", name});
  Send("podgroups", std::move(event));
}

void UserWorld::PodGoes(const std::string& name) {
  ports::WatchEvent event{};
  event.type = Type::kDeleted;
  event.object = pods_.extract(name).mapped();
  Send("pods", std::move(event));
}

void UserWorld::Put(crds::PodGroup group) {
  group.meta.ns = "default";
  See("podgroups", std::move(group));
}

void UserWorld::Put(crds::Queue queue) {
  See("queues", std::move(queue));
}

void UserWorld::Put(crds::Pod pod) {
  pod.meta.resource_version = NextVersion();
  if (pod.meta.creation_ms == 0) pod.meta.creation_ms = loop_.now().wall.ms;
  pods_[pod.meta.name] = pod;
  ports::WatchEvent event{};
  event.type = Type::kModified;
  event.object = std::move(pod);
  Send("pods", std::move(event));
}

void UserWorld::Group(const std::string& name, const std::string& queue, std::int32_t min_member) {
  crds::PodGroup group;
  group.meta.name = name;
  group.queue = queue;
  group.min_member = min_member;
  Put(std::move(group));
}

crds::Pod UserWorld::NewPod(const std::string& name, std::int64_t gpus) const {
  crds::Pod pod;
  pod.meta.ns = "default";
  pod.meta.name = name;
  pod.meta.uid = "u-" + name;
  pod.scheduler_name = "muster";
  pod.phase = "Pending";
  crds::Container container;
  container.requests = {{kGpu, gpus * kMilli}};
  pod.containers = {std::move(container)};
  return pod;
}

void UserWorld::Members(const std::string& name, std::int32_t count, std::int64_t gpus) {
  for (std::int32_t i = 0; i < count; ++i) {
    crds::Pod pod = NewPod(name + "-" + std::to_string(i), gpus);
    pod.meta.labels = {{std::string(kPodGroupLabel), name}};
    Put(std::move(pod));
  }
}

void UserWorld::Send(const std::string& plural, ports::WatchEvent event) {
  sinks_.at(plural)(std::move(event));
}

void UserWorld::Settle() {
  constexpr std::int64_t kStepMs = 500;
  constexpr int kSteps = 20;
  for (int i = 0; i < kSteps; ++i) {
    Decide();
    loop_.Advance(kStepMs);
  }
}

void UserWorld::Decide() {
  bool more = true;
  while (more) {
    const scheduler::Decision decision = scheduler_.Decide(loop_.now(), {});
    writer_.OnDecision(decision);
    for (const auto& admit : decision.admits) Bind(admit);
    more = decision.more || !decision.admits.empty();
  }
}

void UserWorld::Bind(const scheduler::Decision::Admit& admit) {
  for (const scheduler::Decision::Bind& bind : admit.pods) {
    crds::Pod pod = pods_.at(bind.pod_key.name);
    pod.node_name = bind.node;
    pod.phase = "Running";
    pod.meta.annotations[std::string(kAdmittedQueueAnnotation)] = admit.queue;
    if (!admit.gang.single_pod) {
      pod.meta.annotations[std::string(kAdmittedGroupUidAnnotation)] = admit.gang_uid;
    }
    Put(std::move(pod));
  }
  scheduler_.Apply(scheduler::EntryClosed{admit.gang_uid, admit.id});
}

const crds::PodGroupStatus& UserWorld::GroupStatus(const std::string& name) const {
  const crds::PodGroup* group = stores_.group({"default", name});
  static const crds::PodGroupStatus none;
  return group != nullptr && group->status.has_value() ? *group->status : none;
}

const crds::QueueStatus& UserWorld::QueueStatus(const std::string& name) const {
  const crds::Queue* queue = stores_.queue(name);
  static const crds::QueueStatus none;
  return queue != nullptr && queue->status.has_value() ? *queue->status : none;
}

std::string UserWorld::NodeOf(const std::string& pod) const {
  return pods_.at(pod).node_name;
}

std::string UserWorld::Waits(const std::string& pod) const {
  const auto it = waits_.find(pod);
  return it == waits_.end() ? "" : it->second;
}

void UserWorld::Call(ports::Request request, Done done) {
  loop_.Post([this, request = std::move(request), done = std::move(done)] {
    if (request.resource.plural == "events") {
      const std::size_t about = request.body.find("\"regarding\"");
      events_.push_back(Text(request.body, "type") + " " + Text(request.body, "reason") + " " +
                        Text(request.body, "kind", about) + "/" +
                        Text(request.body, "name", about) + " " + Text(request.body, "note"));
    } else if (request.resource.plural == "podgroups") {
      crds::PodGroup group = *stores_.group({request.ns, request.name});
      group.status = crds::DecodePodGroup(WithStatus(request.body)).value().status;
      Put(std::move(group));
    } else if (request.resource.plural == "queues") {
      crds::Queue queue = *stores_.queue(request.name);
      queue.status = crds::DecodeQueue(WithStatus(request.body)).value().status;
      Put(std::move(queue));
    } else if (request.resource.plural == "pods") {
      waits_[request.name] = Text(request.body, "reason") + ": " + Text(request.body, "message");
    }
    ports::Response response;
    response.status = 200;
    done(std::move(response));
  });
}

void UserWorld::ListAndWatch(ports::Resource resource, Decode /*decode*/, Sink sink) {
  sinks_[resource.plural] = std::move(sink);
}

}  // namespace muster::controllers::testing
