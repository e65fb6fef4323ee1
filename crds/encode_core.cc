#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "crds/encode.h"
#include "crds/encode_json.h"
#include "crds/json_text.h"
#include "crds/lease.h"
#include "crds/time.h"

namespace muster::crds {
namespace {

PodConditionPatch ConditionOf(const char* type, const char* status) {
  PodConditionPatch patch;
  patch.condition.type = type;
  patch.condition.status = status;
  return patch;
}

}  // namespace

std::string EncodeBinding(const Binding& binding) {
  std::string out = R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)";
  AppendQuoted(out, binding.pod);
  const auto add = [&out](std::string_view key, std::string_view value) {
    out += key;
    AppendQuoted(out, value);
  };
  add(R"(,"namespace":)", binding.ns);
  if (!binding.uid.empty()) add(R"(,"uid":)", binding.uid);
  if (!binding.resource_version.empty()) add(R"(,"resourceVersion":)", binding.resource_version);
  std::string_view before = R"(,"annotations":{)";
  for (const auto& [key, value] : binding.annotations) {
    add(std::exchange(before, ","), key);
    add(":", value);
  }
  if (!binding.annotations.empty()) out += '}';
  // Only target.kind Node makes the server copy the topology labels of the node to the pod.
  add(R"(},"target":{"kind":"Node","name":)", binding.node);
  out += "}}";
  return out;
}

std::string EncodeDeletePod(const std::string& uid) {
  return Dump({{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", uid}}}});
}

// Conditions merge by type, so one in the list leaves the others alone.
std::string EncodePodCondition(const PodConditionPatch& patch) {
  Json meta = Json::object();
  SetIfNotEmpty(meta, "uid", patch.uid);
  SetIfNotEmpty(meta, "resourceVersion", patch.resource_version);
  Json condition = {{"type", patch.condition.type},
                    {"status", patch.condition.status},
                    {"reason", patch.condition.reason},
                    {"message", patch.condition.message},
                    {"lastProbeTime", nullptr},
                    {"lastTransitionTime", FormatTime(patch.condition.last_transition_ms)}};
  if (patch.condition.observed_generation != 0) {
    condition["observedGeneration"] = patch.condition.observed_generation;
  }
  Json body = Json::object();
  if (!meta.empty()) body["metadata"] = std::move(meta);
  body["status"]["conditions"].push_back(std::move(condition));
  return Dump(body);
}

PodConditionPatch PodUnscheduled(const ObjectMeta& pod, std::string reason, std::string message,
                                 std::int64_t now_ms) {
  PodConditionPatch patch = ConditionOf("PodScheduled", "False");
  patch.uid = pod.uid;
  patch.resource_version = pod.resource_version;
  patch.condition.reason = std::move(reason);
  patch.condition.message = std::move(message);
  patch.condition.observed_generation = pod.generation;
  patch.condition.last_transition_ms = now_ms;
  return patch;
}

PodConditionPatch PodDisrupted(const ObjectMeta& pod, std::string reason, std::string message,
                               std::int64_t now_ms) {
  PodConditionPatch patch = ConditionOf("DisruptionTarget", "True");
  patch.uid = pod.uid;
  patch.condition.reason = std::move(reason);
  patch.condition.message = std::move(message);
  patch.condition.observed_generation = pod.generation;
  patch.condition.last_transition_ms = now_ms;
  return patch;
}

// The fields that events.k8s.io/v1 wants on create; series and the deprecated ones must be unset.
std::string EncodeEvent(const Event& event) {
  Json regarding = {{"kind", event.regarding.kind}};
  SetIfNotEmpty(regarding, "namespace", event.regarding.ns);
  regarding["name"] = event.regarding.name;
  SetIfNotEmpty(regarding, "uid", event.regarding.uid);
  regarding["apiVersion"] = event.regarding.api_version;
  return Dump({{"apiVersion", "events.k8s.io/v1"},
               {"kind", "Event"},
               {"metadata", {{"name", event.name}, {"namespace", event.ns}}},
               {"eventTime", FormatMicroTime(event.time_ms)},
               {"reportingController", event.controller},
               {"reportingInstance", event.instance},
               {"action", event.action},
               {"reason", event.reason},
               {"regarding", std::move(regarding)},
               {"note", event.note},
               {"type", event.type}});
}

std::string EncodeEventSeries(std::int32_t count, std::int64_t last_seen_ms) {
  return Dump(
      {{"series", {{"count", count}, {"lastObservedTime", FormatMicroTime(last_seen_ms)}}}});
}

std::string EventName(const std::string& object, std::uint64_t unique) {
  std::array<char, 24> hex{};
  (void)std::snprintf(hex.data(), hex.size(), ".%016llx", static_cast<unsigned long long>(unique));
  // An object's name may have 253 characters, and so may the event's.
  constexpr std::size_t kSuffix = 17;
  constexpr std::size_t kNameMax = 253;
  return object.substr(0, kNameMax - kSuffix) + hex.data();
}

std::string EncodeLease(const Lease& lease) {
  Json body = Json::parse(lease.body, nullptr, false);
  if (!body.is_object()) {
    body = {{"apiVersion", "coordination.k8s.io/v1"},
            {"kind", "Lease"},
            {"metadata", {{"name", lease.meta.name}, {"namespace", lease.meta.ns}}}};
  }
  Json& spec = body["spec"];
  if (!spec.is_object()) spec = Json::object();
  spec["holderIdentity"] = lease.holder;
  spec["leaseDurationSeconds"] = lease.duration_seconds;
  spec["acquireTime"] = lease.acquire_time;
  spec["renewTime"] = lease.renew_time;
  spec["leaseTransitions"] = lease.transitions;
  return Dump(body);
}

std::string EncodeNamespace(const std::string& name) {
  return Dump({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}});
}

}  // namespace muster::crds
