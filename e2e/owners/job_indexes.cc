#include <algorithm>
#include <charconv>
#include <string_view>

#include "e2e/owners/job.h"

namespace muster::e2e {
namespace {

std::int64_t Number(std::string_view text) {
  std::int64_t value = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

// Two neighbours are no interval (orderedIntervals.String of pkg/controller/job).
std::string IndexesText(const std::set<std::int64_t>& indexes) {
  std::string text;
  for (auto at = indexes.begin(); at != indexes.end();) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    for (++at; at != indexes.end() && *at == last + 1; ++at) last = *at;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last > first) text += (last == first + 1 ? "," : "-") + std::to_string(last);
  }
  return text;
}

std::set<std::int64_t> ParseIndexes(const std::string& text) {
  std::set<std::int64_t> indexes;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    const std::size_t dash = part.find('-');
    const std::int64_t first = Number(part.substr(0, dash));
    const std::int64_t last =
        dash == std::string_view::npos ? first : Number(part.substr(dash + 1));
    for (std::int64_t index = first; index <= last; ++index) indexes.insert(index);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return indexes;
}

}  // namespace muster::e2e
