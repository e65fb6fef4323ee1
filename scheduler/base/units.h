// The unit in which an amount of a resource is counted, by the name of the resource: the one place
// that knows. cpu and devices count in thousandths, bytes and things (memory, storage, hugepages,
// pods) in whole units. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

enum class Unit : std::uint8_t { kMilli, kWhole };

// A device is what no name of Kubernetes' own says otherwise: extended resources
// ("nvidia.com/gpu"). Names below kubernetes.io are counted whole.
[[nodiscard]] Unit UnitOf(std::string_view resource);

// memory, storage, ephemeral-storage, hugepages-*: read by people in Ki, Mi, Gi.
[[nodiscard]] bool IsBytes(std::string_view resource);

// As users write it: "32", "500m" (16,500 thousandths: "16500m"), "1Gi". It parses to the same
// amount; negative ones (free room may be) have a sign.
[[nodiscard]] std::string FormatAmount(std::string_view resource, std::int64_t amount);

}  // namespace muster
