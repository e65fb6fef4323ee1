// Two small stores of uids. UidTable interns the uids of PodGroups that pins of bound pods name,
// with the pods of each. GoneUids remembers pods that are gone, so that none comes back; it keeps
// the newest, since only answers and facts of the last moments can be late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/row_index.h"
#include "scheduler/model/event.h"

namespace muster::scheduler {

class UidTable {
 public:
  // Ids start at 1: 0 means "no pin" in rows. The pod is not in the list of `uid` yet.
  std::uint32_t Add(std::string_view uid, PodId pod);
  void Remove(std::uint32_t id, PodId pod);
  [[nodiscard]] const Uid& uid(std::uint32_t id) const { return rows_[id].uid; }
  // Sorted by PodId.
  [[nodiscard]] std::span<const PodId> pods(std::string_view uid) const;
  [[nodiscard]] std::size_t size() const { return index_.size(); }

 private:
  struct Row {
    Uid uid;
    std::vector<PodId> pods;
  };
  [[nodiscard]] std::optional<std::uint32_t> Find(std::string_view uid) const;

  std::vector<Row> rows_{1};
  std::vector<std::uint32_t> free_;
  RowIndex index_;
};

class GoneUids {
 public:
  static constexpr std::size_t kMax = 16'384;

  void Add(const Uid& uid);
  [[nodiscard]] bool Contains(std::string_view uid) const;
  // Oldest first.
  [[nodiscard]] std::vector<Uid> InOrder() const;

 private:
  std::vector<Uid> ring_;
  std::size_t next_ = 0;  // Where the next one goes once the ring is full.
  RowIndex index_;
};

}  // namespace muster::scheduler
