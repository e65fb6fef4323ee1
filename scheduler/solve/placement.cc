#include "scheduler/solve/placement.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "scheduler/solve/cluster_scores.h"
#include "scheduler/solve/place_domains.h"

namespace muster::scheduler {
namespace {

struct Candidate {
  NodeId node;
  std::uint64_t key = 0;
  std::int32_t slots = 0;
  std::int64_t slots_from_here = 0;  // Of this candidate and all behind it.
};

struct Group {
  ShapeId shape;
  std::vector<PodId> pods;
  std::int64_t slack = 0;             // Slots of the domain beyond its pods, all free.
  std::vector<Candidate> candidates;  // Best first; as of when its search began.
};

std::vector<Group> GroupByShape(const PlaceContext& context, std::span<const PodId> pods) {
  std::map<ShapeId, std::size_t> at;
  std::vector<Group> groups;
  for (const PodId pod : pods) {
    const ShapeId shape = context.cluster.shape_of(pod);
    const auto [it, is_new] = at.try_emplace(shape, groups.size());
    if (is_new) groups.push_back({.shape = shape, .pods = {}, .candidates = {}});
    groups[it->second].pods.push_back(pod);
  }
  return groups;
}

// Puts as many of the first of `pods` on the node as it has slots; returns how many.
std::size_t FillNode(const PlaceContext& context, NodeId node, std::int32_t slots,
                     std::span<const PodId> pods, std::vector<Assignment>& out) {
  const auto some = pods.first(std::min(static_cast<std::size_t>(slots), pods.size()));
  context.transaction.Place(some, node);
  --context.steps_left;
  for (const PodId pod : some) out.push_back({pod, node});
  return some.size();
}

// A node is filled before the next one is used, and no other changes its key by that: the order is
// the one at the beginning.
std::size_t FillByScores(const PlaceContext& context, const ShapeIndex& index,
                         const ClusterScores& scores, std::span<const PodId> pods,
                         std::vector<Assignment>& out) {
  std::vector<std::pair<std::uint64_t, NodeId>> nodes;
  for (const NodeId node : context.cluster.nodes()) {
    if (index.key(node) != 0) nodes.emplace_back(scores.Key(index, node), node);
  }
  std::ranges::make_heap(nodes);  // Few of many are needed.
  std::size_t placed = 0;
  while (placed < pods.size() && !nodes.empty()) {
    std::ranges::pop_heap(nodes);
    const NodeId node = nodes.back().second;
    nodes.pop_back();
    placed += FillNode(context, node, index.verdict(node).slots, pods.subspan(placed), out);
  }
  return placed;
}

// Puts pods of one shape onto the best nodes until `pods` or the nodes are used up; returns how
// many went in.
std::size_t Fill(const PlaceContext& context, ShapeId shape, std::span<const PodId> pods,
                 std::vector<Assignment>& out) {
  const ClusterScores scores(context.cluster, context.plugins, pods);
  if (!scores.empty()) {
    const ShapeIndex& index = context.indexes.At(context.cluster, shape);
    return FillByScores(context, index, scores, pods, out);
  }
  std::size_t placed = 0;
  while (placed < pods.size()) {
    const ShapeIndex& index = context.indexes.At(context.cluster, shape);
    const std::optional<NodeId> best = index.Best();
    if (!best) break;
    placed += FillNode(context, *best, index.verdict(*best).slots, pods.subspan(placed), out);
  }
  return placed;
}

// Pods of one shape into a domain that has slots for them.
void FillDomain(const PlaceContext& context, DomainId domain, ShapeId shape,
                std::span<const PodId> pods, std::vector<Assignment>& out) {
  const Topology& topology = context.indexes.TopologyOf(context.cluster);
  const ShapeIndex& index = context.indexes.At(context.cluster, shape);
  const ClusterScores scores(context.cluster, context.plugins, pods);
  std::size_t placed = 0;
  const auto count = static_cast<std::int64_t>(pods.size());
  for (const NodeShare& share : SharesIn(index, topology, scores, domain, count)) {
    placed += FillNode(context, share.node, share.pods, pods.subspan(placed), out);
  }
  MUSTER_CHECK(placed == pods.size());  // The slots were counted.
}

// The search over several shapes: a stack of choices "this node gets so many pods of this group".
class Search {
 public:
  // The scores are asked if `context` says of which plugins.
  Search(const PlaceContext& context, std::vector<Group> groups, DomainId domain)
      : context_(context),
        groups_(std::move(groups)),
        domain_(domain),
        nodes_(context.indexes.TopologyOf(context.cluster).NodesIn(domain)) {
    for (const Group& group : groups_) {
      scores_.emplace_back(context.cluster, context.plugins, group.pods);
    }
  }

  bool Run() {
    if (!Begin(0)) return false;
    bool forward = true;
    while (context_.steps_left > 0) {
      if (forward && group_ == groups_.size()) return true;
      forward = forward ? Advance() : Retreat();
      if (!forward && choices_.empty()) return false;
    }
    out_of_steps_ = true;
    return false;
  }

  [[nodiscard]] bool out_of_steps() const { return out_of_steps_; }
  [[nodiscard]] bool has_scores() const {
    return !std::ranges::all_of(scores_, &ClusterScores::empty);
  }
  [[nodiscard]] std::vector<Assignment> Assignments() const {
    std::vector<Assignment> out;
    std::vector<std::size_t> next(groups_.size(), 0);
    for (const Choice& choice : choices_) {
      const Group& group = groups_[choice.group];
      for (std::int32_t i = 0; i < choice.count; ++i) {
        out.push_back({group.pods[next[choice.group]++], group.candidates[choice.at].node});
      }
    }
    return out;
  }

 private:
  struct Choice {
    std::size_t group = 0, at = 0;
    std::int32_t count = 0;
    std::size_t placed_before = 0;  // Pods of the group placed by earlier choices.
    std::size_t mark = 0;           // Of the Transaction, before this choice.
  };

  // Enters a group: its candidates under what is placed by now. False: it cannot be placed whole.
  bool Begin(std::size_t group) {
    group_ = group;
    at_ = 0;
    placed_ = 0;
    if (group == groups_.size()) return true;
    Group& g = groups_[group];
    const ShapeIndex& index = context_.indexes.At(context_.cluster, g.shape);
    if (index.slots(domain_) < static_cast<std::int64_t>(g.pods.size())) return false;
    g.candidates.clear();
    for (const NodeId node : nodes_) {
      const std::int32_t slots = index.verdict(node).slots;
      if (slots > 0) g.candidates.push_back({node, scores_[group].Key(index, node), slots});
    }
    std::ranges::sort(g.candidates, std::greater(), &Candidate::key);
    std::int64_t sum = 0;
    for (std::size_t i = g.candidates.size(); i-- > 0;) {
      sum += g.candidates[i].slots;
      g.candidates[i].slots_from_here = sum;
    }
    return true;
  }

  // Takes the next node of the group, with as many pods as it holds. False: the group cannot be
  // completed from here.
  bool Advance() {
    Group& g = groups_[group_];
    const std::size_t left = g.pods.size() - placed_;
    if (left == 0) return Begin(group_ + 1);
    if (at_ == g.candidates.size()) return false;
    if (g.candidates[at_].slots_from_here < static_cast<std::int64_t>(left)) return false;
    const auto count = static_cast<std::int32_t>(
        std::min(left, static_cast<std::size_t>(g.candidates[at_].slots)));
    Choose({group_, at_, count, placed_, context_.transaction.mark()});
    return true;
  }

  // Undoes the last choice that can be made smaller by one pod and makes it so.
  bool Retreat() {
    while (!choices_.empty()) {
      Choice choice = choices_.back();
      choices_.pop_back();
      context_.transaction.RollbackTo(choice.mark);
      if (choice.count == 0) continue;
      --choice.count;
      group_ = choice.group;
      Choose(choice);
      return true;
    }
    return false;
  }

  void Choose(const Choice& choice) {
    --context_.steps_left;
    const Group& g = groups_[choice.group];
    if (choice.count > 0) {
      context_.transaction.Place(
          std::span(g.pods).subspan(choice.placed_before, static_cast<std::size_t>(choice.count)),
          g.candidates[choice.at].node);
    }
    placed_ = choice.placed_before + static_cast<std::size_t>(choice.count);
    at_ = choice.at + 1;
    choices_.push_back(choice);
  }

  const PlaceContext& context_;
  std::vector<Group> groups_;
  std::vector<ClusterScores> scores_;  // Parallel to groups_.
  DomainId domain_;
  std::vector<NodeId> nodes_;
  std::vector<Choice> choices_;
  std::size_t group_ = 0, at_ = 0, placed_ = 0;
  bool out_of_steps_ = false;
};

// Back into the order of the pods that were given.
void Reorder(std::span<const PodId> pods, std::vector<Assignment>& assignments) {
  std::map<PodId, NodeId> nodes;
  for (const Assignment& a : assignments) nodes.emplace(a.pod, a.node);
  assignments.clear();
  for (const PodId pod : pods) {
    const auto it = nodes.find(pod);
    if (it != nodes.end()) assignments.push_back({pod, it->second});
  }
}

// Most constrained first; equal ones by what they ask for, since ids have no order of meaning.
void SortByNeed(const PlaceContext& context, DomainId domain, std::vector<Group>& groups) {
  for (Group& group : groups) {
    group.slack = context.indexes.At(context.cluster, group.shape).slots(domain) -
                  static_cast<std::int64_t>(group.pods.size());
  }
  std::sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    if (a.slack != b.slack) return a.slack < b.slack;
    return context.cluster.shape(a.shape) < context.cluster.shape(b.shape);
  });
}

// Whether there is a way, and in how many steps, is found without the scores of scope kCluster.
// Where there is one it is looked for once more in the order that they make, with twice the steps,
// out of no budget; in vain, and all stay where they were.
void SearchIn(const PlaceContext& context, std::vector<Group> groups, DomainId domain,
              Placement& placement) {
  SortByNeed(context, domain, groups);
  const std::size_t mark = context.transaction.mark();
  const std::int32_t before = context.steps_left;
  const PlaceContext plain{context.cluster, context.indexes, context.transaction,
                           context.steps_left};
  Search search(plain, groups, domain);
  placement.searched = true;
  placement.ok = search.Run();
  placement.out_of_steps = search.out_of_steps();
  if (!placement.ok) {
    context.transaction.RollbackTo(mark);
    return;
  }
  placement.assignments = search.Assignments();
  std::int32_t more_steps = 2 * (before - context.steps_left);
  const PlaceContext scored{context.cluster, context.indexes, context.transaction, more_steps,
                            context.plugins};
  Search again(scored, std::move(groups), domain);
  if (!again.has_scores()) return;
  context.transaction.RollbackTo(mark);
  if (again.Run()) {
    placement.assignments = again.Assignments();
    return;
  }
  context.transaction.RollbackTo(mark);
  for (const Assignment& a : placement.assignments) {
    context.transaction.Place(std::span(&a.pod, 1), a.node);
  }
}

// Those of the level with slots for every group, best fit first.
std::vector<DomainSlots> HoldersOf(const PlaceContext& context, const std::vector<Group>& groups,
                                   const DomainRange& range, LevelId level) {
  const Topology& topology = context.indexes.TopologyOf(context.cluster);
  std::vector<DomainSlots> candidates = CandidatesOf(topology, range, level);
  for (const Group& group : groups) {
    const ShapeIndex& index = context.indexes.At(context.cluster, group.shape);
    Narrow(candidates, index, static_cast<std::int64_t>(group.pods.size()));
  }
  SortByFit(candidates);
  return candidates;
}

void PlaceAtLevel(const PlaceContext& context, const std::vector<Group>& groups,
                  const DomainRange& range, LevelId level, Placement& placement) {
  for (const DomainSlots& holder : HoldersOf(context, groups, range, level)) {
    if (groups.size() > 1) {
      SearchIn(context, groups, holder.domain, placement);
      if (placement.ok || placement.out_of_steps) return;
      continue;
    }
    const Group& group = groups.front();
    if (range.anywhere()) {
      const std::size_t placed = Fill(context, group.shape, group.pods, placement.assignments);
      MUSTER_CHECK(placed == group.pods.size());  // The slots were counted.
    } else {
      FillDomain(context, holder.domain, group.shape, group.pods, placement.assignments);
    }
    placement.ok = true;
    return;
  }
}

// The best fit for all of them, else what takes most of them; none: nothing takes any.
std::optional<DomainId> DomainForMost(const PlaceContext& context, const std::vector<Group>& groups,
                                      const DomainRange& range) {
  for (LevelId level = range.inner;; --level) {
    const std::vector<DomainSlots> holders = HoldersOf(context, groups, range, level);
    if (!holders.empty()) return holders.front().domain;
    if (level == range.outer) break;
  }
  const Topology& topology = context.indexes.TopologyOf(context.cluster);
  std::vector<DomainSlots> fits = CandidatesOf(topology, range, range.outer);
  for (const Group& group : groups) {
    const ShapeIndex& index = context.indexes.At(context.cluster, group.shape);
    const auto wanted = static_cast<std::int64_t>(group.pods.size());
    for (DomainSlots& fit : fits) fit.slots += std::min(wanted, index.slots(fit.domain));
  }
  const auto most = std::ranges::max_element(fits, {}, &DomainSlots::slots);
  if (most == fits.end() || most->slots == 0) return std::nullopt;
  return most->domain;
}

}  // namespace

Placement PlaceAll(const PlaceContext& context, std::span<const PodId> pods,
                   const DomainRange& range) {
  Placement placement;
  const std::vector<Group> groups = GroupByShape(context, pods);
  for (LevelId level = range.inner;; --level) {
    PlaceAtLevel(context, groups, range, level, placement);
    if (placement.ok || placement.out_of_steps || level == range.outer) break;
  }
  if (groups.size() > 1) Reorder(pods, placement.assignments);
  return placement;
}

Placement PlaceSome(const PlaceContext& context, std::span<const PodId> pods,
                    const DomainRange& range) {
  Placement placement;
  const std::vector<Group> groups = GroupByShape(context, pods);
  const auto domain = range.anywhere() ? std::nullopt : DomainForMost(context, groups, range);
  for (const Group& group : groups) {
    if (range.anywhere()) Fill(context, group.shape, group.pods, placement.assignments);
    if (!domain) continue;
    const ShapeIndex& index = context.indexes.At(context.cluster, group.shape);
    const auto slots = static_cast<std::size_t>(index.slots(*domain));
    const auto some = std::span(group.pods).first(std::min(group.pods.size(), slots));
    if (!some.empty()) {
      FillDomain(context, *domain, group.shape, some, placement.assignments);
    }
  }
  Reorder(pods, placement.assignments);
  placement.ok = placement.assignments.size() == pods.size();
  return placement;
}

}  // namespace muster::scheduler
