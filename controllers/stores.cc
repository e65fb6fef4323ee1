#include "controllers/stores.h"

#include <utility>

namespace muster::controllers {
namespace {

template <class Map, class Key>
const typename Map::mapped_type* FindIn(const Map& map, const Key& key) {
  const auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

}  // namespace

const PodRecord* Stores::pod(const scheduler::Key& key) const {
  return FindIn(pods_, key);
}

const NodeRecord* Stores::node(std::string_view name) const {
  return FindIn(nodes_, name);
}

const crds::PodGroup* Stores::group(const scheduler::Key& key) const {
  return FindIn(groups_, key);
}

const crds::Queue* Stores::queue(std::string_view name) const {
  return FindIn(queues_, name);
}

const scheduler::Key* Stores::group_of_uid(std::string_view uid) const {
  return FindIn(group_of_uid_, uid);
}

const std::set<scheduler::Key>& Stores::pods_of(const scheduler::Key& gang) const {
  static const std::set<scheduler::Key> none;
  const auto* pods = FindIn(pods_of_, gang);
  return pods == nullptr ? none : *pods;
}

void Stores::Put(PodRecord record) {
  const auto known = pods_.find(record.key);
  if (known != pods_.end() && known->second.gang == record.gang) {
    known->second = std::move(record);
    return;
  }
  ErasePod(record.key);
  pods_of_[record.gang].insert(record.key);
  scheduler::Key key = record.key;
  pods_.emplace(std::move(key), std::move(record));
}

void Stores::Put(const std::string& name, NodeRecord record) {
  nodes_[name] = std::move(record);
}

void Stores::Put(crds::PodGroup group) {
  const scheduler::Key key{group.meta.ns, group.meta.name};
  EraseGroup(key);  // With the index of its former uid.
  group_of_uid_[group.meta.uid] = key;
  groups_.emplace(key, std::move(group));
}

void Stores::Put(crds::Queue queue) {
  std::string name = queue.meta.name;
  queues_[std::move(name)] = std::move(queue);
}

void Stores::ErasePod(const scheduler::Key& key) {
  const auto it = pods_.find(key);
  if (it == pods_.end()) return;
  // Every pod is in the set of its gang; an empty set does not stay.
  const auto gang = pods_of_.find(it->second.gang);
  gang->second.erase(key);
  if (gang->second.empty()) pods_of_.erase(gang);
  pods_.erase(it);
}

void Stores::EraseNode(const std::string& name) {
  nodes_.erase(name);
}

void Stores::EraseGroup(const scheduler::Key& key) {
  const auto it = groups_.find(key);
  if (it == groups_.end()) return;
  group_of_uid_.erase(it->second.meta.uid);
  groups_.erase(it);
}

void Stores::EraseQueue(const std::string& name) {
  queues_.erase(name);
}

}  // namespace muster::controllers
