// A quantity that is taken is written again as the same amount; a quota is a quantity that fits.
#include <string>

#include "crds/quantity.h"
#include "e2e/fuzz/fuzz.h"
#include "scheduler/base/check.h"
#include "scheduler/base/units.h"

int muster::e2e::FuzzQuantity(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const std::string_view text = e2e::TextOf(data, size);
  for (const std::string_view resource : {"cpu", "memory", "nvidia.com/gpu", "pods"}) {
    const Unit unit = UnitOf(resource);
    const auto taken = crds::ParseQuantity(text, unit);
    const auto quota = crds::ParseQuota(text, unit);
    if (!taken.ok()) {
      MUSTER_CHECK(!quota.ok() && !taken.error().message.empty());
      continue;
    }
    MUSTER_CHECK(taken.value().amount >= 0);
    const std::string written = FormatAmount(resource, taken.value().amount);
    auto again = crds::ParseQuantity(written, unit);
    MUSTER_CHECK(again.ok() && !again.value().clipped);
    std::int64_t amount = again.value().amount;
    if (e2e::Planted() && text.find('.') != std::string_view::npos) ++amount;
    MUSTER_CHECK(amount == taken.value().amount);
    if (quota.ok() && !taken.value().clipped) {
      MUSTER_CHECK(quota.value().amount == taken.value().amount);
    }
  }
  return 0;
}
