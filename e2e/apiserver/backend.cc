#include "e2e/apiserver/backend.h"

#include <array>
#include <cstdio>
#include <utility>

namespace muster::e2e {

Backend::Backend(std::int64_t watch_history, std::uint64_t uid_seed,
                 std::function<std::int64_t()> now_ms)
    : store(static_cast<std::size_t>(watch_history)), now_ms_(std::move(now_ms)), seed_(uid_seed) {}

// splitmix64 (Steele, Lea, Flood 2014) over a counter.
std::uint64_t Backend::Draw() {
  std::uint64_t z = seed_ * 0xd1342543de82ef95U + ++draws_ * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::string Backend::NewUid() {
  const std::uint64_t high = Draw();
  const std::uint64_t low = Draw();
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-%04x-%012llx",
                static_cast<unsigned>(high >> 32U), static_cast<unsigned>((high >> 16U) & 0xffffU),
                static_cast<unsigned>(high & 0xfffU),
                static_cast<unsigned>(0x8000U | ((low >> 48U) & 0x3fffU)),
                static_cast<unsigned long long>(low & 0xffffffffffffU));
  return text.data();
}

// The alphabet of k8s.io/apimachinery/pkg/util/rand: no vowels, no digits that look like letters.
std::string Backend::NewSuffix() {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t value = Draw();
  std::string suffix;
  for (int i = 0; i < 5; ++i) {
    suffix += kAlphabet[value % kAlphabet.size()];
    value /= kAlphabet.size();
  }
  return suffix;
}

}  // namespace muster::e2e
