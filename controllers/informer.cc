#include "controllers/informer.h"

#include <compare>
#include <utility>

#include "controllers/numbers.h"
#include "scheduler/base/check.h"

namespace muster::controllers {

using crds::MetaOf;

Informer::Informer(Handler handler) : handler_(std::move(handler)) {}

void Informer::On(const ports::WatchEvent& event) {
  using Type = ports::WatchEvent::Type;
  switch (event.type) {
    case Type::kListed:
    case Type::kAdded:
    case Type::kModified:
      OnObject(event);
      break;
    case Type::kDeleted:
      OnDeleted(event);
      break;
    case Type::kListEnd:
      OnListEnd();
      SetStale(false);
      break;
    case Type::kInvalid:
      OnInvalid(event);
      break;
    case Type::kLost:
      // What a broken list showed says nothing about the next one.
      in_list_.clear();
      nameless_in_list_ = false;
      handler_.lost(event.error);
      SetStale(true);
      break;
    case Type::kCut:
      SetStale(true);
      break;
    case Type::kBookmark:
      SetStale(false);
      break;
  }
}

const Informer::Version* Informer::Find(const scheduler::Key& key) const {
  const auto it = versions_.find(key);
  return it == versions_.end() ? nullptr : &it->second;
}

void Informer::OnObject(const ports::WatchEvent& event) {
  const crds::ObjectMeta* meta = MetaOf(event.object);
  MUSTER_CHECK(meta != nullptr);
  scheduler::Key key{meta->ns, meta->name};
  if (event.type == ports::WatchEvent::Type::kListed) in_list_.insert(key);
  const auto known = versions_.find(key);
  const bool same = known != versions_.end() && known->second.uid == meta->uid;
  if (same && known->second.resource_version == meta->resource_version) return;
  if (handler_.went_back && GoesBack(same ? &known->second : nullptr, *meta)) {
    return handler_.went_back({key, meta->uid});
  }
  // Noted before the callback, which may look the object up.
  if (same) {
    known->second.resource_version = meta->resource_version;
  } else {
    // The deletion in between was missed: whoever holds state by uid must hear of it.
    if (known != versions_.end()) Gone(known);
    versions_[std::move(key)] = {meta->uid, meta->resource_version};
  }
  handler_.seen(event.object);
}

bool Informer::GoesBack(const Version* known, const crds::ObjectMeta& now) const {
  if (known != nullptr) {
    return std::is_lt(CompareVersions(now.resource_version, known->resource_version));
  }
  return gone_.Contains(now.uid);
}

void Informer::OnDeleted(const ports::WatchEvent& event) {
  const crds::ObjectMeta* meta = MetaOf(event.object);
  const auto known = versions_.find(meta != nullptr ? scheduler::Key{meta->ns, meta->name}
                                                    : scheduler::Key{event.ns, event.name});
  if (known == versions_.end()) return;
  // The end of an object of which the successor is known already.
  if (meta != nullptr && meta->uid != known->second.uid) return;
  Gone(known);
}

void Informer::OnInvalid(const ports::WatchEvent& event) {
  // It counts as present, so that the end of the list does not take it for gone.
  if (event.name.empty()) {
    nameless_in_list_ = true;
  } else {
    in_list_.insert({event.ns, event.name});
  }
  handler_.invalid(event.error);
}

void Informer::OnListEnd() {
  // With an object that has no readable name in the list, nobody can be called gone by its absence.
  for (auto it = versions_.begin(); it != versions_.end() && !nameless_in_list_;) {
    const auto next = std::next(it);
    if (!in_list_.contains(it->first)) Gone(it);
    it = next;
  }
  in_list_.clear();
  nameless_in_list_ = false;
  synced_ = true;
  handler_.listed();
}

void Informer::SetStale(bool stale) {
  if (std::exchange(stale_, stale) != stale) handler_.stale_changed();
}

void Informer::Gone(std::map<scheduler::Key, Version>::iterator it) {
  // A copy: the entry is gone before the callback runs.
  const Ref ref{it->first, it->second.uid};
  versions_.erase(it);
  gone_.Add(ref.uid);
  handler_.gone(ref);
}

}  // namespace muster::controllers
