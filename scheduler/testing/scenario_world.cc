#include "scheduler/testing/scenario_world.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "scheduler/base/check.h"
#include "scheduler/testing/builders.h"

namespace muster::scheduler::testing {
namespace {

using StringPair = std::pair<std::string, std::string>;

StringPair Split(const std::string& text, char at) {
  const std::size_t pos = text.find(at);
  if (pos == std::string::npos) return {text, ""};
  return {text.substr(0, pos), text.substr(pos + 1)};
}

std::vector<std::string> SplitAll(const std::string& text) {
  std::vector<std::string> parts;
  for (StringPair rest{"", text}; !rest.second.empty();) {
    rest = Split(rest.second, ',');
    parts.push_back(rest.first);
  }
  return parts;
}

// "train" lies in the namespace default.
Key KeyOf(const std::string& text) {
  const auto [ns, name] = Split(text, '/');
  return name.empty() ? Key{.ns = "default", .name = ns} : Key{.ns = ns, .name = name};
}
std::string Full(const Key& key) {
  return key.ns + "/" + key.name;
}

TaintEffect EffectOf(const std::string& text) {
  if (text == "NoExecute") return TaintEffect::kNoExecute;
  if (text == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  return TaintEffect::kNoSchedule;
}

// A word that is none of the options is RESOURCE=QUANTITY.
std::optional<std::pair<std::string, std::int64_t>> ResourceOf(const StringPair& option) {
  static const std::vector<std::string> kOptions = {
      "queue",   "min",      "pods",     "priority",  "timeout", "model",
      "product", "required", "selector", "tolerate",  "label",   "taint",
      "models",  "sub",      "subs",     "preferred", "images"};
  const auto& [name, value] = option;
  if (value.empty() || name.find('.') == 0) return std::nullopt;
  if (std::find(kOptions.begin(), kOptions.end(), name) != kOptions.end()) return std::nullopt;
  return std::pair{name, ParseAmount(name, value)};
}

void SetShapeOption(PodShape& shape, const StringPair& option) {
  const auto& [name, value] = option;
  if (name == "selector") shape.node_selector.push_back(Split(value, '='));
  if (name == "tolerate") {
    Toleration toleration;
    std::tie(toleration.key, toleration.value) = Split(value, '=');
    toleration.any_effect = true;
    shape.tolerations.push_back(toleration);
  }
  if (name == "model") shape.model = value;
  if (name == "model-required") shape.model_required = true;
  if (name == "product") shape.gpu_products = SplitAll(value);
  if (const auto resource = ResourceOf(option)) shape.requests.push_back(*resource);
}

std::vector<NodeImage> NodeImages(const std::string& text) {
  std::vector<NodeImage> images;
  for (const std::string& one : SplitAll(text)) {
    const auto [name, size] = Split(one, '=');
    images.push_back({name, ParseAmount("memory", size)});
  }
  std::ranges::sort(images);
  return images;
}

std::int32_t Number(const std::string& text) {
  return static_cast<std::int32_t>(ParseAmount("pods", text));
}

std::string Option(const std::vector<std::string>& words, const std::string& name,
                   const std::string& otherwise) {
  for (const std::string& word : words) {
    const auto [key, value] = Split(word, '=');
    if (key == name) return value;
  }
  return otherwise;
}

}  // namespace

ScenarioWorld::ScenarioWorld()
    : policy_(DefaultPolicy()), scheduler_(policy_), now_{Ticks{1000}, Wall{1'000'000}} {
  Begin();
}

void ScenarioWorld::Begin() {
  scheduler_.Apply(NamespaceSeen{.name = "default", .labels = {}});
  scheduler_.Apply(Synced{});
}

std::string ScenarioWorld::Send(const Event& event) {
  scheduler_.Apply(event);
  return {};
}

std::string ScenarioWorld::Levels(const Words& words) {
  if (scheduler_.cluster().node_rows() > 0 || created_ > 0) return "ERROR levels come first\n";
  std::vector<TopologyLevel> levels;
  for (const std::string& word : words) {
    const auto [name, label] = Split(word, '=');
    levels.push_back({name, label});
  }
  const Result<void> set = policy_.SetLevels(std::move(levels));
  if (!set.ok()) return "ERROR " + set.error().message + "\n";
  scheduler_ = Scheduler(policy_);
  Begin();
  return {};
}

std::string ScenarioWorld::Queue(const Words& words) {
  QueueSeen queue = MakeQueue(words.at(0));
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto [name, value] = Split(words[i], '=');
    if (name == "selector") {
      queue.has_selector = value != "none";
      const auto [key, wanted] = Split(value, '=');
      if (queue.has_selector) {
        queue.namespace_selector.push_back({Requirement::Op::kIn, key, {wanted}});
      }
    } else if (name == "stopped") {
      queue.stopped = true;
    } else if (name == "misconfigured") {
      queue.misconfigured = value;
    } else {
      const auto [nominal, borrow] = Split(value, ':');
      QueueSeen::Quota quota;
      quota.resource = name;
      quota.nominal = ParseAmount(name, nominal);
      quota.limited = !borrow.empty();
      if (quota.limited) quota.borrowing_limit = ParseAmount(name, borrow);
      queue.resources.push_back(quota);
    }
  }
  std::sort(queue.resources.begin(), queue.resources.end(),
            [](const auto& a, const auto& b) { return a.resource < b.resource; });
  return Send(queue);
}

std::string ScenarioWorld::QueueGoes(const Words& words) {
  return Send(QueueGone{words.at(0)});
}

std::string ScenarioWorld::Namespace(const Words& words) {
  NamespaceSeen seen{.name = words.at(0), .labels = {}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const StringPair option = Split(words[i], '=');
    if (option.first == "default-queue") {
      seen.default_queue = option.second;
    } else {
      seen.labels.push_back(option);
    }
  }
  std::sort(seen.labels.begin(), seen.labels.end());
  return Send(seen);
}

std::string ScenarioWorld::Node(const Words& words) {
  NodeSeen node = MakeNode(words.at(0), {});
  for (std::size_t i = 1; i < words.size(); ++i) {
    const StringPair option = Split(words[i], '=');
    if (option.first == "label") node.labels.push_back(Split(option.second, '='));
    if (option.first == "taint") {
      const auto [taint, effect] = Split(option.second, ':');
      const auto [key, value] = Split(taint, '=');
      node.taints.push_back({key, value, EffectOf(effect)});
    }
    if (option.first == "cordoned") node.unschedulable = true;
    if (option.first == "notready") node.ready = false;
    if (option.first == "models") node.cached_models = SplitAll(option.second);
    if (option.first == "images") node.images = NodeImages(option.second);
    if (const auto resource = ResourceOf(option)) node.allocatable.push_back(*resource);
    if (option.first == "pods") {
      for (auto& [name, amount] : node.allocatable) {
        if (name == "pods") amount = Number(option.second);
      }
    }
  }
  std::sort(node.labels.begin(), node.labels.end());
  std::sort(node.allocatable.begin(), node.allocatable.end());
  return Send(node);
}

std::string ScenarioWorld::NodeGoes(const Words& words) {
  return Send(NodeGone{words.at(0)});
}

PodSeen ScenarioWorld::NewPod(const Words& words, std::size_t first) {
  PodSeen pod;
  pod.state = PodState::kPending;
  pod.ours = true;
  pod.created = Wall{created_ += 1000};
  for (std::size_t i = first; i < words.size(); ++i) {
    const StringPair option = Split(words[i], '=');
    SetShapeOption(pod.shape, option);
    if (option.first == "priority") pod.priority = Number(option.second);
    if (option.first == "gated") pod.state = PodState::kGated;
    if (option.first == "sub") pod.sub_group = option.second;
    if (option.first == "images") pod.images = SplitAll(option.second);
  }
  std::sort(pod.shape.requests.begin(), pod.shape.requests.end());
  std::ranges::sort(pod.images);
  return pod;
}

void ScenarioWorld::AddMembers(const std::string& gang, std::int32_t first, std::int32_t last,
                               const PodSeen& like) {
  for (std::int32_t i = first; i <= last; ++i) {
    PodSeen pod = like;
    pod.gang = KeyOf(gang);
    pod.key = {.ns = pod.gang.ns, .name = pod.gang.name + "-" + std::to_string(i)};
    pod.uid = "uid-" + Full(pod.key) + "-" + std::to_string(created_);
    pod.rank = i;
    pods_[Full(pod.key)] = pod;
    Send(pod);
  }
}

std::string ScenarioWorld::Group(const Words& words) {
  GangSeen gang;
  gang.key = KeyOf(words.at(0));
  gang.created = Wall{created_ += 1000};
  gang.uid = "uid-group-" + Full(gang.key) + "-" + std::to_string(created_);
  gang.queue = Option(words, "queue", "");
  gang.queue_named = !gang.queue.empty();
  gang.min_member = Number(Option(words, "min", Option(words, "pods", "1")));
  std::int32_t sum = 0;
  for (const std::string& text : SplitAll(Option(words, "subs", ""))) {
    const auto [name, minimum] = Split(text, ':');
    gang.sub_groups.push_back({name, Number(minimum)});
    sum += gang.sub_groups.back().min_member;
  }
  gang.min_member = std::max(gang.min_member, sum);
  gang.topology = {Option(words, "required", ""), Option(words, "preferred", "")};
  gang.timeout_ms = std::int64_t{Number(Option(words, "timeout", "300"))} * 1000;
  gang.ran = std::find(words.begin(), words.end(), "ran") != words.end();
  const auto old = gangs_.find(Full(gang.key));
  if (old != gangs_.end()) {
    gang.uid = old->second.uid;  // An edit.
    gang.created = old->second.created;
  }
  gangs_[Full(gang.key)] = gang;
  return Send(gang);
}

std::string ScenarioWorld::Gang(const Words& words) {
  Group(words);
  const std::int32_t pods = Number(Option(words, "pods", Option(words, "min", "1")));
  AddMembers(words.at(0), 0, pods - 1, NewPod(words, 1));
  return {};
}

std::string ScenarioWorld::GroupGoes(const Words& words) {
  const Key key = KeyOf(words.at(0));
  gangs_.erase(Full(key));
  return Send(GangGone{key});
}

std::string ScenarioWorld::Pods(const Words& words) {
  const std::string& range = words.at(1);
  const std::size_t dots = range.find("..");
  const std::string first = range.substr(0, dots);
  const std::string last = dots == std::string::npos ? first : range.substr(dots + 2);
  AddMembers(words.at(0), Number(first), Number(last), NewPod(words, 2));
  return {};
}

std::string ScenarioWorld::Pod(const Words& words) {
  PodSeen pod = NewPod(words, 1);
  pod.key = KeyOf(words.at(0));
  pod.gang = {.ns = pod.key.ns, .name = pod.key.name, .single_pod = true};
  pod.uid = "uid-" + Full(pod.key) + "-" + std::to_string(created_);
  pod.queue = Option(words, "queue", "");
  pods_[Full(pod.key)] = pod;
  return Send(pod);
}

std::string ScenarioWorld::Foreign(const Words& words) {
  PodSeen pod = NewPod(words, 2);
  pod.key = KeyOf(words.at(0));
  pod.uid = "uid-" + Full(pod.key) + "-" + std::to_string(created_);
  pod.ours = false;
  pod.state = PodState::kBound;
  pod.node = words.at(1);
  pods_[Full(pod.key)] = pod;
  return Send(pod);
}

PodSeen* ScenarioWorld::Find(const Words& words) {
  const auto it = pods_.find(Full(KeyOf(words.at(0))));
  return it == pods_.end() ? nullptr : &it->second;
}

void ScenarioWorld::BindPod(PodSeen& pod, const std::string& node) {
  const auto gang = gangs_.find(Full(pod.gang));
  const bool grouped = !pod.gang.single_pod && gang != gangs_.end();
  const Cluster& cluster = scheduler_.cluster();
  const std::optional<GangId> row = cluster.FindGang(pod.gang);
  const std::string queue =
      row ? cluster.queue(cluster.gang(*row).queue).spec.name : std::string(kDefaultQueue);
  pod = BoundTo(pod, node, queue, grouped ? gang->second.uid : "");
  Send(pod);
}

std::string ScenarioWorld::Bound(const Words& words) {
  PodSeen* pod = Find(words);
  if (pod == nullptr) return "ERROR no such pod\n";
  BindPod(*pod, words.at(1));
  return {};
}

std::string ScenarioWorld::Placed(const Words& words) {
  PodSeen* pod = Find(words);
  if (pod == nullptr) return "ERROR no such pod\n";
  *pod = BoundTo(*pod, words.at(1), "", "");
  return Send(*pod);
}

std::string ScenarioWorld::Repin(const Words& words) {
  PodSeen* pod = Find(words);
  if (pod == nullptr) return "ERROR no such pod\n";
  pod->admitted_queue = Option(words, "queue", pod->admitted_queue);
  const std::string group = Option(words, "group", "");
  const auto found = gangs_.find(Full(KeyOf(group)));
  if (!group.empty() && found == gangs_.end()) return "ERROR no such group\n";
  if (!group.empty()) pod->admitted_group_uid = found->second.uid;
  return Send(*pod);
}

std::string ScenarioWorld::Becomes(const Words& words, PodState state) {
  PodSeen* pod = Find(words);
  if (pod == nullptr) return "ERROR no such pod\n";
  pod->state = state;
  pod->running = state == PodState::kBound;
  return Send(*pod);
}

std::string ScenarioWorld::Terminating(const Words& words) {
  PodSeen* pod = Find(words);
  if (pod == nullptr) return "ERROR no such pod\n";
  pod->terminating = true;
  return Send(*pod);
}

std::string ScenarioWorld::PodGoes(const Words& words) {
  PodSeen* pod = Find(words);
  if (pod == nullptr) return "ERROR no such pod\n";
  const Uid uid = pod->uid;
  pods_.erase(Full(pod->key));
  return Send(PodGone{uid});
}

}  // namespace muster::scheduler::testing
