// All tables of the cluster, as plain data with look-ups. Cluster is the face to readers; only the
// functions of model/ write here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/base/row_index.h"
#include "scheduler/model/columns.h"
#include "scheduler/model/node_table.h"
#include "scheduler/model/resources.h"
#include "scheduler/model/rows.h"
#include "scheduler/model/shapes.h"

namespace muster::scheduler {

struct Tables {
  Columns columns;
  ResourceTable resources;
  ShapeTable shapes;
  NodeTable nodes;
  std::vector<PodRow> pods;
  std::vector<GangRow> gangs;
  std::vector<QueueRow> queues;
  std::vector<NamespaceRow> namespaces;
  std::map<std::string, std::int32_t> priority_classes;
  std::map<std::uint64_t, EntryRow> entries;
  std::uint64_t next_entry = 1;  // Above every id ever seen.
  bool synced = false;
  bool pages_lost = false;  // Of Synced: with a page, intent may be lost.
  Touched touched;

  [[nodiscard]] std::optional<PodId> FindPod(std::string_view uid) const;
  [[nodiscard]] std::optional<GangId> FindGang(const Key& key) const;
  [[nodiscard]] std::optional<QueueId> FindQueue(std::string_view name) const;
  [[nodiscard]] Record record(PodId id) const {
    return static_cast<Record>(columns.Get({Column::kPodRecord, id.value}));
  }
  [[nodiscard]] std::optional<NodeId> node_of(PodId id) const {
    const std::int64_t cell = columns.Get({Column::kPodNode, id.value});
    if (cell == 0) return std::nullopt;
    return NodeId{static_cast<std::uint32_t>(cell - 1)};
  }
  [[nodiscard]] std::optional<QueueId> charge_of(PodId id) const {
    const std::int64_t cell = columns.Get({Column::kPodCharge, id.value});
    if (cell == 0) return std::nullopt;
    return QueueId{static_cast<std::uint32_t>(cell - 1)};
  }
  [[nodiscard]] std::span<const std::int64_t> used(NodeId id) const {
    const std::size_t width = columns.width();
    return columns.Row(Column::kNodeUsed, id.value * width, width);
  }
  [[nodiscard]] std::span<const std::int64_t> usage(QueueId id) const {
    const std::size_t width = columns.width();
    return columns.Row(Column::kQueueUsage, id.value * width, width);
  }

  // Look-ups by key; the keys are in the rows.
  RowIndex pod_index, gang_index, queue_index, namespace_index;
};

}  // namespace muster::scheduler
