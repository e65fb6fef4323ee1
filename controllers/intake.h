// The way in: one informer per kind, from there into the stores and, as core events, to `apply`, in
// the order in which the API server said it. What only the user can put right (an edit of a bound
// pod that has no effect, a PodGroup deleted under its running pods) becomes an event on the pod.
// Loop thread only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/event_recorder.h"
#include "controllers/informer.h"
#include "controllers/ports/api.h"
#include "controllers/stores.h"
#include "controllers/warm_cache.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

class Intake {
 public:
  struct Out {
    std::function<void(scheduler::Event event)> apply;
    std::function<void()> synced;  // Once: every kind has been listed.
    // False: what is known of some kind may be old, as while a new list is under way. A kind is
    // current again when all of it has been passed on.
    std::function<void(bool current)> current;
    // The object changed, perhaps its stored status alone: StatusWriter compares.
    std::function<void(const scheduler::Key& key)> group_stored;
    std::function<void(const std::string& name)> queue_stored;
    std::function<void(const std::string& text)> warn;  // To the log.
    // The API server was restored to an older state; nothing that is known holds. May be empty.
    std::function<void(const std::string& object)> went_back = nullptr;
    // The queue that pays for a pod; "" = none, or it is not known. May be empty.
    std::function<std::string(const scheduler::Uid& pod)> payer = nullptr;
  };

  // Pods that name `scheduler_name` are ours.
  Intake(ports::Api& api, EventRecorder& recorder, Stores& stores, Out out,
         std::string scheduler_name);

  struct Standby {
    ports::Loop& loop;
    Send send;
    std::int64_t list_us = 0;  // What a list takes for each object, about.
  };
  // Another instance leads. From now on it lists and watches, but what comes is only kept.
  void StandBy(const Standby& standby);
  // Lists and watches for ever; what a standby kept takes the place of the list of a kind as soon
  // as it is no older than this call. PodGroups come before pods, so that a pin by uid can be read.
  // No entry before this life had the id `first_id` or a greater one.
  void Start(std::uint64_t first_id);
  // Once it is synced: kinds that were taken from what a standby kept, and those that a standby had
  // to list anew.
  [[nodiscard]] std::int64_t warm_kinds() const { return warm_kinds_; }
  [[nodiscard]] std::int64_t anew_kinds() const { return list_us_ ? kKinds - warm_kinds_ : 0; }
  [[nodiscard]] bool synced() const { return synced_; }
  [[nodiscard]] bool current() const { return current_; }

 private:
  enum Kind : std::uint8_t { kGroups, kQueues, kNodes, kNamespaces, kClasses, kPods, kKinds };
  struct Owner {  // A controller with pods of ours that are gangs of one.
    Wall first;
    std::int64_t pods = 0;
  };

  void Warn(const std::string& plural, std::string_view what, const std::string& error) const;
  void Watch(Kind kind);
  void On(Kind kind, ports::WatchEvent event);
  void OnSettled(Kind kind);
  void Take(Kind kind);
  void OnListed(Kind kind);
  void OnStaleChanged();
  void OnSeen(const crds::Object& object);
  void OnPod(const crds::Pod& pod);
  void NoteEdit(const PodRecord& now, const std::string& what);
  void OnNode(const crds::Node& node);
  void OnGroup(const crds::PodGroup& group);
  void OnGone(Kind kind, const Informer::Ref& ref);
  void OnGroupGone(const Informer::Ref& ref);
  [[nodiscard]] Wall CountOwner(const PodRecord* before, const PodRecord& now, Wall created);
  void Uncount(const PodRecord& pod);

  ports::Api& api_;
  EventRecorder& recorder_;
  Stores& stores_;
  Out out_;
  std::string scheduler_name_;
  std::uint64_t first_id_ = 1;
  std::array<std::unique_ptr<Informer>, kKinds> informers_;
  std::optional<std::int64_t> list_us_;  // Of a standby.
  struct Stream {
    std::unique_ptr<WarmCache> cache;  // Of a standby.
    bool kept = false;                 // What comes goes to the cache.
    std::uint64_t turn = 0;            // What comes from a stream before this one is not heard.
  };
  std::array<Stream, kKinds> streams_;
  std::int64_t warm_kinds_ = 0;
  // By namespace and uid: an owner is in the namespace of its pods, whatever they say of others.
  std::map<std::pair<std::string, std::string>, Owner> owners_;
  bool others_started_ = false;
  bool synced_ = false;
  bool current_ = true;
};

}  // namespace muster::controllers
