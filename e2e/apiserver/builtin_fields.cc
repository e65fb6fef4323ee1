#include "e2e/apiserver/builtin_fields.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::e2e {
namespace {

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

// One line for each field of a built-in kind that acts here: path, type, what it is. Two long names
// are shortened to ~ and ^; # stands before the path of a node selector term.
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
spec.containers.restartPolicy|string|Instead of the one of the pod.
spec.containers.resources|object|How much it needs.
spec.containers.resources.limits|amounts|At most so much, by resource; for devices also what it asks for.
spec.containers.resources.requests|amounts|So much is set aside on the node; left out, it is the limit.
spec.initContainers|[]object|What runs before the containers, one after another.
spec.initContainers.name|string|Unique within the pod.
spec.initContainers.image|string|Where the program comes from.
spec.initContainers.restartPolicy|string|Always: it goes on beside the containers.
spec.initContainers.resources|object|How much it needs.
spec.initContainers.resources.limits|amounts|As of a container.
spec.initContainers.resources.requests|amounts|As of a container.
spec.resources|object|How much the pod needs as a whole.
spec.resources.limits|amounts|At most so much cpu and memory.
spec.resources.requests|amounts|So much is set aside on the node.
spec.schedulerName|string|Who finds the node: muster, or default-scheduler if left out.
spec.nodeName|string|The node; set by a Binding.
spec.nodeSelector|map|Labels that the node must have.
spec.affinity|object|Which nodes, or nodes beside which pods, are wanted or preferred.
spec.affinity.nodeAffinity|object|Which nodes.
spec.affinity.nodeAffinity.~|object|Those that may be taken.
spec.affinity.nodeAffinity.~.nodeSelectorTerms|[]object|One of these has to match.
#spec.affinity.nodeAffinity.~.nodeSelectorTerms
spec.affinity.nodeAffinity.^|[]object|Those that had better be taken.
spec.affinity.nodeAffinity.^.weight|int32|From 1 to 100.
spec.affinity.nodeAffinity.^.preference|object|What has to match.
#spec.affinity.nodeAffinity.^.preference
spec.tolerations|[]object|Taints of a node that do not keep the pod away.
spec.tolerations.key|string|Key of the taint; left out, of any.
spec.tolerations.operator|string|Exists, or Equal to the value.
spec.tolerations.value|string|Value of the taint.
spec.tolerations.effect|string|NoSchedule, PreferNoSchedule or NoExecute; left out, all.
spec.tolerations.tolerationSeconds|integer|So long it stays once a taint says NoExecute; left out, for ever.
spec.priorityClassName|string|The PriorityClass.
spec.priority|int32|Its number; set by the server.
spec.schedulingGates|[]object|Names of what has to be cleared away before the pod may be placed.
spec.schedulingGates.name|string|Who has something to do first.
spec.restartPolicy|string|Always, OnFailure or Never.
spec.terminationGracePeriodSeconds|integer|So long it has to end once it is deleted.
spec.activeDeadlineSeconds|integer|So long it may run.
spec.overhead|amounts|What it needs beside its containers, by resource.
spec.hostNetwork|boolean|It uses the network of its node.
status|object|What has become of it.
status.phase|string|Pending, Running, Succeeded or Failed.
status.conditions|[]object|PodScheduled, Ready, DisruptionTarget and others, each with its reason.
status.conditions.type|string|What is said.
status.conditions.status|string|True, False or Unknown.
status.conditions.reason|string|Why, in one word.
status.conditions.message|string|Why.
status.conditions.observedGeneration|integer|The generation that it is said of.
status.conditions.lastTransitionTime|time|Since when.
status.reason|string|Why it failed, in one word.
status.message|string|Why it failed.
status.podIP|string|Its address.
status.nominatedNodeName|string|Where it is to go once there is room.
status.qosClass|string|Guaranteed, Burstable or BestEffort; set by the server.
status.containerStatuses|[]object|Of each container: ready, restartCount, state.
status.containerStatuses.name|string|The container.
status.containerStatuses.allocatedResources|amounts|What the node has set aside for it.
status.containerStatuses.resources|object|What it has.
status.containerStatuses.resources.limits|amounts|At most so much.
status.containerStatuses.resources.requests|amounts|So much is set aside.
status.initContainerStatuses|[]object|The same of init containers.
status.initContainerStatuses.name|string|The container.
status.initContainerStatuses.allocatedResources|amounts|What the node has set aside for it.
status.initContainerStatuses.resources|object|What it has.
status.initContainerStatuses.resources.limits|amounts|At most so much.
status.initContainerStatuses.resources.requests|amounts|So much is set aside.
status.allocatedResources|amounts|What the node has set aside for the pod as a whole.
status.resources|object|What the pod has as a whole.
status.resources.limits|amounts|At most so much.
status.resources.requests|amounts|So much is set aside.)"},
    {Builtin::kNode, R"(spec|object|How the node is to be used.
spec.unschedulable|boolean|No new pod comes here.
spec.taints|[]object|What keeps pods away that do not tolerate it: key, value, effect.
spec.taints.key|string|What pods tolerate by its name.
spec.taints.value|string|May be left out.
spec.taints.effect|string|NoSchedule, PreferNoSchedule or NoExecute.
status|object|What the kubelet says of it.
status.capacity|amounts|What there is, by resource.
status.allocatable|amounts|What of it pods may have.
status.conditions|[]object|Ready and others.
status.conditions.type|string|What is said.
status.conditions.status|string|True, False or Unknown.
status.conditions.reason|string|Why, in one word.
status.conditions.message|string|Why.
status.conditions.observedGeneration|integer|The generation that it is said of.
status.conditions.lastTransitionTime|time|Since when.
status.addresses|[]object|Its addresses, by type.
status.images|[]object|The largest images that it holds.
status.images.names|[]string|By what they are known: with tags and with digests.
status.images.sizeBytes|integer|How large each is.
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
  // A quantity; as a number it is taken too.
  if (type == "amounts") {
    return {{"type", "object"},
            {"additionalProperties", {{"type", "string"}, {"format", "quantity"}}}};
  }
  if (type == "int32") return {{"type", "integer"}, {"format", "int32"}};
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
  for (std::string& part : path) {
    if (part == "~") part = "requiredDuringSchedulingIgnoredDuringExecution";
    if (part == "^") part = "preferredDuringSchedulingIgnoredDuringExecution";
  }
  const std::string name = std::move(path.back());
  path.pop_back();
  Json* at = &schema;
  for (const std::string& part : path) at = &PropertiesOf(*at)[part];
  Json field = TypedField(line.substr(type + 1, text - type - 1));
  field["description"] = line.substr(text + 1);
  PropertiesOf(*at)[name] = std::move(field);
}

// What a node selector term consists of.
void AddTerm(Json& schema, std::string_view path) {
  for (const char* list : {".matchExpressions", ".matchFields"}) {
    for (const char* field :
         {"|[]object|Each has to hold.", ".key|string|A label, or metadata.name.",
          ".operator|string|In, NotIn, Exists, DoesNotExist, Gt or Lt.",
          ".values|[]string|What the operator compares with."}) {
      AddLine(schema, std::string(path) + list + field);
    }
  }
}

}  // namespace

Json BuiltinSchema(Builtin kind) {
  Json schema = {{"type", "object"}};
  for (const BuiltinFields& fields : kBuiltinFields) {
    if (fields.kind != kind) continue;
    std::string_view rest = fields.lines;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      if (line.starts_with('#')) {
        AddTerm(schema, line.substr(1));
      } else {
        AddLine(schema, line);
      }
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
  }
  return schema;
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

}  // namespace muster::e2e
