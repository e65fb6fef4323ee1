#include "controllers/api_calls.h"

#include <utility>

namespace muster::controllers {
namespace {

constexpr const char* kManager = "fieldManager=muster";

ports::Resource Pods() {
  return {.group = "", .version = "v1", .plural = "pods"};
}
ports::Resource Pages() {
  return {.group = "muster.dev", .version = "v1alpha1", .plural = "bindingjournals"};
}

ports::Request PodRequest(ports::Verb verb, const scheduler::Key& pod, ports::Lane lane) {
  ports::Request request;
  request.verb = verb;
  request.resource = Pods();
  request.ns = pod.ns;
  request.name = pod.name;
  request.lane = lane;
  return request;
}

ports::Request PageRequest(ports::Verb verb, const std::string& ns, std::string name) {
  ports::Request request;
  request.verb = verb;
  request.resource = Pages();
  request.ns = ns;
  request.name = std::move(name);
  request.lane = ports::Lane::kBind;
  return request;
}

}  // namespace

ports::Request BindPod(const crds::Binding& binding) {
  auto request =
      PodRequest(ports::Verb::kCreate, {.ns = binding.ns, .name = binding.pod}, ports::Lane::kBind);
  request.subresource = "binding";
  request.query = std::string("timeout=5s&") + kManager;
  request.body = crds::EncodeBinding(binding);
  return request;
}

ports::Request GetPod(const scheduler::Key& pod, ports::Lane lane) {
  return PodRequest(ports::Verb::kGet, pod, lane);
}

ports::Request PatchPodCondition(const scheduler::Key& pod, const crds::PodConditionPatch& patch) {
  auto request = PodRequest(ports::Verb::kPatch, pod, ports::Lane::kRemoval);
  request.subresource = "status";
  request.query = kManager;
  request.content_type = crds::kStrategicMergePatch;
  request.body = crds::EncodePodCondition(patch);
  return request;
}

ports::Request DeletePod(const scheduler::Key& pod, const scheduler::Uid& uid) {
  auto request = PodRequest(ports::Verb::kDelete, pod, ports::Lane::kRemoval);
  request.body = crds::EncodeDeletePod(uid);
  return request;
}

ports::Request ListOne(const ports::Resource& resource) {
  ports::Request request;
  request.verb = ports::Verb::kList;
  request.resource = resource;
  request.query = "limit=1";
  request.lane = ports::Lane::kBind;
  return request;
}

ports::Request ListPages(const std::string& ns) {
  return PageRequest(ports::Verb::kList, ns, {});
}

ports::Request GetPage(const std::string& ns, const std::string& name) {
  return PageRequest(ports::Verb::kGet, ns, name);
}

ports::Request CreatePage(const crds::BindingJournal& page) {
  auto request = PageRequest(ports::Verb::kCreate, page.meta.ns, {});
  request.query = kManager;
  request.body = crds::EncodeBindingJournal(page);
  return request;
}

ports::Request PutPage(const crds::BindingJournal& page) {
  auto request = PageRequest(ports::Verb::kUpdate, page.meta.ns, page.meta.name);
  request.query = kManager;
  request.body = crds::EncodeBindingJournal(page);
  return request;
}

std::string PageName(std::int32_t index) {
  std::string digits = std::to_string(index);
  if (digits.size() < 2) digits.insert(0, "0");
  return "p-" + digits;
}

}  // namespace muster::controllers
