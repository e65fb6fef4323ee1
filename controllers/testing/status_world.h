// The world of a StatusWriter for tests: virtual time, a core that says what the test set, and a
// list of what was sent. Requests are answered at once with `answer`, or held when it is 0.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controllers/pod_group_reconciler.h"
#include "controllers/status_writer.h"
#include "controllers/testing/manual_loop.h"
#include "controllers/testing/status_builders.h"

namespace muster::controllers::testing {

class StatusWorld {
 public:
  explicit StatusWorld(std::int64_t pod_grace_ms = kPodGraceMs)
      : recorder_(loop, Sender(), "muster-0", [] {}),
        writer({.loop = loop,
                .send = Sender(),
                .stores = stores,
                .recorder = recorder_,
                .core = {.gang =
                             [this](const scheduler::Key& key) {
                               reads.push_back(key.name);
                               return Find(gangs, key);
                             },
                         .queue = [this](const std::string& name) { return Find(queues, name); }},
                .pod_grace_ms = pod_grace_ms}) {}

  // The core says so, and the API server holds the PodGroup (if it is one) and the pods.
  void Set(const scheduler::GangStatus& gang) {
    gangs.insert_or_assign(gang.key, gang);
    if (!gang.key.single_pod && stores.group(gang.key) == nullptr) stores.Put(GroupOf(gang));
    for (const scheduler::MemberStatus& member : gang.members) {
      PodRecord pod = stores.pod(member.pod) == nullptr ? PodRecord{} : *stores.pod(member.pod);
      if (pod.resource_version.empty()) pod.resource_version = "7";
      pod.key = member.pod;
      pod.gang = gang.key;
      pod.uid = member.uid;
      pod.node = member.bound ? member.node : "";
      stores.Put(std::move(pod));
    }
  }
  void Decide(const std::vector<scheduler::Key>& changed) {
    scheduler::Decision decision;
    decision.changed_gangs = changed;
    writer.OnDecision(decision);
  }
  void SetAndDecide(const scheduler::GangStatus& gang) {
    Set(gang);
    Decide({gang.key});
  }
  // The watch shows the PodGroup with this status.
  void Store(const scheduler::Key& key, std::optional<crds::PodGroupStatus> status) {
    crds::PodGroup group = *stores.group(key);
    group.status = std::move(status);
    stores.Put(std::move(group));
    writer.GroupStored(key);
  }
  // The watch shows the PodGroup as the last PATCH left it.
  void Echo(const scheduler::GangStatus& gang) {
    Store(gang.key, ReconcilePodGroup(gang, *stores.group(gang.key), loop.now().wall));
  }
  void Answer(std::int32_t status) {
    for (auto& done : std::exchange(held_, {})) Respond(done, status);
  }

  // What was sent since the last call, of one kind ("podgroups", "queues", "pods", "events").
  std::vector<ports::Request> Take(const std::string& plural) {
    std::vector<ports::Request> out;
    std::erase_if(sent_, [&](const ports::Request& request) {
      if (request.resource.plural != plural) return false;
      out.push_back(request);
      return true;
    });
    return out;
  }

  ManualLoop loop;
  Stores stores;
  std::map<scheduler::Key, scheduler::GangStatus> gangs;
  std::map<std::string, scheduler::QueueStatus> queues;
  std::int32_t answer = 200;
  std::vector<std::string> reads;  // Gangs that the writer asked about, in order.

 private:
  template <class Map, class Key>
  static std::optional<typename Map::mapped_type> Find(const Map& map, const Key& key) {
    const auto it = map.find(key);
    if (it == map.end()) return std::nullopt;
    return it->second;
  }
  static void Respond(const ports::Api::Done& done, std::int32_t status) {
    ports::Response response;
    response.status = status;
    done(std::move(response));
  }
  Send Sender() {
    return [this](ports::Request request, ports::Api::Done done) {
      sent_.push_back(std::move(request));
      if (answer != 0) {
        Respond(done, answer);
      } else {
        held_.push_back(std::move(done));
      }
    };
  }

  std::vector<ports::Request> sent_;
  std::vector<ports::Api::Done> held_;
  EventRecorder recorder_;

 public:
  StatusWriter writer;
};

}  // namespace muster::controllers::testing
