// Follows one kind: turns the stream of a list and its watch into "seen" and "gone", in stream
// order. It keeps (uid, resourceVersion) by name only; the objects belong to whoever takes them.
// A relist ends with the set difference; a changed uid is a deletion and an addition; repeats are
// dropped. An object that does not decode keeps its last good state and stops nothing.
// Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "controllers/ports/api.h"
#include "crds/object.h"
#include "scheduler/model/event.h"
#include "scheduler/model/uids.h"

namespace muster::controllers {

class Informer {
 public:
  struct Ref {
    scheduler::Key key;  // Namespace "" for kinds without one.
    scheduler::Uid uid;
  };
  struct Handler {
    std::function<void(const crds::Object& object)> seen;
    std::function<void(const Ref& ref)> gone;
    std::function<void()> listed;  // The end of every full list.
    std::function<void(const std::string& error)> invalid;
    std::function<void(const std::string& error)> lost;  // A new list follows some time.
    std::function<void()> stale_changed;
    // The API server shows this object as it was before, or once more after it was gone: it was
    // restored to an older state, and what is known is of no use. May be empty.
    std::function<void(const Ref& ref)> went_back = nullptr;
  };
  struct Version {
    scheduler::Uid uid;
    std::string resource_version;
  };

  explicit Informer(Handler handler);

  // The sink of ports::Api::ListAndWatch.
  void On(const ports::WatchEvent& event);

  [[nodiscard]] bool synced() const { return synced_; }  // One full list has been taken over.
  // What is known may be old: the stream is cut, or its new list is not complete.
  [[nodiscard]] bool stale() const { return stale_; }
  [[nodiscard]] const Version* Find(const scheduler::Key& key) const;  // nullptr: not there.

 private:
  void OnObject(const ports::WatchEvent& event);
  void OnInvalid(const ports::WatchEvent& event);
  void OnDeleted(const ports::WatchEvent& event);
  void OnListEnd();
  void SetStale(bool stale);
  void Gone(std::map<scheduler::Key, Version>::iterator it);

  [[nodiscard]] bool GoesBack(const Version* known, const crds::ObjectMeta& now) const;

  Handler handler_;
  std::map<scheduler::Key, Version> versions_;
  scheduler::GoneUids gone_;
  std::set<scheduler::Key> in_list_;  // Seen since the list under way began.
  bool nameless_in_list_ = false;     // The list holds an object of which not even the name reads.
  bool synced_ = false;
  bool stale_ = false;
};

}  // namespace muster::controllers
