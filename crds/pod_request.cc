#include "crds/pod_request.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "scheduler/base/amount.h"

namespace muster::crds {
namespace {

// The entry of `name`, made with 0 if there is none.
std::int64_t& At(ResourceList& list, std::string_view name) {
  auto place = std::ranges::lower_bound(
      list, name, std::less<>(), [](const auto& item) { return std::string_view(item.first); });
  if (place == list.end() || place->first != name) place = list.emplace(place, name, 0);
  return place->second;
}

void Add(ResourceList& sum, const ResourceList& more) {
  for (const auto& [name, amount] : more) {
    std::int64_t& at = At(sum, name);
    // Both lie below 2^56: no overflow before the clip.
    at = ClipAmount(at + amount);
  }
}

void RaiseTo(ResourceList& most, const ResourceList& other) {
  for (const auto& [name, amount] : other) {
    std::int64_t& at = At(most, name);
    at = std::max(at, amount);
  }
}

// `spec` as the node sees it.
ResourceList OnTheNode(const Pod& pod, const ResourceList& spec, const ResourceList& allocated,
                       const ResourceList& actual) {
  ResourceList most = pod.resize_infeasible ? ResourceList{} : spec;
  RaiseTo(most, allocated);
  RaiseTo(most, actual);
  return most;
}

// Resizes are of running containers; a container without a status has not started.
ResourceList RequestOf(const Pod& pod, const Container& container) {
  if (pod.node_name.empty()) return container.requests;
  const auto status =
      std::ranges::find(pod.container_statuses, container.name, &ContainerResources::name);
  if (status == pod.container_statuses.end()) return container.requests;
  return OnTheNode(pod, container.requests, status->allocated, status->actual);
}

// The resources that a pod may state for itself (IsSupportedPodLevelResource).
bool IsOfThePod(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

ResourceList PodLevel(const Pod& pod) {
  ResourceList requests = pod.pod_requests.value_or(ResourceList{});
  if (pod.node_name.empty()) return requests;
  return OnTheNode(pod, requests, pod.pod_allocated, pod.pod_actual);
}

}  // namespace

// PodRequests of k8s.io/component-helpers. Init containers that have ended keep counting.
ResourceList EffectiveRequest(const Pod& pod) {
  ResourceList sidecars;
  ResourceList peak;
  for (const Container& container : pod.init_containers) {
    if (container.restart_always) {
      Add(sidecars, RequestOf(pod, container));
      RaiseTo(peak, sidecars);
    } else {
      // It runs beside the sidecars before it, not those after. Ordinary init containers are not
      // resized: their spec holds on a node too.
      ResourceList while_it_runs = container.requests;
      Add(while_it_runs, sidecars);
      RaiseTo(peak, while_it_runs);
    }
  }
  ResourceList request;
  for (const Container& container : pod.containers) Add(request, RequestOf(pod, container));
  Add(request, sidecars);
  RaiseTo(request, peak);
  if (pod.pod_requests.has_value()) {
    for (const auto& [name, amount] : PodLevel(pod)) {
      if (IsOfThePod(name)) At(request, name) = amount;
    }
  }
  Add(request, pod.overhead);
  return request;
}

}  // namespace muster::crds
