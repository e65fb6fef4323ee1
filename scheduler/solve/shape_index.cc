#include "scheduler/solve/shape_index.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace muster::scheduler {
namespace {

constexpr int kNameBits = 40;
constexpr std::uint64_t kNameMask = (std::uint64_t{1} << kNameBits) - 1;

// The first filter that says no gives the reason, as in kube-scheduler; later ones are asked only
// for whether the node is eligible at all.
void Refuse(ShapeIndex::Verdict& verdict, const Fit& fit) {
  verdict.slots = 0;
  if (!verdict.reason.empty() || verdict.lacking != 0) return;
  verdict.reason = fit.reason;
  verdict.lacking = fit.lacking;
}

}  // namespace

ShapeIndex::ShapeIndex(const Cluster& cluster, const PluginSet& plugins, const Topology& topology,
                       ShapeId shape)
    : topology_(&topology),
      shape_(shape),
      version_(cluster.shapes().version(shape)),
      order_epoch_(cluster.order_epoch()),
      resources_(cluster.resources().size()),
      seq_(cluster.columns().change_seq()) {
  const PodView pod{cluster, shape};
  for (const PluginSet::Filter& filter : plugins.filters) {
    if (!filter.plugin->Applies(pod)) continue;
    filters_.push_back({.plugin = filter.plugin,
                        .prepared = filter.plugin->Prepare(pod),
                        .of_object = filter.plugin->scope() == Scope::kNodeSpec});
  }
  for (const PluginSet::Score& score : plugins.scores) {
    if (!score.plugin->Applies(pod)) continue;
    const bool plain = score.plugin->normalize() == ScorePlugin::Normalize::kNone;
    (plain ? plain_ : normalised_)
        .push_back({score.name, score.plugin, score.weight, score.plugin->Prepare(pod)});
  }
  raw_counts_.resize(normalised_.size());
  raw_max_.assign(normalised_.size(), 0);
  Grow(cluster);
  for (const NodeId node : cluster.nodes()) (void)Evaluate(cluster, node, true);
  for (std::size_t i = 0; i < raw_counts_.size(); ++i) {
    if (!raw_counts_[i].empty()) raw_max_[i] = raw_counts_[i].rbegin()->first;
  }
  SetAllKeys(cluster);
  CountDomains(cluster);
  SetBaseline();
}

void ShapeIndex::Grow(const Cluster& cluster) {
  const std::size_t rows = cluster.node_rows();
  if (rows <= nodes_.size()) return;
  nodes_.resize(rows);
  raw_.resize(rows * normalised_.size());
  tree_.Resize(rows);
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): each way to be too late is one line.
bool ShapeIndex::CatchUp(const Cluster& cluster) {
  const std::uint64_t seq = cluster.columns().change_seq();
  if (version_ != cluster.shapes().version(shape_)) return false;
  if (order_epoch_ != cluster.order_epoch()) return false;
  if (resources_ != cluster.resources().size()) return false;
  if (seq_ == seq) return true;
  const auto changed = cluster.columns().ChangedSince(seq_);
  // However many: what is told between two decisions leaves its trace in the log too, and must not
  // decide which indexes are kept.
  if (!changed) return false;
  seq_ = seq;
  Grow(cluster);
  Gather(*changed);
  const std::size_t first = changed_.size();
  for (const NodeId node : logged_) {
    if (Evaluate(cluster, node, nodes_[node.value].object)) changed_.push_back(node);
  }
  bool moved = false;
  for (std::size_t i = 0; i < raw_counts_.size(); ++i) {
    const std::int64_t max = raw_counts_[i].empty() ? 0 : raw_counts_[i].rbegin()->first;
    moved = moved || max != raw_max_[i];
    raw_max_[i] = max;
  }
  if (layout_ != topology_->layout()) CountDomains(cluster);
  if (moved) {
    SetAllKeys(cluster);
  } else {
    for (std::size_t i = first; i < changed_.size(); ++i) SetKey(cluster, changed_[i]);
  }
  return true;
}

// Where nodes lie elsewhere by now, all is counted again.
void ShapeIndex::CountSlots(NodeId node, std::int64_t by) {
  total_slots_ += by;
  if (layout_ != topology_->layout()) return;
  DomainId domain = topology_->Of(node);
  while (domain != kWholeCluster) {
    domain_slots_[domain.value] += by;
    domain = topology_->domain(domain).parent;
  }
  domain_slots_[kWholeCluster.value] += by;
}

void ShapeIndex::CountDomains(const Cluster& cluster) {
  MUSTER_CHECK(topology_->IsCurrent(cluster));
  layout_ = topology_->layout();
  domain_slots_.assign(topology_->size(), 0);
  total_slots_ = 0;
  for (const NodeId node : cluster.nodes()) CountSlots(node, nodes_[node.value].verdict.slots);
}

// One write of a pod touches its node many times.
void ShapeIndex::Gather(std::span<const Columns::Change> changes) {
  ++pass_;
  logged_.clear();
  for (const Columns::Change& change : changes) {
    Node& node = nodes_[change.node.value];
    const bool first = std::exchange(node.pass, pass_) != pass_;
    if (first) logged_.push_back(change.node);
    node.object = change.object || (!first && node.object);
  }
}

// Without `object` what kNodeSpec filters said holds: the node was eligible and is.
void ShapeIndex::Ask(const Cluster& cluster, NodeId node, bool object) {
  Node& row = nodes_[node.value];
  Verdict& verdict = row.verdict;
  const bool exists = object ? cluster.node(node).exists : verdict.exists;
  verdict = Verdict();
  verdict.exists = exists;
  row.by_object = true;
  if (!verdict.exists) return;
  verdict.eligible = true;
  if (object) row.object_slots = kAnyNumber;
  verdict.slots = row.object_slots;
  const PodView pod{cluster, shape_};
  const NodeView view{cluster, node};
  for (const Filter& filter : filters_) {
    if (filter.of_object && !object) continue;
    row.by_object = row.by_object && filter.of_object;
    const Fit fit = filter.plugin->Filter(pod, view, filter.prepared.get());
    if (fit.pods > 0) {
      verdict.slots = std::min(verdict.slots, fit.pods);
      if (filter.of_object) row.object_slots = std::min(row.object_slots, fit.pods);
      continue;
    }
    Refuse(verdict, fit);
    if (filter.of_object) {
      verdict.eligible = false;
      return;
    }
  }
  row.by_object = false;
}

void ShapeIndex::CountRaw(NodeId node, int by) {
  if (!nodes_[node.value].verdict.eligible) return;
  for (std::size_t i = 0; i < normalised_.size(); ++i) {
    auto& counts = raw_counts_[i];
    const auto it = counts.try_emplace(Raw(node, i), 0).first;
    it->second += by;
    if (it->second == 0) counts.erase(it);
  }
}

bool ShapeIndex::Evaluate(const Cluster& cluster, NodeId node, bool object) {
  Node& row = nodes_[node.value];
  if (!object && row.by_object) return false;
  const bool all = object || !row.verdict.eligible;
  if (all) CountRaw(node, -1);
  const std::int64_t before = row.verdict.slots;
  nodes_with_slots_ -= row.verdict.slots > 0 ? 1 : 0;
  Ask(cluster, node, all);
  CountSlots(node, row.verdict.slots - before);
  nodes_with_slots_ += row.verdict.slots > 0 ? 1 : 0;
  const PodView pod{cluster, shape_};
  const NodeView view{cluster, node};
  row.base = 0;
  if (row.verdict.slots > 0) {
    for (const Score& score : plain_) {
      row.base += score.weight * score.plugin->Score(pod, view, score.prepared.get());
    }
  }
  if (!all || !row.verdict.eligible) return true;
  for (std::size_t i = 0; i < normalised_.size(); ++i) {
    const Score& score = normalised_[i];
    Raw(node, i) = score.plugin->Score(pod, view, score.prepared.get());
  }
  CountRaw(node, 1);
  return true;
}

// helper.DefaultNormalizeScore of upstream: a largest value of 0 leaves 0, or kMaxScore reversed.
std::int64_t ShapeIndex::Normalised(std::size_t which, std::int64_t raw) const {
  const bool reversed =
      normalised_[which].plugin->normalize() == ScorePlugin::Normalize::kByMaxReversed;
  const std::int64_t max = raw_max_[which];
  const std::int64_t part = max == 0 ? 0 : raw * kMaxScore / max;
  return reversed ? kMaxScore - part : part;
}

void ShapeIndex::SetKey(const Cluster& cluster, NodeId node) {
  const Node& row = nodes_[node.value];
  if (row.verdict.slots == 0) {
    tree_.Set(node.value, 0);
    return;
  }
  std::int64_t score = row.base;
  for (std::size_t i = 0; i < normalised_.size(); ++i) {
    score += normalised_[i].weight * Normalised(i, Raw(node, i));
  }
  MUSTER_CHECK(score >= 0);
  // Plus one, so that no key of a node with slots is 0. The earlier name wins a tie.
  const std::uint64_t name = kNameMask - (cluster.name_order(node) & kNameMask);
  tree_.Set(node.value, ((static_cast<std::uint64_t>(score) + 1) << kNameBits) | name);
}

void ShapeIndex::SetAllKeys(const Cluster& cluster) {
  for (const NodeId node : cluster.nodes()) SetKey(cluster, node);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].verdict.exists) tree_.Set(i, 0);
  }
}

std::optional<NodeId> ShapeIndex::Best() const {
  const std::optional<std::uint32_t> row = tree_.Best();
  if (!row) return std::nullopt;
  return NodeId{*row};
}

std::uint64_t ShapeIndex::RaisedKey(NodeId node, std::int64_t score) const {
  MUSTER_CHECK(key(node) != 0 && score >= 0);
  return key(node) + (static_cast<std::uint64_t>(score) << kNameBits);
}

std::int64_t ShapeIndex::Total(NodeId node) const {
  MUSTER_CHECK(key(node) != 0);
  return static_cast<std::int64_t>(key(node) >> kNameBits) - 1;
}

std::vector<std::pair<std::string, std::int64_t>> ShapeIndex::ScoreParts(const Cluster& cluster,
                                                                         NodeId node) const {
  const PodView pod{cluster, shape_};
  const NodeView view{cluster, node};
  std::vector<std::pair<std::string, std::int64_t>> parts;
  parts.reserve(plain_.size() + normalised_.size());
  for (const Score& score : plain_) {
    parts.emplace_back(score.name, score.plugin->Score(pod, view, score.prepared.get()));
  }
  for (std::size_t i = 0; i < normalised_.size(); ++i) {
    parts.emplace_back(normalised_[i].name, Normalised(i, Raw(node, i)));
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

std::map<std::string, std::int32_t> ShapeIndex::Histogram(const Cluster& cluster) const {
  // Literals and request bits are counted first: making a text for each node would cost more than
  // everything else here.
  std::map<std::string_view, std::int32_t> literals;
  const auto& requests = cluster.shape(shape_).requests;
  std::vector<std::int32_t> lacking(requests.size(), 0);
  for (const NodeId node : cluster.nodes()) {
    const Verdict& verdict = nodes_[node.value].verdict;
    if (verdict.slots > 0) continue;
    if (!verdict.reason.empty()) ++literals[verdict.reason];
    for (std::uint64_t bits = verdict.lacking; bits != 0; bits &= bits - 1) {
      ++lacking[static_cast<std::size_t>(std::countr_zero(bits))];
    }
  }
  std::map<std::string, std::int32_t> histogram;
  for (const auto& [reason, count] : literals) histogram[std::string(reason)] = count;
  for (std::size_t i = 0; i < lacking.size(); ++i) {
    if (lacking[i] > 0) histogram["Insufficient " + requests[i].first] = lacking[i];
  }
  return histogram;
}

void ShapeIndex::SetBaseline() {
  if (pass_ == 0) {
    for (Node& node : nodes_) node.baseline = node.verdict.slots;
  }
  for (const NodeId node : changed_) {
    nodes_[node.value].baseline = nodes_[node.value].verdict.slots;
  }
  changed_.clear();
}

bool ShapeIndex::Grew(NodeId node) const {
  return node.value < nodes_.size() &&
         nodes_[node.value].verdict.slots > nodes_[node.value].baseline;
}

std::int32_t SlotsOn(const Cluster& cluster, const PluginSet& plugins, ShapeId shape, NodeId node) {
  if (!cluster.node(node).exists) return 0;
  const PodView pod{cluster, shape};
  std::int32_t slots = kAnyNumber;
  for (const PluginSet::Filter& filter : plugins.filters) {
    if (!filter.plugin->Applies(pod)) continue;
    const auto prepared = filter.plugin->Prepare(pod);
    slots = std::min(slots, filter.plugin->Filter(pod, {cluster, node}, prepared.get()).pods);
    if (slots == 0) return 0;
  }
  return slots;
}

bool SpecAllows(const Cluster& cluster, const PluginSet& plugins, ShapeId shape, NodeId node) {
  const PodView pod{cluster, shape};
  return std::all_of(plugins.filters.begin(), plugins.filters.end(), [&](const auto& filter) {
    if (filter.plugin->scope() != Scope::kNodeSpec || !filter.plugin->Applies(pod)) return true;
    const auto prepared = filter.plugin->Prepare(pod);
    return filter.plugin->Filter(pod, {cluster, node}, prepared.get()).pods > 0;
  });
}

}  // namespace muster::scheduler
