#include "scheduler/solve/place_domains.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "scheduler/base/check.h"

namespace muster::scheduler {
namespace {

// A domain, or a single node.
struct Part {
  std::size_t order = 0;  // Before any sort.
  std::int64_t slots = 0;
  std::optional<NodeId> node;
  DomainId domain;
};

struct Parts {
  // Those with slots, in the order in which they are taken where nothing else tells them apart:
  // domains by name, then nodes by score.
  std::vector<Part> all;
  bool in_domains = false;  // Else nothing but the outer domain holds the nodes together.
};

Parts PartsOf(const ShapeIndex& index, const Topology& topology, const ClusterScores& scores,
              DomainId domain) {
  Parts parts;
  std::vector<NodeId> single = topology.domain(domain).nodes;
  for (const DomainId id : topology.domain(domain).inner) {
    if (index.slots(id) == 0) continue;
    parts.in_domains = true;
    const Topology::Domain& inner = topology.domain(id);
    if (inner.inner.empty() && inner.nodes.size() == 1) {
      single.push_back(inner.nodes.front());
    } else {
      parts.all.push_back({.slots = index.slots(id), .node = {}, .domain = id});
    }
  }
  std::vector<std::pair<std::uint64_t, NodeId>> by_key;
  for (const NodeId node : single) {
    if (index.key(node) != 0) by_key.emplace_back(scores.Key(index, node), node);
  }
  std::ranges::sort(by_key, std::greater());
  for (const auto& [key, node] : by_key) {
    parts.all.push_back({.slots = index.verdict(node).slots, .node = node, .domain = domain});
  }
  for (std::size_t i = 0; i < parts.all.size(); ++i) parts.all[i].order = i;
  return parts;
}

// The fewest that hold `pods`, the largest of them as small as can be, then the next. Sorted from
// the largest down, the best that can follow a part as the largest of n is the n - 1 behind it: so
// the last one from which n in a row suffice is taken, and the rest is found behind it. Of equal
// ones the first in order.
std::vector<Part> Fewest(std::vector<Part> parts, std::int64_t pods) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.slots != b.slots ? a.slots > b.slots : a.order > b.order;
  });
  std::vector<std::int64_t> before = {0};  // Slots of the first i.
  for (const Part& part : parts) before.push_back(before.back() + part.slots);
  MUSTER_CHECK(before.back() >= pods);
  std::size_t count = 1;
  while (before[count] < pods) ++count;
  std::vector<Part> chosen;
  for (std::size_t from = 0; count > 0; --count) {
    // The sums of rows fall from left to right.
    std::size_t at = from, end = parts.size() - count + 1;
    while (end - at > 1) {
      const std::size_t middle = at + (end - at) / 2;
      (before[middle + count] - before[middle] >= pods ? at : end) = middle;
    }
    chosen.push_back(parts[at]);
    pods -= parts[at].slots;
    from = at + 1;
  }
  std::sort(chosen.begin(), chosen.end(), [](const Part& a, const Part& b) {
    return a.slots != b.slots ? a.slots > b.slots : a.order < b.order;
  });
  return chosen;
}

}  // namespace

std::vector<DomainSlots> CandidatesOf(const Topology& topology, const DomainRange& range,
                                      LevelId level) {
  std::vector<DomainSlots> candidates;
  for (const DomainId domain : DomainsOf(topology, range, level)) candidates.push_back({domain});
  return candidates;
}

void Narrow(std::vector<DomainSlots>& candidates, const ShapeIndex& index, std::int64_t pods) {
  std::erase_if(candidates, [&](const auto& c) { return index.slots(c.domain) < pods; });
  for (DomainSlots& candidate : candidates) candidate.slots += index.slots(candidate.domain);
}

void SortByFit(std::vector<DomainSlots>& candidates) {
  std::sort(candidates.begin(), candidates.end(), [](const DomainSlots& a, const DomainSlots& b) {
    return a.slots != b.slots ? a.slots < b.slots : a.domain < b.domain;
  });
}

std::vector<NodeShare> SharesIn(const ShapeIndex& index, const Topology& topology,
                                const ClusterScores& scores, DomainId domain, std::int64_t pods) {
  MUSTER_CHECK(index.slots(domain) >= pods);
  std::vector<NodeShare> shares;
  std::vector<std::pair<Part, std::int64_t>> open = {
      {{.slots = index.slots(domain), .node = {}, .domain = domain}, pods}};
  while (!open.empty()) {
    const auto [part, wanted] = open.back();
    open.pop_back();
    if (part.node) {
      shares.push_back({*part.node, static_cast<std::int32_t>(wanted)});
      continue;
    }
    auto [parts, in_domains] = PartsOf(index, topology, scores, part.domain);
    if (in_domains) parts = Fewest(std::move(parts), wanted);
    std::vector<std::pair<Part, std::int64_t>> next;
    std::int64_t left = wanted;
    for (const Part& one : parts) {
      if (left == 0) break;
      next.emplace_back(one, std::min(left, one.slots));
      left -= next.back().second;
    }
    open.insert(open.end(), next.rbegin(), next.rend());
  }
  return shares;
}

}  // namespace muster::scheduler
