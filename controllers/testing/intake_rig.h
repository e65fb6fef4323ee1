// An Intake over streams that the test feeds, and what it passes on as lines of text.
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "controllers/intake.h"
#include "controllers/testing/manual_loop.h"

namespace muster::controllers::testing {

using Type = ports::WatchEvent::Type;
using Lines = std::vector<std::string>;

// The API server as far as Intake sees it: the streams that were asked for, by plural.
class Streams final : public ports::Api {
 public:
  void AllowWritesUntil(Ticks) override {}
  void Call(ports::Request request, Done done) override {
    events.push_back(std::move(request));
    done(ports::Response{});
  }
  void ListAndWatch(ports::Resource resource, Decode /*decode*/, Sink sink) override {
    ++begun[resource.plural];
    if (sinks.contains(resource.plural)) former[resource.plural] = sinks[resource.plural];
    sinks[resource.plural] = std::move(sink);
  }
  void Send(const std::string& plural, Type type, crds::Object object = {}) {
    ports::WatchEvent event{};
    event.type = type;
    event.object = std::move(object);
    sinks.at(plural)(std::move(event));
  }

  std::map<std::string, Sink> sinks, former;
  std::map<std::string, int> begun;
  std::vector<ports::Request> events;
};

inline std::string Describe(const scheduler::Event& event) {
  return std::visit(
      [](const auto& e) -> std::string {
        using T = std::decay_t<decltype(e)>;
        if constexpr (std::is_same_v<T, scheduler::PodSeen>) {
          return "pod " + e.key.name + " gang " + e.gang.name + (e.gang.single_pod ? "*" : "") +
                 (e.node.empty() ? "" : " on " + e.node);
        } else if constexpr (std::is_same_v<T, scheduler::PodGone>) {
          return "pod gone " + e.uid;
        } else if constexpr (std::is_same_v<T, scheduler::GangSeen>) {
          return "group " + e.key.name;
        } else if constexpr (std::is_same_v<T, scheduler::GangGone>) {
          return "group gone " + e.key.name;
        } else if constexpr (std::is_same_v<T, scheduler::NodeSeen>) {
          return "node " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::NodeGone>) {
          return "node gone " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::QueueSeen>) {
          return "queue " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::QueueGone>) {
          return "queue gone " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::NamespaceSeen>) {
          return "namespace " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::NamespaceGone>) {
          return "namespace gone " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::PriorityClassSeen>) {
          return "class " + e.name;
        } else if constexpr (std::is_same_v<T, scheduler::PriorityClassGone>) {
          return "class gone " + e.name;
        } else {
          return "?";
        }
      },
      event);
}

template <class T>
T Object(const std::string& name, const std::string& uid, const std::string& version) {
  T object;
  object.meta.name = name;
  object.meta.uid = uid;
  object.meta.resource_version = version;
  return object;
}
template <class T>
T Namespaced(const std::string& name, const std::string& uid, const std::string& version = "1") {
  T object = Object<T>(name, uid, version);
  object.meta.ns = "team";
  return object;
}
inline crds::Pod NewPod(const std::string& name, const std::string& group,
                        const std::string& version = "1") {
  auto pod = Namespaced<crds::Pod>(name, "u-" + name, version);
  pod.scheduler_name = "muster";
  if (!group.empty()) pod.meta.labels = {{"muster.dev/pod-group", group}};
  return pod;
}
inline crds::Pod Bound(crds::Pod pod, const std::string& version, const std::string& group_uid) {
  pod.meta.resource_version = version;
  pod.node_name = "n1";
  pod.meta.annotations = {{"muster.dev/admitted-queue", "q"}};
  if (!group_uid.empty()) pod.meta.annotations["muster.dev/admitted-group-uid"] = group_uid;
  return pod;
}

class IntakeRig {
 protected:
  IntakeRig()
      : recorder_(
            loop_,
            [this](ports::Request request, ports::Api::Done done) {
              api_.Call(std::move(request), std::move(done));
            },
            "muster-0", [] {}),
        intake_(api_, recorder_, stores_,
                {.apply =
                     [this](const scheduler::Event& event) {
                       log_.push_back(Describe(event));
                       if (const auto* pod = std::get_if<scheduler::PodSeen>(&event)) last_ = *pod;
                     },
                 .synced = [this] { log_.emplace_back("synced"); },
                 .current = [this](bool now) { log_.emplace_back(now ? "current" : "stale"); },
                 .group_stored = [this](const scheduler::Key& key) { stored_.push_back(key.name); },
                 .queue_stored = [this](const std::string& name) { stored_.push_back(name); },
                 .warn = [this](const std::string& text) { log_.push_back("warn " + text); },
                 .payer = [this](const scheduler::Uid&) { return payer_; }},
                "muster") {}

  // All kinds listed, with what `log_` showed of it dropped.
  void Sync() {
    api_.Send("podgroups", Type::kListEnd);
    for (const char* plural : {"queues", "nodes", "namespaces", "priorityclasses", "pods"}) {
      api_.Send(plural, Type::kListEnd);
    }
    log_.clear();
  }
  // As it comes about: it waits, then it is bound.
  void SendBound(const crds::Pod& pod, const std::string& version, const std::string& group_uid) {
    api_.Send("pods", Type::kAdded, pod);
    api_.Send("pods", Type::kModified, Bound(pod, version, group_uid));
  }
  Lines Take() { return std::exchange(log_, {}); }
  // "Reason on pod: note" of each event.
  Lines Notes() {
    Lines out;
    for (const ports::Request& request : std::exchange(api_.events, {})) {
      const auto field = [&](const std::string& name, std::size_t from) {
        const std::string key = '"' + name + "\":\"";
        const std::size_t at = request.body.find(key, from) + key.size();
        return request.body.substr(at, request.body.find("\",", at) - at);
      };
      const std::size_t regarding = request.body.find("\"regarding\"");
      out.push_back(field("reason", 0) + " on " + field("name", regarding) + ": " +
                    field("note", 0));
    }
    return out;
  }

  testing::ManualLoop loop_;
  Streams api_;
  Stores stores_;
  EventRecorder recorder_;
  Lines log_, stored_;
  scheduler::PodSeen last_;
  std::string payer_ = "q";
  Intake intake_;
};

}  // namespace muster::controllers::testing
