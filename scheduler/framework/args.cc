#include "scheduler/framework/args.h"

#include <algorithm>
#include <numeric>

namespace muster::scheduler {
namespace {

// Levenshtein distance: insertions, deletions and replacements.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

}  // namespace

Error UnknownArg(std::string_view name, const std::vector<std::string_view>& known) {
  std::string text = "unknown argument '" + std::string(name) + "'";
  std::string_view nearest;
  // Further than a third of the name is no typing error any more.
  std::size_t best = name.size() / 3 + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = Distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty()) text += "; did you mean '" + std::string(nearest) + "'?";
  return {Code::kInvalidArgument, text};
}

}  // namespace muster::scheduler
