#include "e2e/apiserver/kinds.h"

#include <algorithm>

#include "e2e/apiserver/json.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

std::vector<SelectableField> Fields(std::initializer_list<std::string_view> labels) {
  std::vector<SelectableField> fields;
  for (const std::string_view label : labels) {
    fields.push_back({std::string(label), SplitDots(label)});
  }
  return fields;
}

Kind Pods() {
  return {.version = "v1",
          .plural = "pods",
          .singular = "pod",
          .kind = "Pod",
          .short_names = {"po"},
          .categories = {"all"},
          .builtin = Builtin::kPod,
          .namespaced = true,
          .has_status = true,
          .counts_generation = true,
          .unconditional_update = true,
          .fields = Fields({"spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
                            "spec.serviceAccountName", "spec.hostNetwork", "status.phase",
                            "status.podIP", "status.nominatedNodeName"})};
}

Kind Nodes() {
  return {.version = "v1",
          .plural = "nodes",
          .singular = "node",
          .kind = "Node",
          .short_names = {"no"},
          .builtin = Builtin::kNode,
          .has_status = true,
          .unconditional_update = true,
          .fields = Fields({"spec.unschedulable"})};
}

Kind Namespaces() {
  return {.version = "v1",
          .plural = "namespaces",
          .singular = "namespace",
          .kind = "Namespace",
          .short_names = {"ns"},
          .builtin = Builtin::kNamespace,
          .has_status = true,
          .unconditional_update = true,
          .fields = Fields({"status.phase"})};
}

// The stored form is core/v1, so labels of both APIs point into that.
Kind CoreEvents() {
  Kind kind = {
      .version = "v1",
      .plural = "events",
      .singular = "event",
      .kind = "Event",
      .short_names = {"ev"},
      .builtin = Builtin::kEvent,
      .namespaced = true,
      .unconditional_update = true,
      .fields = Fields({"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
                        "involvedObject.uid", "involvedObject.apiVersion",
                        "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
                        "reportingComponent", "type"})};
  kind.fields.push_back({"source", {"source", "component"}});
  return kind;
}

Kind NewEvents() {
  Kind kind = CoreEvents();
  kind.group = "events.k8s.io";
  kind.fields = Fields({"reason", "type"});
  for (const char* part :
       {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
    kind.fields.push_back({std::string("regarding.") + part, {"involvedObject", part}});
  }
  kind.fields.push_back({"reportingController", {"reportingComponent"}});
  return kind;
}

Kind PriorityClasses() {
  return {.group = "scheduling.k8s.io",
          .version = "v1",
          .plural = "priorityclasses",
          .singular = "priorityclass",
          .kind = "PriorityClass",
          .short_names = {"pc"},
          .builtin = Builtin::kPriorityClass,
          .counts_generation = true,
          .unconditional_update = true};
}

Kind Leases() {
  return {.group = "coordination.k8s.io",
          .version = "v1",
          .plural = "leases",
          .singular = "lease",
          .kind = "Lease",
          .builtin = Builtin::kLease,
          .namespaced = true};
}

Kind Jobs() {
  Kind kind = {.group = "batch",
               .version = "v1",
               .plural = "jobs",
               .singular = "job",
               .kind = "Job",
               .categories = {"all"},
               .builtin = Builtin::kJob,
               .namespaced = true,
               .has_status = true,
               .counts_generation = true,
               .unconditional_update = true,
               .orphans_by_default = true};
  kind.fields.push_back({"status.successful", {"status", "succeeded"}});
  return kind;
}

Kind ReplicaSets() {
  return {.group = "apps",
          .version = "v1",
          .plural = "replicasets",
          .singular = "replicaset",
          .kind = "ReplicaSet",
          .short_names = {"rs"},
          .categories = {"all"},
          .builtin = Builtin::kReplicaSet,
          .namespaced = true,
          .has_status = true,
          .counts_generation = true,
          .unconditional_update = true,
          .fields = Fields({"status.replicas"})};
}

Kind DisruptionBudgets() {
  return {.group = "policy",
          .version = "v1",
          .plural = "poddisruptionbudgets",
          .singular = "poddisruptionbudget",
          .kind = "PodDisruptionBudget",
          .short_names = {"pdb"},
          .builtin = Builtin::kPodDisruptionBudget,
          .namespaced = true,
          .has_status = true,
          .counts_generation = true,
          .unconditional_update = true};
}

Kind Definitions() {
  return {.group = "apiextensions.k8s.io",
          .version = "v1",
          .plural = "customresourcedefinitions",
          .singular = "customresourcedefinition",
          .kind = "CustomResourceDefinition",
          .short_names = {"crd", "crds"},
          .categories = {"api-extensions"},
          .builtin = Builtin::kCrd,
          .has_status = true};
}

}  // namespace

KindTable::KindTable() {
  for (Kind kind : {Pods(), Nodes(), Namespaces(), CoreEvents(), PriorityClasses(), Leases(),
                    Jobs(), ReplicaSets(), DisruptionBudgets(), Definitions()}) {
    MUSTER_CHECK(Add(std::move(kind)));
  }
  const std::size_t events = Get(Builtin::kEvent).storage;
  MUSTER_CHECK(Add(NewEvents()));
  kinds_.back().storage = events;
}

bool KindTable::Add(Kind kind) {
  if (Find(kind.group, kind.version, kind.plural) != nullptr) return false;
  kind.fields.push_back({"metadata.name", {"metadata", "name"}});
  if (kind.namespaced) kind.fields.push_back({"metadata.namespace", {"metadata", "namespace"}});
  kind.storage = storages_++;
  kinds_.push_back(std::move(kind));
  return true;
}

const Kind* KindTable::Find(std::string_view group, std::string_view version,
                            std::string_view plural) const {
  const auto found = std::ranges::find_if(kinds_, [&](const Kind& kind) {
    return kind.plural == plural && kind.group == group && kind.version == version;
  });
  return found == kinds_.end() ? nullptr : &*found;
}

const Kind* KindTable::Of(std::string_view api_version, std::string_view kind) const {
  const auto found = std::ranges::find_if(kinds_, [&](const Kind& one) {
    return one.kind == kind && one.api_version() == api_version;
  });
  return found == kinds_.end() ? nullptr : &*found;
}

const Kind& KindTable::Get(Builtin builtin) const {
  const auto found =
      std::ranges::find_if(kinds_, [&](const Kind& kind) { return kind.builtin == builtin; });
  MUSTER_CHECK(found != kinds_.end());
  return *found;
}

}  // namespace muster::e2e
