#include "e2e/apiserver/openapi.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "e2e/apiserver/crd.h"

namespace muster::e2e {
namespace {

Json Parameter(const char* name) {
  return {{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}, {"uniqueItems", true}}}};
}

Json TypeOf(const Kind& kind) {
  return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
}

std::string SchemaName(const Kind& kind) {
  return (kind.group.empty() ? "core" : kind.group) + "." + kind.version + "." + kind.kind;
}

Json Operation(const Kind& kind, const char* action, bool writes) {
  Json operation = {
      {"x-kubernetes-group-version-kind", TypeOf(kind)},
      {"x-kubernetes-action", action},
      {"responses",
       {{"200",
         {{"description", "OK"},
          {"content",
           {{"application/json",
             {{"schema", {{"$ref", "#/components/schemas/" + SchemaName(kind)}}}}}}}}}}}};
  if (writes) {
    operation["parameters"] = {Parameter("dryRun"), Parameter("fieldManager"),
                               Parameter("fieldValidation")};
  }
  return operation;
}

constexpr const char* kMetaName = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

Json TextField(const char* description) {
  return {{"type", "string"}, {"description", description}};
}

Json TextsField(const char* description) {
  return {{"type", "object"},
          {"additionalProperties", {{"type", "string"}}},
          {"description", description}};
}

Json NumberField(const char* description) {
  return {{"type", "integer"}, {"format", "int64"}, {"description", description}};
}

Json TimeField(const char* description) {
  Json time = TextField(description);
  time["format"] = "date-time";
  return time;
}

Json OwnersField() {
  return {
      {"type", "array"},
      {"description",
       "The objects that this one belongs to; it goes when the last of them is gone."},
      {"items",
       {{"type", "object"},
        {"required", {"apiVersion", "kind", "name", "uid"}},
        {"properties",
         {{"apiVersion", TextField("API version of the owner.")},
          {"kind", TextField("Kind of the owner.")},
          {"name", TextField("Name of the owner.")},
          {"uid", TextField("UID of the owner.")},
          {"controller", {{"type", "boolean"}, {"description", "The owner manages this object."}}},
          {"blockOwnerDeletion",
           {{"type", "boolean"},
            {"description", "A foreground deletion of the owner waits for this object."}}}}}}}};
}

Json MetaSchema() {
  return {
      {"type", "object"},
      {"description", "What every object has, whatever its kind."},
      {"properties",
       {{"name", TextField("Unique among the objects of a kind in a namespace; cannot change.")},
        {"generateName",
         TextField("Where name is left out: the beginning of a name that is made up.")},
        {"namespace",
         TextField("The space in which the name is unique; empty for kinds that have none.")},
        {"labels", TextsField("Short texts by which objects are selected.")},
        {"annotations", TextsField("Texts for tools and people; nothing is selected by them.")},
        {"uid",
         TextField("Tells this object from an earlier one of the same name. Set by the server.")},
        {"resourceVersion",
         TextField("Changes with every write. Sent along, it makes a write fail if "
                   "somebody else wrote meanwhile.")},
        {"generation", NumberField("Counts the changes of the wanted state. Set by the server.")},
        {"creationTimestamp", TimeField("When the object was made. Set by the server.")},
        {"deletionTimestamp", TimeField("When the object is to be gone. Set by the server.")},
        {"deletionGracePeriodSeconds",
         NumberField("So long it may take to end. Set by the server.")},
        {"finalizers",
         {{"type", "array"},
          {"items", {{"type", "string"}}},
          {"description", "Who has something to do before the object may go."}}},
        {"ownerReferences", OwnersField()}}}};
}

// One line for each field of a built-in kind that acts here: path, type, what it is.
struct BuiltinFields {
  Builtin kind;
  std::string_view lines;
};

constexpr std::array<BuiltinFields, 10> kBuiltinFields = {{
    {Builtin::kPod, R"(spec|object|What is to run, and where it may.
spec.containers|[]object|What runs, side by side on one node.
spec.containers.name|string|Unique within the pod.
spec.containers.image|string|Where the program comes from.
spec.containers.command|[]string|What is started instead of what the image says.
spec.containers.args|[]string|Arguments of it.
spec.containers.env|[]object|Variables of its environment, each with name and value.
spec.containers.resources|object|How much it needs.
spec.containers.resources.limits|map|At most so much, by resource; for devices also what it asks for.
spec.containers.resources.requests|map|So much is set aside on the node; left out, it is the limit.
spec.initContainers|[]object|What runs before the containers, one after another.
spec.schedulerName|string|Who finds the node: muster, or default-scheduler if left out.
spec.nodeName|string|The node; set by a Binding.
spec.nodeSelector|map|Labels that the node must have.
spec.affinity|object|Which nodes, or nodes beside which pods, are wanted or preferred.
spec.tolerations|[]object|Taints of a node that do not keep the pod away.
spec.tolerations.key|string|Key of the taint; left out, of any.
spec.tolerations.operator|string|Exists, or Equal to the value.
spec.tolerations.value|string|Value of the taint.
spec.tolerations.effect|string|NoSchedule, PreferNoSchedule or NoExecute; left out, all.
spec.tolerations.tolerationSeconds|integer|So long it stays once a taint says NoExecute; left out, for ever.
spec.priorityClassName|string|The PriorityClass.
spec.priority|integer|Its number; set by the server.
spec.schedulingGates|[]object|Names of what has to be cleared away before the pod may be placed.
spec.restartPolicy|string|Always, OnFailure or Never.
spec.terminationGracePeriodSeconds|integer|So long it has to end once it is deleted.
spec.activeDeadlineSeconds|integer|So long it may run.
spec.overhead|map|What it needs beside its containers, by resource.
spec.hostNetwork|boolean|It uses the network of its node.
status|object|What has become of it.
status.phase|string|Pending, Running, Succeeded or Failed.
status.conditions|[]object|PodScheduled, Ready, DisruptionTarget and others, each with its reason.
status.reason|string|Why it failed, in one word.
status.message|string|Why it failed.
status.podIP|string|Its address.
status.nominatedNodeName|string|Where it is to go once there is room.
status.qosClass|string|Guaranteed, Burstable or BestEffort; set by the server.
status.containerStatuses|[]object|Of each container: ready, restartCount, state.)"},
    {Builtin::kNode, R"(spec|object|How the node is to be used.
spec.unschedulable|boolean|No new pod comes here.
spec.taints|[]object|What keeps pods away that do not tolerate it: key, value, effect.
status|object|What the kubelet says of it.
status.capacity|map|What there is, by resource.
status.allocatable|map|What of it pods may have.
status.conditions|[]object|Ready and others.
status.addresses|[]object|Its addresses, by type.
status.nodeInfo|object|Versions of what runs it.)"},
    {Builtin::kNamespace, R"(spec|object|Who has something to do before it may go.
status|object|Active, or Terminating.
status.phase|string|Active, or Terminating.)"},
    {Builtin::kEvent, R"(reason|string|What happened, in one word.
type|string|Normal or Warning.)"},
    {Builtin::kPriorityClass, R"(value|integer|The priority of its pods; the higher goes first.
globalDefault|boolean|Pods that name no class are of this one.
preemptionPolicy|string|PreemptLowerPriority or Never.
description|string|When to use it.)"},
    {Builtin::kLease, R"(spec|object|Who leads, and since when.
spec.holderIdentity|string|Who holds it; empty if nobody does.
spec.leaseDurationSeconds|integer|So long others wait after they last saw it renewed.
spec.acquireTime|time|When the holder got it.
spec.renewTime|time|When the holder last renewed it.
spec.leaseTransitions|integer|How often it changed hands.)"},
    {Builtin::kJob, R"(spec|object|How many pods are to run to their end.
spec.parallelism|integer|So many at a time.
spec.completions|integer|So many have to succeed.
spec.completionMode|string|Indexed: each pod has its index; or NonIndexed.
spec.backoffLimit|integer|So many may fail.
spec.suspend|boolean|It makes no pods for now.
spec.activeDeadlineSeconds|integer|So long it may take.
spec.ttlSecondsAfterFinished|integer|So long it stays once it has ended.
spec.template|object|The pods that it makes: metadata and spec.
status|object|How far it is.
status.active|integer|Pods that have not ended.
status.ready|integer|Pods that are ready.
status.succeeded|integer|Pods that succeeded.
status.failed|integer|Pods that failed.
status.startTime|time|When it began.
status.completionTime|time|When it was complete.
status.conditions|[]object|Complete, Failed, Suspended.)"},
    {Builtin::kReplicaSet, R"(spec|object|How many pods are to run.
spec.replicas|integer|So many.
spec.selector|object|Which pods are counted, by their labels.
spec.template|object|The pods that it makes: metadata and spec.
status|object|How many there are.
status.replicas|integer|Pods that have not ended.
status.readyReplicas|integer|Those that are ready.
status.availableReplicas|integer|Those that have been ready for long enough.)"},
    {Builtin::kPodDisruptionBudget, R"(spec|object|How many pods an eviction has to leave.
spec.selector|object|Which pods are counted, by their labels.
spec.minAvailable|count|At least so many, or so many percent, have to stay ready.
spec.maxUnavailable|count|At most so many, or so many percent, may be missing.
spec.unhealthyPodEvictionPolicy|string|IfHealthyBudget or AlwaysAllow, of pods that are not ready.
status|object|The count.
status.disruptionsAllowed|integer|So many pods may be evicted now.
status.currentHealthy|integer|Pods that are ready.
status.desiredHealthy|integer|So many have to be.
status.expectedPods|integer|Pods that are counted.
status.conditions|[]object|DisruptionAllowed, or why not.)"},
    {Builtin::kCrd, R"(spec|object|A kind: its names, and the schema of each version.
spec.group|string|The API group.
spec.scope|string|Namespaced or Cluster.
spec.names|object|How it is called: kind, plural, singular, short names.
spec.versions|[]object|Each with its schema and columns.
status|object|Whether it is served.
status.conditions|[]object|NamesAccepted, Established.)"},
}};

Json TypedField(std::string_view type) {
  if (type == "map") return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  if (type == "time") return {{"type", "string"}, {"format", "date-time"}};
  if (type == "count") return {{"x-kubernetes-int-or-string", true}};
  if (!type.starts_with("[]")) return {{"type", type}};
  return {{"type", "array"}, {"items", {{"type", type.substr(2)}}}};
}

// Where the fields of a field stand: with its items, if it is a list.
Json& PropertiesOf(Json& schema) {
  return (schema["type"] == "array" ? schema["items"] : schema)["properties"];
}

void AddLine(Json& schema, std::string_view line) {
  const std::size_t type = line.find('|');
  const std::size_t text = line.find('|', type + 1);
  std::vector<std::string> path = SplitDots(line.substr(0, type));
  const std::string name = std::move(path.back());
  path.pop_back();
  Json* at = &schema;
  for (const std::string& part : path) at = &PropertiesOf(*at)[part];
  Json field = TypedField(line.substr(type + 1, text - type - 1));
  field["description"] = line.substr(text + 1);
  PropertiesOf(*at)[name] = std::move(field);
}

Json BuiltinSchema(Builtin kind) {
  Json schema = {{"type", "object"}};
  for (const BuiltinFields& fields : kBuiltinFields) {
    if (fields.kind != kind) continue;
    std::string_view rest = fields.lines;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      AddLine(schema, line);
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
  }
  return schema;
}

Json SchemaOf(const Kind& kind) {
  Json schema = kind.crd != nullptr ? kind.crd->open_api : BuiltinSchema(kind.builtin);
  Json& properties = schema["properties"];
  properties["apiVersion"] = TextField("Group and version of the schema that the object follows.");
  properties["kind"] = TextField("What the object is.");
  properties["metadata"] = {
      {"description", "Standard metadata of an object."},
      {"allOf", Json::array({{{"$ref", std::string("#/components/schemas/") + kMetaName}}})}};
  schema["x-kubernetes-group-version-kind"] = Json::array({TypeOf(kind)});
  return schema;
}

std::string Fingerprint(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a.
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::array<char, 20> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llX", static_cast<unsigned long long>(hash));
  return digits.data();
}

}  // namespace

std::string OpenApiPath(const Kind& kind) {
  return kind.group.empty() ? "api/" + kind.version : "apis/" + kind.group + "/" + kind.version;
}

Json OpenApiIndex(const KindTable& kinds) {
  Json paths = Json::object();
  for (const Kind& kind : kinds.all()) {
    const std::string path = OpenApiPath(kind);
    if (paths.contains(path)) continue;
    const std::string hash = Fingerprint(Dump(OpenApiDocument(kinds, path)));
    std::string url = "/openapi/v3/";
    url.append(path).append("?hash=").append(hash);
    paths[path] = {{"serverRelativeURL", std::move(url)}};
  }
  return {{"paths", std::move(paths)}};
}

Json OpenApiDocument(const KindTable& kinds, std::string_view path) {
  Json paths = Json::object();
  Json schemas = Json::object();
  for (const Kind& kind : kinds.all()) {
    if (OpenApiPath(kind) != path) continue;
    const std::string collection = "/" + std::string(path) +
                                   (kind.namespaced ? "/namespaces/{namespace}/" : "/") +
                                   kind.plural;
    paths[collection] = {{"get", Operation(kind, "list", false)},
                         {"post", Operation(kind, "post", true)}};
    paths[collection + "/{name}"] = {{"get", Operation(kind, "get", false)},
                                     {"put", Operation(kind, "put", true)},
                                     {"patch", Operation(kind, "patch", true)},
                                     {"delete", Operation(kind, "delete", true)}};
    schemas[SchemaName(kind)] = SchemaOf(kind);
  }
  if (paths.empty()) return nullptr;
  schemas[kMetaName] = MetaSchema();
  return {{"openapi", "3.0.0"},
          {"info", {{"title", "Kubernetes"}, {"version", "v1.34.4"}}},
          {"paths", std::move(paths)},
          {"components", {{"schemas", std::move(schemas)}}}};
}

}  // namespace muster::e2e
