#include "scheduler/framework/args.h"

#include <algorithm>
#include <numeric>

namespace muster::scheduler {
namespace {

// Insertions, deletions, replacements, and two neighbours that have changed places ("optimal string
// alignment").
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  std::iota(rows[0].begin(), rows[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    rows[i][0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& known) {
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
  return nearest;
}

Error UnknownArg(std::string_view name, const std::vector<std::string_view>& known) {
  std::string text = "unknown argument '" + std::string(name) + "'";
  const std::string_view nearest = NearestName(name, known);
  if (!nearest.empty()) text += "; did you mean '" + std::string(nearest) + "'?";
  return {Code::kInvalidArgument, text};
}

}  // namespace muster::scheduler
