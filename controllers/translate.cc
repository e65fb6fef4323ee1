#include "controllers/translate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "controllers/conditions.h"
#include "controllers/entry.h"
#include "controllers/numbers.h"
#include "controllers/selectors.h"
#include "crds/pod_request.h"
#include "crds/quantity.h"
#include "scheduler/base/amount.h"

namespace muster::controllers {
namespace {

using scheduler::PodSeen;
using scheduler::PodState;

constexpr std::string_view kSystemClassPrefix = "system-";
// More than any gang has, and no sum of it wraps.
constexpr std::int32_t kSucceededMax = 1'000'000'000;

// "" also for a key that is there without a value: no label of ours means anything then.
std::string ValueOf(const crds::StringMap& map, std::string_view key) {
  const auto it = map.find(key);
  return it == map.end() ? "" : it->second;
}

scheduler::Labels ToLabels(const crds::StringMap& map) {
  return {map.begin(), map.end()};
}

// "a100, h100": sorted, without repeats and empty parts.
std::vector<std::string> ToList(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) out.emplace_back(part);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Bytes; 0 without a text, -1 where it is no quantity, or none of something.
std::int64_t ToBytes(const std::string& text) {
  if (text.empty()) return 0;
  const auto quantity = crds::ParseQuantity(text, Unit::kWhole);
  return quantity.ok() && quantity.value().amount > 0 ? quantity.value().amount : -1;
}

// A rank is what a launcher counts with: whole, from 0.
std::optional<std::int32_t> ToRank(std::string_view text) {
  const auto rank = NumberIn<std::int32_t>(text);
  return rank && *rank >= 0 ? rank : std::nullopt;
}

// The index of a Job's pod is a label and an annotation (the label came later).
std::int32_t RankOf(const crds::Pod& pod) {
  constexpr std::string_view kJobIndex = "batch.kubernetes.io/job-completion-index";
  const std::array<std::string, 4> texts = {
      ValueOf(pod.meta.labels, "muster.dev/rank"), ValueOf(pod.meta.labels, kJobIndex),
      ValueOf(pod.meta.annotations, kJobIndex),
      ValueOf(pod.meta.labels, "apps.kubernetes.io/pod-index")};
  for (const std::string& text : texts) {
    if (const auto rank = ToRank(text)) return *rank;
  }
  return -1;
}

// Scheduled=True is the latest run whole. Of one that lost a member the condition is False, but the
// start time stays while something of it is left.
bool HasRun(const crds::PodGroupStatus& status) {
  return HasTrue(status.conditions, "Scheduled") || status.start_ms.has_value();
}

// The schema refuses what lies outside. Where it was loosened, or did not see the object, the gang
// waits with this text, and the core is given what it can count with.
struct Bounds {
  std::int32_t low = 1, high = 0;
};
std::int32_t Within(std::int32_t value, Bounds bounds, std::string_view field,
                    std::string& invalid) {
  if (value >= bounds.low && value <= bounds.high) return value;
  if (invalid.empty()) {
    invalid.append("spec.").append(field).append(": ").append(std::to_string(value));
    invalid.append(" is not between ").append(std::to_string(bounds.low));
    invalid.append(" and ").append(std::to_string(bounds.high));
  }
  return std::clamp(value, bounds.low, bounds.high);
}

// Their sum fits the integer, for there are not too many of them.
std::vector<scheduler::SubGroup> SubGroupsOf(const crds::PodGroup& group, Bounds members,
                                             std::string& invalid) {
  constexpr std::size_t kMost = 32;
  std::vector<scheduler::SubGroup> out;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < group.sub_groups.size() && invalid.empty(); ++i) {
    const crds::PodGroup::SubGroup& sub = group.sub_groups[i];
    const std::string at = "subGroups[" + std::to_string(i) + "]";
    if (i == kMost) invalid = "spec.subGroups: more than " + std::to_string(kMost);
    if (sub.name.empty()) invalid = "spec." + at + ".name: missing";
    if (!names.insert(sub.name).second)
      invalid = "spec." + at + ".name: " + sub.name + " is repeated";
    const std::int32_t minimum = Within(sub.min_member, members, at + ".minMember", invalid);
    out.push_back({sub.name, minimum});
  }
  if (!invalid.empty()) out.clear();
  return out;
}

bool IsTerminal(const crds::Pod& pod) {
  return pod.phase == "Succeeded" || pod.phase == "Failed";
}

// The end counts whatever else is said: a pod that ended on a node uses nothing there.
PodState StateOf(const crds::Pod& pod) {
  if (pod.phase == "Succeeded") return PodState::kSucceeded;
  if (pod.phase == "Failed") return PodState::kFailed;
  if (!pod.node_name.empty()) return PodState::kBound;
  return pod.scheduling_gates > 0 ? PodState::kGated : PodState::kPending;
}

// spec.nodeName is no wish: with it a pod is bound. So the shape names no node.
scheduler::PodShape ShapeOf(const crds::Pod& pod) {
  scheduler::PodShape shape;
  shape.requests = crds::EffectiveRequest(pod);
  shape.node_selector = ToLabels(pod.node_selector);
  shape.has_required_affinity = pod.required_affinity.has_value();
  if (pod.required_affinity.has_value()) shape.required_affinity = ToTerms(*pod.required_affinity);
  shape.preferred_affinity = ToPreferred(pod.preferred_affinity);
  shape.tolerations = ToTolerations(pod.tolerations);
  shape.gpu_products = ToList(ValueOf(pod.meta.annotations, "muster.dev/gpu-product"));
  shape.gpu_memory_min = ToBytes(ValueOf(pod.meta.annotations, "muster.dev/gpu-memory-min"));
  shape.driver_version_min = ValueOf(pod.meta.annotations, "muster.dev/driver-version-min");
  shape.rdma = ValueOf(pod.meta.annotations, "muster.dev/rdma");
  shape.model = ValueOf(pod.meta.annotations, "muster.dev/model");
  shape.model_required = ValueOf(pod.meta.annotations, "muster.dev/model-required") == "true";
  return shape;
}

// The name under which nodes report it, as far as kube-scheduler goes (normalizedImageName of its
// plugin ImageLocality): the registry is not filled in.
std::string WithTag(const std::string& image) {
  const std::size_t colon = image.rfind(':');  // Of a digest, too; before a slash of a port.
  const std::size_t slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : image + ":latest";
}

std::vector<std::string> ImagesOf(const crds::Pod& pod) {
  std::vector<std::string> images;
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const crds::Container& container : *containers) {
      images.push_back(WithTag(container.image));
    }
  }
  std::ranges::sort(images);
  return images;
}

// By name; of a name that is there twice the largest size.
std::vector<scheduler::NodeImage> ToNodeImages(const std::vector<crds::NodeImage>& images) {
  std::vector<scheduler::NodeImage> out;
  for (const crds::NodeImage& image : images) {
    const std::int64_t size = ClipAmount(image.size_bytes);
    for (const std::string& name : image.names) out.push_back({name, size});
  }
  std::ranges::sort(out, [](const auto& a, const auto& b) {
    return a.name != b.name ? a.name < b.name : a.size > b.size;
  });
  const auto repeats = std::ranges::unique(out, {}, &scheduler::NodeImage::name);
  out.erase(repeats.begin(), repeats.end());
  return out;
}

// The label, until our Binding says for good what it was.
std::string SubGroupOf(const crds::Pod& pod) {
  const bool pinned =
      !pod.node_name.empty() && !ValueOf(pod.meta.annotations, kJournalAnnotation).empty();
  return pinned ? ValueOf(pod.meta.annotations, kAdmittedSubGroupAnnotation)
                : LabelledSubGroup(pod);
}

crds::Condition ScheduledOf(const crds::Pod& pod) {
  for (const crds::Condition& condition : pod.conditions) {
    if (condition.type == "PodScheduled") return condition;
  }
  return {};
}

}  // namespace

scheduler::Key GangOf(const crds::Pod& pod) {
  std::string group = ValueOf(pod.meta.labels, kPodGroupLabel);
  if (group.empty()) return {pod.meta.ns, pod.meta.name, true};
  return {pod.meta.ns, std::move(group), false};
}

std::string LabelledSubGroup(const crds::Pod& pod) {
  return ValueOf(pod.meta.labels, kSubGroupLabel);
}

PodRecord RecordOf(const crds::Pod& pod, scheduler::Key gang) {
  PodRecord record;
  record.key = {pod.meta.ns, pod.meta.name};
  record.gang = std::move(gang);
  record.uid = pod.meta.uid;
  record.resource_version = pod.meta.resource_version;
  record.node = pod.node_name;
  record.pins = {.queue = ValueOf(pod.meta.annotations, kAdmittedQueueAnnotation),
                 .group_uid = ValueOf(pod.meta.annotations, kAdmittedGroupUidAnnotation),
                 .journal = ValueOf(pod.meta.annotations, kJournalAnnotation),
                 .label = ValueOf(pod.meta.labels, kQueueLabel),
                 .sub_group = SubGroupOf(pod)};
  const auto owner = std::find_if(pod.meta.owners.begin(), pod.meta.owners.end(),
                                  [](const auto& reference) { return reference.controller; });
  if (owner != pod.meta.owners.end()) record.owner = owner->uid;
  record.generation = pod.meta.generation;
  record.terminating = pod.meta.deletion_ms.has_value();
  record.terminal = IsTerminal(pod);
  record.scheduled = ScheduledOf(pod);
  return record;
}

PodSeen TranslatePod(const crds::Pod& pod, std::string_view scheduler_name) {
  PodSeen out;
  out.uid = pod.meta.uid;
  out.key = {pod.meta.ns, pod.meta.name};
  out.shape = ShapeOf(pod);
  out.state = StateOf(pod);
  out.ours = pod.scheduler_name == scheduler_name;
  out.terminating = pod.meta.deletion_ms.has_value();
  out.running = pod.phase == "Running";
  out.priority = pod.priority;
  out.node = pod.node_name;
  out.created = {pod.meta.creation_ms};
  if (!out.ours) return out;
  out.gang = GangOf(pod);
  const bool waits = out.state == PodState::kPending || out.state == PodState::kGated;
  if (waits) out.images = ImagesOf(pod);
  out.rank = RankOf(pod);
  out.sub_group = SubGroupOf(pod);
  out.queue = ValueOf(pod.meta.labels, kQueueLabel);
  // Anybody may write these onto pods of other schedulers.
  out.admitted_queue = ValueOf(pod.meta.annotations, kAdmittedQueueAnnotation);
  out.admitted_group_uid = ValueOf(pod.meta.annotations, kAdmittedGroupUidAnnotation);
  const auto id = JournalId(ValueOf(pod.meta.annotations, kJournalAnnotation));
  out.bound_by = id.value_or(0);
  out.journalled = id.has_value();
  return out;
}

scheduler::NodeSeen TranslateNode(const crds::Node& node) {
  scheduler::NodeSeen out;
  out.name = node.meta.name;
  out.uid = node.meta.uid;
  out.allocatable = node.allocatable;
  out.ready = node.ready;
  out.unschedulable = node.unschedulable;
  out.labels = ToLabels(node.meta.labels);
  out.taints = ToTaints(node.taints);
  out.cached_models = ToList(ValueOf(node.meta.annotations, "muster.dev/cached-models"));
  out.images = ToNodeImages(node.images);
  return out;
}

scheduler::GangSeen TranslatePodGroup(const crds::PodGroup& group) {
  constexpr std::int64_t kMsPerSecond = 1'000;
  scheduler::GangSeen out;
  out.uid = group.meta.uid;
  out.key = {group.meta.ns, group.meta.name};
  out.queue_named = !group.queue.empty();
  out.queue = group.queue;
  constexpr Bounds kMembers{.low = 1, .high = 100'000};
  out.min_member = Within(group.min_member, kMembers, "minMember", out.invalid);
  out.sub_groups = SubGroupsOf(group, kMembers, out.invalid);
  std::int32_t sum = 0;
  for (const scheduler::SubGroup& sub : out.sub_groups) sum += sub.min_member;
  out.min_member = std::max(out.min_member, sum);
  out.topology = {group.topology.required, group.topology.preferred};
  out.priority_class = group.priority_class_name;
  constexpr Bounds kTimeout{.low = 1, .high = 86'400};
  out.timeout_ms = kMsPerSecond * Within(group.schedule_timeout_seconds, kTimeout,
                                         "scheduleTimeoutSeconds", out.invalid);
  out.created = {group.meta.creation_ms};
  out.generation = group.meta.generation;
  if (group.status.has_value()) {
    // Survives the pods that it counts, and this process.
    out.succeeded = std::clamp(group.status->members.succeeded, 0, kSucceededMax);
    out.ran = HasRun(*group.status);
    if (group.status->admission) out.admitted_queue = group.status->admission->queue;
  }
  if (group.priority_class_name.starts_with(kSystemClassPrefix)) {
    out.invalid = "spec.priorityClassName: " + group.priority_class_name +
                  " is for system pods; a gang has at most 1000000000";
  }
  return out;
}

scheduler::NamespaceSeen TranslateNamespace(const crds::Namespace& ns) {
  return {.name = ns.meta.name,
          .labels = ToLabels(ns.meta.labels),
          .default_queue = ValueOf(ns.meta.annotations, "muster.dev/default-queue")};
}

scheduler::PriorityClassSeen TranslatePriorityClass(const crds::PriorityClass& priority_class) {
  return {priority_class.meta.name, priority_class.value};
}

}  // namespace muster::controllers
