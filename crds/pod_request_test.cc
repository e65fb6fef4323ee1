#include "crds/pod_request.h"

#include <string>

#include <gtest/gtest.h>

#include "crds/decode.h"
#include "scheduler/base/amount.h"

namespace muster::crds {
namespace {

Container App(ResourceList requests) {
  return {.name = "app", .requests = std::move(requests)};
}
Container Init(ResourceList requests) {
  return {.name = "init", .requests = std::move(requests)};
}
Container Sidecar(ResourceList requests) {
  return {.name = "side", .requests = std::move(requests), .restart_always = true};
}

Pod PodOf(std::vector<Container> init, std::vector<Container> apps) {
  Pod pod;
  pod.init_containers = std::move(init);
  pod.containers = std::move(apps);
  return pod;
}

// kubernetes/website#57244, kai-scheduler/KAI-Scheduler#1556, kubernetes-sigs/kueue#2099
TEST(PodRequest, ContainersSidecarsAndInitContainers) {
  const struct {
    const char* name;
    Pod pod;
    ResourceList request;
  } cases[] = {
      {"nothing", PodOf({}, {App({})}), {}},
      {"the init container needs more than the apps",
       PodOf({Init({{"cpu", 3}})}, {App({{"cpu", 1}}), App({{"cpu", 1}})}),
       {{"cpu", 3}}},
      {"a sidecar first runs beside both",
       PodOf({Sidecar({{"cpu", 1}}), Init({{"cpu", 2}})}, {App({{"cpu", 2}})}),
       {{"cpu", 3}}},
      {"a sidecar behind it runs beside the app only",
       PodOf({Init({{"cpu", 2}}), Sidecar({{"cpu", 1}})}, {App({{"cpu", 2}})}),
       {{"cpu", 3}}},
      {"the init container ends before the sidecar starts",
       PodOf({Init({{"cpu", 9}}), Sidecar({{"cpu", 8}})}, {App({{"cpu", 0}})}),
       {{"cpu", 9}}},
      {"a sidecar first runs beside the init container too",
       PodOf({Sidecar({{"cpu", 100}}), Init({{"cpu", 200}})}, {App({{"cpu", 100}})}),
       {{"cpu", 300}}},
      {"a sidecar behind it does not",
       PodOf({Init({{"cpu", 200}}), Sidecar({{"cpu", 100}})}, {App({{"cpu", 100}})}),
       {{"cpu", 200}}},
      {"devices of sidecars are held with those of the apps",
       PodOf({Sidecar({{"nvidia.com/gpu", 8}})}, {App({{"nvidia.com/gpu", 8}})}),
       {{"nvidia.com/gpu", 16}}},
      {"each resource by itself",
       PodOf({Init({{"cpu", 5}, {"memory", 1}})}, {App({{"cpu", 1}, {"memory", 7}, {"pods", 0}})}),
       {{"cpu", 5}, {"memory", 7}, {"pods", 0}}},
  };
  for (const auto& c : cases) EXPECT_EQ(EffectiveRequest(c.pod), c.request) << c.name;
}

TEST(PodRequest, WhatThePodStatesForItselfReplacesTheSumOfSomeResources) {
  Pod pod = PodOf({Init({{"cpu", 50}})}, {App({{"cpu", 1}, {"nvidia.com/gpu", 8}})});
  pod.pod_requests =
      ResourceList{{"cpu", 20}, {"hugepages-2Mi", 4}, {"memory", 7}, {"nvidia.com/gpu", 1}};
  pod.overhead = {{"cpu", 2}, {"memory", 1}};
  EXPECT_EQ(
      EffectiveRequest(pod),
      (ResourceList{{"cpu", 22}, {"hugepages-2Mi", 4}, {"memory", 8}, {"nvidia.com/gpu", 8}}));
}

Pod Resized(const std::string& node) {
  Pod pod = PodOf({Sidecar({{"cpu", 1}}), Init({{"cpu", 1}})}, {App({{"cpu", 4}, {"memory", 4}})});
  pod.node_name = node;
  pod.container_statuses = {
      {.name = "app", .allocated = {{"cpu", 6}, {"memory", 1}}, .actual = {{"cpu", 5}}},
      {.name = "side", .allocated = {}, .actual = {{"cpu", 3}}},
      {.name = "init", .allocated = {}, .actual = {{"cpu", 90}}}};
  return pod;
}

TEST(PodRequest, APodOnANodeCountsTheLargestOfWhatIsAskedAllocatedAndApplied) {
  EXPECT_EQ(EffectiveRequest(Resized("n1")), (ResourceList{{"cpu", 9}, {"memory", 4}}));
  EXPECT_EQ(EffectiveRequest(Resized("")), (ResourceList{{"cpu", 5}, {"memory", 4}}));
}

TEST(PodRequest, ARefusedResizeDoesNotCount) {
  Pod pod = Resized("n1");
  pod.resize_infeasible = true;
  EXPECT_EQ(EffectiveRequest(pod), (ResourceList{{"cpu", 9}, {"memory", 1}}));
  pod.pod_requests = ResourceList{{"cpu", 100}};
  pod.pod_allocated = {{"cpu", 10}};
  pod.pod_actual = {{"cpu", 11}};
  EXPECT_EQ(EffectiveRequest(pod), (ResourceList{{"cpu", 11}, {"memory", 1}}));
  pod.resize_infeasible = false;
  EXPECT_EQ(EffectiveRequest(pod), (ResourceList{{"cpu", 100}, {"memory", 4}}));
  pod.container_statuses.clear();
  pod.pod_requests.reset();
  EXPECT_EQ(EffectiveRequest(pod), (ResourceList{{"cpu", 5}, {"memory", 4}}));
}

TEST(PodRequest, SumsAreClipped) {
  const Container large = App({{"memory", kAmountMax}});
  EXPECT_EQ(EffectiveRequest(PodOf({}, std::vector<Container>(300, large))),
            (ResourceList{{"memory", kAmountMax}}));
}

TEST(PodRequest, LimitsStandInForMissingRequests) {
  const Pod pod = DecodePod(R"({"spec":{"containers":[{"resources":{
      "limits":{"nvidia.com/gpu":"8","cpu":"2"},"requests":{"cpu":"500m"}}}]}})")
                      .value();
  EXPECT_EQ(EffectiveRequest(pod), (ResourceList{{"cpu", 500}, {"nvidia.com/gpu", 8000}}));
}

}  // namespace
}  // namespace muster::crds
