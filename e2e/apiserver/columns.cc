#include "e2e/apiserver/columns.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "e2e/apiserver/conditions.h"
#include "e2e/apiserver/crd.h"
#include "e2e/apiserver/time_text.h"
#include "e2e/apiserver/workload_columns.h"

namespace muster::e2e {
namespace {

constexpr const char* kNone = "<none>";
constexpr const char* kUnknown = "<unknown>";

struct Short {
  const char* name = "";
  std::int64_t priority = 0;
  const char* type = "string";
};

std::vector<ColumnDefinition> Make(std::initializer_list<Short> columns) {
  std::vector<ColumnDefinition> made;
  for (const Short& one : columns) {
    const bool is_name = std::string_view(one.name) == "Name";
    made.push_back({.name = one.name,
                    .type = one.type,
                    .format = is_name ? "name" : "",
                    .description = "",
                    .priority = one.priority});
  }
  return made;
}

std::string Age(const Json* time, std::int64_t now_ms) {
  if (time == nullptr || !time->is_string()) return kUnknown;
  const auto ms = ParseTime(time->get_ref<const std::string&>());
  return ms ? AgeText(now_ms - *ms) : "<invalid>";
}

std::string Age(const Json& object, std::int64_t now_ms) {
  return Age(Find(object, {"metadata", "creationTimestamp"}), now_ms);
}

std::string TextOr(const Json& object, Path path, const char* otherwise) {
  const std::string& text = StringAt(object, path);
  return text.empty() ? otherwise : text;
}

std::string NameOf(const Json& object) {
  return StringAt(object, {"metadata", "name"});
}

const Json& Items(const Json& object, Path path) {
  static const Json empty = Json::array();
  const Json* found = Find(object, path);
  return found != nullptr && found->is_array() ? *found : empty;
}

// What a container says of itself, if it is not just running.
std::string ContainerReason(const Json& status) {
  const std::string& waiting = StringAt(status, {"state", "waiting", "reason"});
  if (!waiting.empty()) return waiting;
  const Json* ended = Find(status, {"state", "terminated"});
  if (ended == nullptr) return "";
  const std::string& reason = StringAt(*ended, {"reason"});
  if (!reason.empty()) return reason;
  return "ExitCode:" + std::to_string(IntAt(*ended, {"exitCode"}).value_or(0));
}

std::string PodStatus(const Json& pod) {
  const std::string& phase = StringAt(pod, {"status", "phase"});
  std::string text = TextOr(pod, {"status", "reason"}, phase.c_str());
  const Json* scheduled = FindCondition(pod, "PodScheduled");
  if (scheduled != nullptr && StringAt(*scheduled, {"reason"}) == "SchedulingGated") {
    text = "SchedulingGated";
  }
  for (const Json& status : Items(pod, {"status", "containerStatuses"})) {
    const std::string reason = ContainerReason(status);
    if (!reason.empty()) text = reason;
  }
  const bool ended = phase == "Succeeded" || phase == "Failed";
  const bool deleting = Find(pod, {"metadata", "deletionTimestamp"}) != nullptr;
  return deleting && !ended ? "Terminating" : text;
}

Json PodCells(const Json& pod, std::int64_t now_ms) {
  std::int64_t ready = 0;
  std::int64_t restarts = 0;
  for (const Json& status : Items(pod, {"status", "containerStatuses"})) {
    if (BoolAt(status, {"ready"})) ++ready;
    restarts += IntAt(status, {"restartCount"}).value_or(0);
  }
  const std::size_t total = Items(pod, {"spec", "containers"}).size();
  return {NameOf(pod),
          std::to_string(ready) + "/" + std::to_string(total),
          PodStatus(pod),
          std::to_string(restarts),
          Age(pod, now_ms),
          TextOr(pod, {"status", "podIP"}, kNone),
          TextOr(pod, {"spec", "nodeName"}, kNone),
          TextOr(pod, {"status", "nominatedNodeName"}, kNone),
          kNone};
}

std::string NodeStatus(const Json& node) {
  const Json* ready = FindCondition(node, "Ready");
  std::string text = "Unknown";
  if (ready != nullptr) text = StringAt(*ready, {"status"}) == "True" ? "Ready" : "NotReady";
  if (BoolAt(node, {"spec", "unschedulable"})) text += ",SchedulingDisabled";
  return text;
}

std::string NodeRoles(const Json& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::string roles;
  const Json* labels = Find(node, {"metadata", "labels"});
  if (labels == nullptr) return kNone;
  for (const auto& [label, value] : labels->items()) {
    if (!label.starts_with(kPrefix)) continue;
    roles += (roles.empty() ? "" : ",") + label.substr(kPrefix.size());
  }
  return roles.empty() ? kNone : roles;
}

std::string NodeAddress(const Json& node, std::string_view type) {
  for (const Json& address : Items(node, {"status", "addresses"})) {
    if (StringAt(address, {"type"}) == type) return StringAt(address, {"address"});
  }
  return kNone;
}

Json NodeCells(const Json& node, std::int64_t now_ms) {
  return {NameOf(node),
          NodeStatus(node),
          NodeRoles(node),
          Age(node, now_ms),
          StringAt(node, {"status", "nodeInfo", "kubeletVersion"}),
          NodeAddress(node, "InternalIP"),
          NodeAddress(node, "ExternalIP"),
          TextOr(node, {"status", "nodeInfo", "osImage"}, kUnknown),
          TextOr(node, {"status", "nodeInfo", "kernelVersion"}, kUnknown),
          TextOr(node, {"status", "nodeInfo", "containerRuntimeVersion"}, kUnknown)};
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return text;
}

std::string EventSource(const Json& event) {
  const std::string& component = StringAt(event, {"source", "component"});
  const std::string& host = StringAt(event, {"source", "host"});
  if (component.empty()) return StringAt(event, {"reportingComponent"});
  return host.empty() ? component : component + ", " + host;
}

Json EventCells(const Json& event, std::int64_t now_ms) {
  const Json* first = Find(event, {"firstTimestamp"});
  if (first == nullptr) first = Find(event, {"eventTime"});
  const Json* last = Find(event, {"lastTimestamp"});
  if (last == nullptr) last = first;
  std::int64_t count = std::max<std::int64_t>(IntAt(event, {"count"}).value_or(0), 1);
  if (const Json* series = Find(event, {"series"})) {
    last = Find(*series, {"lastObservedTime"});
    count = IntAt(*series, {"count"}).value_or(0);
  }
  std::string about = Lower(StringAt(event, {"involvedObject", "kind"}));
  const std::string& name = StringAt(event, {"involvedObject", "name"});
  if (!name.empty()) about += "/" + name;
  return {Age(last, now_ms),
          StringAt(event, {"type"}),
          StringAt(event, {"reason"}),
          about,
          StringAt(event, {"involvedObject", "fieldPath"}),
          EventSource(event),
          StringAt(event, {"message"}),
          Age(first, now_ms),
          count,
          NameOf(event)};
}

Json CustomCell(const PrinterColumn& column, const Json& object, std::int64_t now_ms) {
  const Json* value = column.path.Find(object);
  if (value == nullptr) return nullptr;
  if (column.type == "date") return Age(value, now_ms);
  if (column.type == "string") return value->is_string() ? *value : Json(Dump(*value));
  return *value;
}

Json CustomCells(const Kind& kind, const Json& object, std::int64_t now_ms) {
  Json cells = {NameOf(object)};
  for (const PrinterColumn& column : kind.crd->columns) {
    cells.push_back(CustomCell(column, object, now_ms));
  }
  return cells;
}

std::vector<ColumnDefinition> CustomColumns(const Kind& kind) {
  std::vector<ColumnDefinition> columns = Make({{"Name"}});
  for (const PrinterColumn& column : kind.crd->columns) {
    columns.push_back({.name = column.name,
                       .type = column.type,
                       .format = column.format,
                       .description = column.description,
                       .priority = column.priority});
  }
  return columns;
}

}  // namespace

std::vector<ColumnDefinition> ColumnsOf(const Kind& kind) {
  switch (kind.builtin) {
    case Builtin::kCustom:
      return CustomColumns(kind);
    case Builtin::kPod:
      return Make({{"Name"},
                   {"Ready"},
                   {"Status"},
                   {"Restarts"},
                   {"Age"},
                   {"IP", 1},
                   {"Node", 1},
                   {"Nominated Node", 1},
                   {"Readiness Gates", 1}});
    case Builtin::kNode:
      return Make({{"Name"},
                   {"Status"},
                   {"Roles"},
                   {"Age"},
                   {"Version"},
                   {"Internal-IP", 1},
                   {"External-IP", 1},
                   {"OS-Image", 1},
                   {"Kernel-Version", 1},
                   {"Container-Runtime", 1}});
    case Builtin::kNamespace:
      return Make({{"Name"}, {"Status"}, {"Age"}});
    case Builtin::kEvent:
      return Make({{"Last Seen"},
                   {"Type"},
                   {"Reason"},
                   {"Object"},
                   {"Subobject", 1},
                   {"Source", 1},
                   {"Message"},
                   {"First Seen", 1},
                   {"Count", 1},
                   {"Name", 1}});
    case Builtin::kPriorityClass:
      return Make({{"Name"},
                   {"Value", 0, "integer"},
                   {"Global-Default", 0, "boolean"},
                   {"Age"},
                   {"PreemptionPolicy"}});
    case Builtin::kLease:
      return Make({{"Name"}, {"Holder"}, {"Age"}});
    case Builtin::kJob:
      return Make({{"Name"},
                   {"Status"},
                   {"Completions"},
                   {"Duration"},
                   {"Age"},
                   {"Containers", 1},
                   {"Images", 1},
                   {"Selector", 1}});
    case Builtin::kReplicaSet:
      return Make({{"Name"},
                   {"Desired", 0, "integer"},
                   {"Current", 0, "integer"},
                   {"Ready", 0, "integer"},
                   {"Age"},
                   {"Containers", 1},
                   {"Images", 1},
                   {"Selector", 1}});
    case Builtin::kPodDisruptionBudget:
      return Make({{"Name"},
                   {"Min Available"},
                   {"Max Unavailable"},
                   {"Allowed Disruptions", 0, "integer"},
                   {"Age"}});
    case Builtin::kCrd:
      break;
  }
  return Make({{"Name"}, {"Created At"}});
}

Json CellsOf(const Kind& kind, const Json& object, std::int64_t now_ms) {
  switch (kind.builtin) {
    case Builtin::kCustom:
      return CustomCells(kind, object, now_ms);
    case Builtin::kPod:
      return PodCells(object, now_ms);
    case Builtin::kNode:
      return NodeCells(object, now_ms);
    case Builtin::kNamespace:
      return {NameOf(object), StringAt(object, {"status", "phase"}), Age(object, now_ms)};
    case Builtin::kEvent:
      return EventCells(object, now_ms);
    case Builtin::kPriorityClass:
      return {NameOf(object), IntAt(object, {"value"}).value_or(0),
              BoolAt(object, {"globalDefault"}), Age(object, now_ms),
              StringAt(object, {"preemptionPolicy"})};
    case Builtin::kLease:
      return {NameOf(object), StringAt(object, {"spec", "holderIdentity"}), Age(object, now_ms)};
    case Builtin::kJob:
      return JobCells(object, now_ms);
    case Builtin::kReplicaSet:
      return ReplicaSetCells(object, now_ms);
    case Builtin::kPodDisruptionBudget:
      return BudgetCells(object, now_ms);
    case Builtin::kCrd:
      break;
  }
  return {NameOf(object), StringAt(object, {"metadata", "creationTimestamp"})};
}

}  // namespace muster::e2e
