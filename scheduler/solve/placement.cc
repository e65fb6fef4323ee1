#include "scheduler/solve/placement.h"

#include <algorithm>
#include <map>
#include <optional>

namespace muster::scheduler {
namespace {

struct Candidate {
  NodeId node;
  std::int32_t slots = 0;
  std::int64_t slots_from_here = 0;  // Of this candidate and all behind it.
};

struct Group {
  ShapeId shape;
  std::vector<PodId> pods;
  std::int64_t slack = 0;             // Slots beyond its pods, before anything is placed.
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

// Puts pods of one shape onto the best nodes until `pods` or the nodes are used up; returns how
// many went in.
std::size_t Fill(const PlaceContext& context, ShapeId shape, std::span<const PodId> pods,
                 std::vector<Assignment>& out) {
  std::size_t placed = 0;
  while (placed < pods.size()) {
    const ShapeIndex& index = context.indexes.At(context.cluster, shape);
    const std::optional<NodeId> best = index.Best();
    if (!best) break;
    const auto slots = static_cast<std::size_t>(index.verdict(*best).slots);
    const auto some = pods.subspan(placed, std::min(slots, pods.size() - placed));
    context.transaction.Place(some, *best);
    --context.steps_left;
    for (const PodId pod : some) out.push_back({pod, *best});
    placed += some.size();
  }
  return placed;
}

// The search over several shapes: a stack of choices "this node gets so many pods of this group".
class Search {
 public:
  Search(const PlaceContext& context, std::vector<Group> groups)
      : context_(context), groups_(std::move(groups)) {}

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
    if (index.total_slots() < static_cast<std::int64_t>(g.pods.size())) return false;
    g.candidates.clear();
    for (const NodeId node : context_.cluster.nodes()) {
      const std::int32_t slots = index.verdict(node).slots;
      if (slots > 0) g.candidates.push_back({node, slots});
    }
    std::sort(g.candidates.begin(), g.candidates.end(),
              [&](const Candidate& a, const Candidate& b) {
                return index.key(a.node) > index.key(b.node);
              });
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

}  // namespace

Placement PlaceAll(const PlaceContext& context, std::span<const PodId> pods) {
  Placement placement;
  std::vector<Group> groups = GroupByShape(context, pods);
  for (Group& group : groups) {
    const ShapeIndex& index = context.indexes.At(context.cluster, group.shape);
    group.slack = index.total_slots() - static_cast<std::int64_t>(group.pods.size());
    if (group.slack < 0) return placement;
  }
  if (groups.size() == 1) {
    placement.ok = Fill(context, groups[0].shape, pods, placement.assignments) == pods.size();
    MUSTER_CHECK(placement.ok);  // The slots were counted.
    return placement;
  }
  // Most constrained first; equal ones by what they ask for, since ids have no order of meaning.
  std::sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    if (a.slack != b.slack) return a.slack < b.slack;
    return context.cluster.shape(a.shape) < context.cluster.shape(b.shape);
  });
  const std::size_t mark = context.transaction.mark();
  Search search(context, std::move(groups));
  placement.searched = true;
  placement.ok = search.Run();
  placement.out_of_steps = search.out_of_steps();
  if (placement.ok) {
    placement.assignments = search.Assignments();
    Reorder(pods, placement.assignments);
  } else {
    context.transaction.RollbackTo(mark);
  }
  return placement;
}

Placement PlaceSome(const PlaceContext& context, std::span<const PodId> pods) {
  Placement placement;
  for (const Group& group : GroupByShape(context, pods)) {
    Fill(context, group.shape, group.pods, placement.assignments);
  }
  Reorder(pods, placement.assignments);
  placement.ok = placement.assignments.size() == pods.size();
  return placement;
}

}  // namespace muster::scheduler
