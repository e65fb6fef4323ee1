#include "e2e/bench/bind_cluster.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "controllers/api_calls.h"
#include "controllers/manager.h"

namespace muster::e2e {
namespace {

constexpr const char* kPodPath = "/api/v1/namespaces/default/pods";
constexpr const char* kGroupPath = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups";
constexpr const char* kTally = "/muster-local/hooks/tally";

std::string Padded(int i) {
  const std::string digits = std::to_string(i);
  return std::string(4 - std::min<std::size_t>(4, digits.size()), '0') + digits;
}

std::string GangName(int i) {
  return "train-" + Padded(i);
}

Json NodeObject(int i) {
  const Json amounts = {
      {"cpu", "64"}, {"memory", "512Gi"}, {"pods", "110"}, {"nvidia.com/gpu", "8"}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", BindCluster::NodeName(i)}}},
          {"status",
           {{"capacity", amounts},
            {"allocatable", amounts},
            {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}};
}

Json QueueObject() {
  return {{"apiVersion", "muster.dev/v1alpha1"},
          {"kind", "Queue"},
          {"metadata", {{"name", "default"}}},
          {"spec", {{"namespaceSelector", Json::object()}}}};
}

Json GroupObject(int gang) {
  return {{"apiVersion", "muster.dev/v1alpha1"},
          {"kind", "PodGroup"},
          {"metadata", {{"name", GangName(gang)}, {"namespace", "default"}}},
          {"spec", {{"queue", "default"}, {"minMember", kGangSize}}}};
}

Json PodObject(int gang, int rank) {
  const Json limits = {{"cpu", "4"}, {"memory", "32Gi"}, {"nvidia.com/gpu", "1"}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", GangName(gang) + "-" + std::to_string(rank)},
            {"namespace", "default"},
            {"labels", {{"muster.dev/pod-group", GangName(gang)}}}}},
          {"spec",
           {{"schedulerName", "muster"},
            {"containers",
             {{{"name", "main"},
               {"image", "registry.example.com/train:1"},
               {"resources", {{"limits", limits}, {"requests", limits}}}}}}}}};
}

// As a former Muster left it. Where there is none, the first one ever has to touch every pod.
Json PageObject(int i) {
  crds::BindingJournal page;
  page.meta.ns = "muster-system";
  page.meta.name = controllers::PageName(i);
  page.holder = "former";
  return Parse(controllers::CreatePage(page).body).value_or(nullptr);
}

// JSON is YAML.
bool WriteObjects(const std::string& path, const BindCluster::Size& size) {
  std::ofstream out(path);
  const auto add = [&out](const Json& object) { out << Dump(object) << "\n---\n"; };
  for (int i = 0; i < size.nodes; ++i) add(NodeObject(i));
  for (int i = 0; i < controllers::ManagerOptions().pages; ++i) add(PageObject(i));
  add(QueueObject());
  for (int gang = 0; gang < size.gangs; ++gang) {
    add(GroupObject(gang));
    for (int rank = 0; rank < kGangSize; ++rank) add(PodObject(gang, rank));
  }
  return static_cast<bool>(out.flush());
}

}  // namespace

BindCluster::BindCluster(Server server, std::int64_t pods)
    : server_(std::move(server)), pods_(pods) {}

// Kubelets live on machines of their own: here they would take their time from whom we measure.
Result<BindCluster> BindCluster::Start(const Programs& programs, const Size& size) {
  const std::string file = programs.folder + "/cluster.yaml";
  if (!WriteObjects(file, size)) return Error{Code::kUnavailable, file + ": cannot be written"};
  MUSTER_ASSIGN(Server server, StartLocal(programs, 0,
                                          {"--cluster", file, "--no-kubelets", "--write-ms",
                                           std::to_string(size.write_ms)}));
  return BindCluster(std::move(server), std::int64_t{size.gangs} * kGangSize);
}

app::Endpoint BindCluster::endpoint() const {
  return {.host = "127.0.0.1", .port = server_.port, .token = "muster-local"};
}

std::string BindCluster::NodeName(int i) {
  return "node-" + Padded(i);
}

Result<std::vector<BindCluster::Pod>> BindCluster::List() const {
  Client client(server_.port);
  MUSTER_ASSIGN(const Json groups, client.List(kGroupPath));
  MUSTER_ASSIGN(const Json members, client.List(kPodPath));
  std::map<std::string, std::string> uids;
  for (const Json& group : groups) {
    uids[StringAt(group, {"metadata", "name"})] = StringAt(group, {"metadata", "uid"});
  }
  std::vector<Pod> pods;
  for (const Json& pod : members) {
    const std::string& gang = StringAt(pod, {"metadata", "labels", "muster.dev/pod-group"});
    pods.push_back({.name = StringAt(pod, {"metadata", "name"}),
                    .uid = StringAt(pod, {"metadata", "uid"}),
                    .resource_version = StringAt(pod, {"metadata", "resourceVersion"}),
                    .gang = gang,
                    .gang_uid = uids[gang]});
  }
  return pods;
}

BindCluster::Tally BindCluster::Count() const {
  const Answer answer = Client(server_.port).Get(kTally);
  const auto number = [&answer](std::string_view name) {
    return IntAt(answer.body, {name}).value_or(0);
  };
  return {.done = number("done"), .span_us = number("last_us") - number("first_us")};
}

std::string BindCluster::WhatIsUnbound() const {
  const Result<Json> listed = Client(server_.port).List(kPodPath);
  if (!listed.ok()) return listed.error().message;
  const Json& pods = listed.value();
  const std::int64_t bound = std::count_if(pods.begin(), pods.end(), [](const Json& pod) {
    return !StringAt(pod, {"spec", "nodeName"}).empty();
  });
  const std::int64_t done = Count().done;
  if (bound == pods_ && done == pods_) return {};
  return std::to_string(bound) + " of " + std::to_string(pods_) + " pods are bound, by " +
         std::to_string(done) + " Bindings";
}

}  // namespace muster::e2e
