#include "scheduler/model/uids.h"

#include <algorithm>

#include "scheduler/base/check.h"

namespace muster::scheduler {

std::uint32_t UidTable::Add(std::string_view uid, PodId pod) {
  MUSTER_CHECK(!uid.empty());
  auto row = Find(uid);
  if (!row && free_.empty()) {
    row = static_cast<std::uint32_t>(rows_.size());
    rows_.emplace_back();
  } else if (!row) {
    row = free_.back();
    free_.pop_back();
  }
  Row& entry = rows_[*row];
  if (entry.pods.empty()) {
    entry.uid = uid;
    index_.Insert(HashText(uid), *row);
  }
  const auto at = std::lower_bound(entry.pods.begin(), entry.pods.end(), pod);
  MUSTER_CHECK(at == entry.pods.end() || *at != pod);
  entry.pods.insert(at, pod);
  return *row;
}

void UidTable::Remove(std::uint32_t id, PodId pod) {
  MUSTER_CHECK(id != 0 && id < rows_.size());
  Row& row = rows_[id];
  const auto at = std::lower_bound(row.pods.begin(), row.pods.end(), pod);
  MUSTER_CHECK(at != row.pods.end() && *at == pod);
  row.pods.erase(at);
  // The last pod of a PodGroup takes the uid with it.
  if (!row.pods.empty()) return;
  index_.Erase(HashText(row.uid), id);
  row = Row{};
  free_.push_back(id);
}

std::span<const PodId> UidTable::pods(std::string_view uid) const {
  const auto row = Find(uid);
  if (!row) return {};
  return rows_[*row].pods;
}

std::optional<std::uint32_t> UidTable::Find(std::string_view uid) const {
  return index_.Find(HashText(uid), [&](std::uint32_t row) { return rows_[row].uid == uid; });
}

void GoneUids::Add(const Uid& uid) {
  if (Contains(uid)) return;
  if (ring_.size() < kMax) {
    index_.Insert(HashText(uid), static_cast<std::uint32_t>(ring_.size()));
    ring_.push_back(uid);
    return;
  }
  // The oldest makes room.
  const auto row = static_cast<std::uint32_t>(next_);
  index_.Erase(HashText(ring_[next_]), row);
  ring_[next_] = uid;
  index_.Insert(HashText(uid), row);
  next_ = (next_ + 1) % kMax;
}

bool GoneUids::Contains(std::string_view uid) const {
  const auto same = [&](std::uint32_t row) { return ring_[row] == uid; };
  return index_.Find(HashText(uid), same).has_value();
}

std::vector<Uid> GoneUids::InOrder() const {
  std::vector<Uid> result = ring_;
  std::rotate(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(next_), result.end());
  return result;
}

}  // namespace muster::scheduler
