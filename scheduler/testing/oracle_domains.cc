#include "scheduler/testing/oracle_domains.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace muster::scheduler::testing {
namespace {

using Counts = std::vector<int>;
using Score = std::vector<int>;  // Compared from the left; less is better.

// A domain by its labels: none, a zone, or a rack in a zone or in none.
struct Where {
  int level = 0, zone = 0, rack = 0;
  friend auto operator<=>(const Where&, const Where&) = default;
};

// Nullopt: the node lacks the label.
std::optional<Where> WhereAt(const DomainNode& node, int level) {
  if (level == 0) return Where{};
  if (level == 1 && node.zone != 0) return Where{1, node.zone, 0};
  if (level == 2 && node.rack != 0) return Where{2, node.zone, node.rack};
  return std::nullopt;
}

bool IsIn(const DomainNode& node, const Where& where) {
  return WhereAt(node, where.level) == where;
}

int SlotsIn(const DomainCase& c, const Where& where) {
  int slots = 0;
  for (const DomainNode& node : c.nodes) slots += IsIn(node, where) ? node.slots : 0;
  return slots;
}

// The domain right inside `where` that the node is in; itself if there is none.
Where PartOf(const DomainNode& node, const Where& where) {
  for (int level = where.level + 1; level <= 2; ++level) {
    if (const auto part = WhereAt(node, level)) return *part;
  }
  return where;
}

// How many parts of the domain are used, and their slots from the largest down. Nothing where only
// nodes are in it.
Score PartsScore(const DomainCase& c, const Where& where, const Counts& counts) {
  std::map<Where, int> domains;
  Score used;
  bool any = false;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const DomainNode& node = c.nodes[i];
    if (!IsIn(node, where)) continue;
    const Where part = PartOf(node, where);
    any = any || (part != where && node.slots > 0);
    if (counts[i] == 0) continue;
    if (part == where) used.push_back(node.slots);
    if (part != where) domains[part] = SlotsIn(c, part);
  }
  if (!any) return {};
  for (const auto& [part, slots] : domains) used.push_back(slots);
  std::sort(used.rbegin(), used.rend());
  used.insert(used.begin(), static_cast<int>(used.size()));
  return used;
}

// All of them in one domain, of the innermost level of the range; nullopt: they are not.
std::optional<Where> CommonOf(const DomainCase& c, const Counts& counts) {
  for (int level = c.inner; level >= c.outer; --level) {
    std::optional<Where> common;
    bool one = true;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const auto at = WhereAt(c.nodes[i], level);
      one = one && at && (!common || common == at);
      common = at;
    }
    if (one) return common;
  }
  return std::nullopt;
}

// How far out the domain is, and how large. Empty: not allowed.
Score DomainScore(const DomainCase& c, const Counts& counts) {
  const auto common = CommonOf(c, counts);
  return common ? Score{c.inner - common->level, SlotsIn(c, *common)} : Score{};
}

// The least score of all ways to put so many pods onto nodes of the domain; empty: there is none.
Score Least(const DomainCase& c, const Where& where, int pods,
            const std::function<Score(const Counts&)>& score_of) {
  Score least;
  Counts counts(c.nodes.size(), 0);
  while (true) {
    std::size_t digit = 0;
    while (digit < counts.size() &&
           ++counts[digit] > (IsIn(c.nodes[digit], where) ? c.nodes[digit].slots : 0)) {
      counts[digit++] = 0;
    }
    if (digit == counts.size()) return least;
    if (std::accumulate(counts.begin(), counts.end(), 0) != pods) continue;
    const Score score = score_of(counts);
    if (!score.empty() && (least.empty() || score < least)) least = score;
  }
}

std::string Text(const Score& score) {
  std::string text = "[";
  for (const int number : score) text += (text.size() > 1 ? " " : "") + std::to_string(number);
  return text + "]";
}

// Of the pods that fell to a domain: whether its parts are the fewest and tightest for them.
std::string PartsProblem(const DomainCase& c, const Where& where, const Counts& counts) {
  Counts inside = counts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!IsIn(c.nodes[i], where)) inside[i] = 0;
  }
  const auto score = [&](const Counts& these) {
    Score of = PartsScore(c, where, these);
    of.push_back(0);  // Else one without parts would pass for none.
    return of;
  };
  const int all = std::accumulate(inside.begin(), inside.end(), 0);
  const Score least = Least(c, where, all, score);
  if (score(inside) != least) return "parts " + Text(score(inside)) + ", least " + Text(least);
  return {};
}

}  // namespace

std::string DomainProblem(const DomainCase& c, const std::vector<int>& counts) {
  const auto score_of = [&c](const Counts& these) { return DomainScore(c, these); };
  const Score least = Least(c, {}, c.pods, score_of);
  if (counts.empty()) return least.empty() ? "" : "not placed, but there is " + Text(least);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > c.nodes[i].slots) return "more on a node than it has slots";
  }
  const Score score = score_of(counts);
  if (score.empty()) return "not all in one domain";
  if (score != least) return "domain " + Text(score) + ", least " + Text(least);
  if (c.inner == 0) return "";  // It asks for nothing.
  const Where common = *CommonOf(c, counts);
  std::set<Where> used = {common};  // And inside it the parts that are used.
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) used.insert(PartOf(c.nodes[i], common));
  }
  for (const Where& where : used) {
    const std::string problem = PartsProblem(c, where, counts);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace muster::scheduler::testing
