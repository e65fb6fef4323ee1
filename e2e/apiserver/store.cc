#include "e2e/apiserver/store.h"

#include <algorithm>
#include <utility>

#include "scheduler/base/check.h"

namespace muster::e2e {

std::string KeyOf(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  if (!ns.empty()) key.append(ns).append("/");
  return key.append(name);
}

Store::Shelf& Store::At(std::size_t storage) {
  while (shelves_.size() <= storage) shelves_.emplace_back();
  return shelves_[storage];
}

VersionPtr Store::Get(std::size_t storage, std::string_view key) const {
  const Objects& objects = All(storage);
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : found->second;
}

const Objects& Store::All(std::size_t storage) const {
  static const Objects none;
  return storage < shelves_.size() ? shelves_[storage].objects : none;
}

const History& Store::Past(std::size_t storage) const {
  static const History none;
  return storage < shelves_.size() ? shelves_[storage].past : none;
}

std::int64_t Store::Oldest(std::size_t storage) const {
  return std::max(Past(storage).forgotten, compacted_);
}

VersionPtr Store::Stamp(Json object) {
  auto version = std::make_shared<Version>();
  version->rv = ++rv_;
  version->object = std::move(object);
  version->object["metadata"]["resourceVersion"] = std::to_string(rv_);
  version->text = Dump(version->object);
  return version;
}

VersionPtr Store::Put(std::size_t storage, const std::string& key, Json object) {
  VersionPtr version = Stamp(std::move(object));
  VersionPtr& slot = At(storage).objects[key];
  Change change{.key = key, .before = slot, .after = version};
  slot = version;
  Record(storage, std::move(change));
  return version;
}

VersionPtr Store::Delete(std::size_t storage, const std::string& key) {
  Objects& objects = At(storage).objects;
  const auto found = objects.find(key);
  MUSTER_CHECK(found != objects.end());
  Change change{.key = key, .before = found->second, .after = nullptr, .deleted = true};
  objects.erase(found);
  change.after = Stamp(change.before->object);
  VersionPtr last = change.after;
  Record(storage, std::move(change));
  return last;
}

void Store::Record(std::size_t storage, Change change) {
  History& past = At(storage).past;
  if (listener_) listener_(storage, change);
  past.changes.push_back(std::move(change));
  while (past.changes.size() > history_limit_) {
    past.forgotten = past.changes.front().rv();
    past.changes.pop_front();
  }
}

std::vector<Objects> Store::Save() const {
  std::vector<Objects> all;
  for (const Shelf& shelf : shelves_) all.push_back(shelf.objects);
  return all;
}

void Store::Restore(const std::vector<Objects>& then) {
  ++rv_;
  for (std::size_t i = 0; i < shelves_.size(); ++i) {
    RestoreShelf(i, i < then.size() ? then[i] : Objects());
  }
  ForgetHistory();
}

void Store::RestoreShelf(std::size_t storage, const Objects& then) {
  const Objects now = std::exchange(shelves_[storage].objects, then);
  const auto tell = [&](Change change) {
    if (listener_) listener_(storage, change);
  };
  for (const auto& [key, before] : now) {
    const auto found = then.find(key);
    const bool same_uid = found != then.end() && before->object["metadata"]["uid"] ==
                                                     found->second->object["metadata"]["uid"];
    if (same_uid) continue;
    tell({.key = key, .before = before, .after = Stamp(before->object), .deleted = true});
  }
  for (const auto& [key, after] : then) {
    const auto found = now.find(key);
    if (found != now.end() && found->second == after) continue;
    const bool same_uid = found != now.end() && found->second->object["metadata"]["uid"] ==
                                                    after->object["metadata"]["uid"];
    tell({.key = key, .before = same_uid ? found->second : nullptr, .after = after});
  }
}

void Store::ForgetHistory() {
  for (Shelf& shelf : shelves_) shelf.past.changes.clear();
  compacted_ = rv_;
}

}  // namespace muster::e2e
