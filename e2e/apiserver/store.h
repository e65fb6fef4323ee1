// The objects and their recent past. Every write makes an immutable version {DOM, text dumped once,
// resourceVersion}; one counter numbers the writes of all kinds. Knows nothing of kinds, rules or
// requests. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

struct Version {
  Json object;
  std::string text;
  std::int64_t rv = 0;
};
using VersionPtr = std::shared_ptr<const Version>;
// Key: "namespace/name", or "name" for kinds without a namespace: the order of etcd.
using Objects = std::map<std::string, VersionPtr, std::less<>>;

struct Change {
  std::string key{};
  VersionPtr before{};  // Null when the object is new.
  VersionPtr after{};   // For a deletion the last state, under the deletion's resourceVersion.
  bool deleted = false;
  [[nodiscard]] std::int64_t rv() const { return after->rv; }
};

struct History {
  std::deque<Change> changes;  // Oldest first.
  std::int64_t forgotten = 0;  // Of the newest change that is no longer held.
};

[[nodiscard]] std::string KeyOf(std::string_view ns, std::string_view name);

class Store {
 public:
  explicit Store(std::size_t history_limit) : history_limit_(history_limit) {}

  [[nodiscard]] std::int64_t rv() const { return rv_; }
  [[nodiscard]] VersionPtr Get(std::size_t storage, std::string_view key) const;
  [[nodiscard]] const Objects& All(std::size_t storage) const;
  [[nodiscard]] const History& Past(std::size_t storage) const;
  // Changes up to this resourceVersion are forgotten, so nobody can watch from before it.
  [[nodiscard]] std::int64_t Oldest(std::size_t storage) const;

  // Stamps metadata.resourceVersion, keeps the version and tells the listener.
  VersionPtr Put(std::size_t storage, const std::string& key, Json object);
  // The object must be there.
  VersionPtr Delete(std::size_t storage, const std::string& key);
  void ForgetHistory();

  // All objects, by storage.
  [[nodiscard]] std::vector<Objects> Save() const;
  // The objects and their resourceVersions are those of then again; the counter goes on, and the
  // history is forgotten. The listener hears of each difference.
  void Restore(const std::vector<Objects>& then);

  // Called after each change, within Put and Delete.
  void OnChange(std::function<void(std::size_t storage, const Change&)> listener) {
    listener_ = std::move(listener);
  }

 private:
  struct Shelf {
    Objects objects;
    History past;
  };
  Shelf& At(std::size_t storage);
  VersionPtr Stamp(Json object);
  void RestoreShelf(std::size_t storage, const Objects& then);
  void Record(std::size_t storage, Change change);

  std::size_t history_limit_;
  std::int64_t rv_ = 0;
  std::int64_t compacted_ = 0;
  std::deque<Shelf> shelves_;  // By storage; grows on first use.
  std::function<void(std::size_t, const Change&)> listener_;
};

}  // namespace muster::e2e
