#include "scheduler/solve/backlog.h"

namespace muster::scheduler {

std::map<OrderKey, GangId>& Backlog::heads(Work::Kind kind) {
  return kind == Work::Kind::kMinimum ? minimum_heads_ : surplus_heads_;
}

void Backlog::AddHead(const ClassKey& key, const WaitClass& c) {
  if (c.refused_by == RefusedBy::kNobody && !c.gangs.empty())
    heads(key.kind).insert(*c.gangs.begin());
}

void Backlog::RemoveHead(const ClassKey& key, const WaitClass& c) {
  if (c.refused_by == RefusedBy::kNobody && !c.gangs.empty()) {
    heads(key.kind).erase(c.gangs.begin()->first);
  }
}

void Backlog::File(GangId gang, const ClassKey& key, OrderKey order) {
  MUSTER_CHECK(key.kind == Work::Kind::kMinimum || key.kind == Work::Kind::kSurplus);
  const auto at = places_.find(gang);
  if (at != places_.end() && at->second.key == key && at->second.order == order) return;
  Remove(gang);
  WaitClass& c = classes_[key];
  RemoveHead(key, c);
  const bool is_new = c.gangs.emplace(order, gang).second;
  MUSTER_CHECK(is_new);
  c.joined.emplace(order, gang);
  AddHead(key, c);
  places_.emplace(gang, Place{key, std::move(order), c.refusals});
}

void Backlog::Remove(GangId gang) {
  const auto at = places_.find(gang);
  if (at == places_.end()) return;
  const ClassKey key = at->second.key;
  const auto it = classes_.find(key);
  MUSTER_CHECK(it != classes_.end());
  RemoveHead(key, it->second);
  it->second.gangs.erase(at->second.order);
  it->second.joined.erase(at->second.order);
  AddHead(key, it->second);
  if (it->second.gangs.empty()) {
    searched_.erase(key);
    classes_.erase(it);
  }
  places_.erase(at);
}

std::optional<GangId> Backlog::Head(Work::Kind kind) const {
  const auto& heads = kind == Work::Kind::kMinimum ? minimum_heads_ : surplus_heads_;
  if (heads.empty()) return std::nullopt;
  return heads.begin()->second;
}

const ClassKey* Backlog::ClassOf(GangId gang) const {
  const auto at = places_.find(gang);
  return at == places_.end() ? nullptr : &at->second.key;
}

void Backlog::Close(const ClassKey& key, RefusedBy by) {
  MUSTER_CHECK(by != RefusedBy::kNobody);
  const auto it = classes_.find(key);
  MUSTER_CHECK(it != classes_.end());
  RemoveHead(key, it->second);
  it->second.refused_by = by;
  if (it->second.opened_by == OpenedBy::kNews) ++it->second.refusals;
  it->second.opened_by = OpenedBy::kNews;
  it->second.search_epoch = 0;
}

void Backlog::Open(const ClassKey& key, const std::string& woken_by) {
  OpenByTime(key, OpenedBy::kNews);
  classes_.at(key).woken_by = woken_by;
}

void Backlog::OpenByTime(const ClassKey& key, OpenedBy by) {
  const auto it = classes_.find(key);
  MUSTER_CHECK(it != classes_.end() && it->second.refused_by != RefusedBy::kNobody);
  it->second.refused_by = RefusedBy::kNobody;
  it->second.opened_by = by;
  it->second.searched = false;
  searched_.erase(key);
  AddHead(key, it->second);
}

void Backlog::CloseSearched(const ClassKey& key, std::uint64_t epoch, std::int32_t steps) {
  const auto it = classes_.find(key);
  MUSTER_CHECK(it != classes_.end());
  RemoveHead(key, it->second);
  it->second.refused_by = RefusedBy::kNodes;
  it->second.searched = true;
  it->second.search_epoch = epoch;
  it->second.search_steps = steps;
  it->second.search_news.clear();
  searched_.insert(key);
}

void Backlog::NoteNews(const ClassKey& key, const std::string& cause) {
  WaitClass& c = classes_.at(key);
  if (c.refused_by == RefusedBy::kNobody) {
    c.opened_by = OpenedBy::kNews;
  } else if (c.search_news.empty()) {
    c.search_news = cause;
  }
}

void Backlog::Blame(const ClassKey& key, RefusedBy by) {
  const auto it = classes_.find(key);
  MUSTER_CHECK(it != classes_.end() && it->second.refused_by != RefusedBy::kNobody);
  MUSTER_CHECK(by != RefusedBy::kNobody);
  it->second.refused_by = by;
}

std::int32_t Backlog::RefusalsOf(GangId gang) const {
  const auto at = places_.find(gang);
  if (at == places_.end()) return 0;
  return classes_.at(at->second.key).refusals - at->second.refusals_before;
}

std::int32_t Backlog::PositionOf(GangId gang) const {
  const auto at = places_.find(gang);
  if (at == places_.end() || at->second.key.kind != Work::Kind::kMinimum) return 0;
  std::int32_t before = 0;
  for (const auto& [key, c] : classes_) {
    if (key.kind != Work::Kind::kMinimum || key.queue != at->second.key.queue) continue;
    for (const auto& [order, other] : c.gangs) {
      if (order >= at->second.order) break;
      ++before;
    }
  }
  return before + 1;
}

}  // namespace muster::scheduler
