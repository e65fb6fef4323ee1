// Typed plugin arguments. A plugin lists its arguments once, next to the struct that holds them;
// decoding, range checks and the error for an unknown name all follow from that list.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "scheduler/base/result.h"

namespace muster::scheduler {

using ArgValue = std::variant<bool, std::int64_t, std::string>;
using ArgMap = std::map<std::string, ArgValue, std::less<>>;

// One argument: its name, where its value goes, and the legal range (integers; none if min = max).
template <class Owner, class T>
struct Arg {
  std::string_view name;
  T Owner::*field;
  std::int64_t min = 0;
  std::int64_t max = 0;
};
template <class Owner>
Arg(std::string_view, std::int64_t Owner::*, std::int64_t, std::int64_t)
    -> Arg<Owner, std::int64_t>;
template <class Owner>
Arg(std::string_view, bool Owner::*) -> Arg<Owner, bool>;
template <class Owner>
Arg(std::string_view, std::string Owner::*) -> Arg<Owner, std::string>;

template <class T>
[[nodiscard]] constexpr bool InRange(const T& value, std::int64_t min, std::int64_t max) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return min == max || (min <= value && value <= max);
  } else {
    return true;
  }
}

// Which of `known` was most likely meant; "" = none is near enough for a typing error.
[[nodiscard]] std::string_view NearestName(std::string_view name,
                                           const std::vector<std::string_view>& known);

// "unknown argument 'x'", with the nearest known name where one is near.
[[nodiscard]] Error UnknownArg(std::string_view name, const std::vector<std::string_view>& known);

// Fails unless every value is known, of the right type and in range.
template <class Owner, class... Specs>
[[nodiscard]] Result<Owner> DecodeArgs(const std::tuple<Specs...>& specs, const ArgMap& values) {
  Owner out;
  std::string error;
  std::vector<std::string_view> known;
  const auto decode_one = [&](const auto& spec) {
    known.push_back(spec.name);
    const auto it = values.find(spec.name);
    if (it == values.end()) return;
    using T = std::decay_t<decltype(out.*(spec.field))>;
    const T* value = std::get_if<T>(&it->second);
    if (value == nullptr) {
      error = "argument '" + it->first + "' has the wrong type";
    } else if (!InRange(*value, spec.min, spec.max)) {
      error = "argument '" + it->first + "' is out of range";
    } else {
      out.*(spec.field) = *value;
    }
  };
  std::apply([&](const auto&... spec) { (decode_one(spec), ...); }, specs);
  if (!error.empty()) return Error{Code::kInvalidArgument, error};
  for (const auto& [name, value] : values) {
    bool found = false;
    for (const std::string_view candidate : known) found = found || candidate == name;
    if (!found) return UnknownArg(name, known);
  }
  return out;
}

}  // namespace muster::scheduler
