#include "scheduler/base/units.h"

#include <array>

namespace muster {

bool IsBytes(std::string_view resource) {
  return resource == "memory" || resource == "storage" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

Unit UnitOf(std::string_view resource) {
  if (resource == "pods" || IsBytes(resource)) return Unit::kWhole;
  const std::string_view domain = resource.substr(0, resource.find('/'));
  const bool native = domain.size() < resource.size() &&
                      (domain == "kubernetes.io" || domain.ends_with(".kubernetes.io"));
  return native ? Unit::kWhole : Unit::kMilli;
}

std::string FormatAmount(std::string_view resource, std::int64_t amount) {
  if (UnitOf(resource) == Unit::kMilli) {
    return amount % 1000 == 0 ? std::to_string(amount / 1000) : std::to_string(amount) + "m";
  }
  constexpr std::array<std::string_view, 7> kSuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t power = 0;
  while (IsBytes(resource) && amount != 0 && amount % 1024 == 0 && power + 1 < kSuffixes.size()) {
    amount /= 1024;
    ++power;
  }
  return std::to_string(amount) + std::string(kSuffixes.at(power));
}

}  // namespace muster
