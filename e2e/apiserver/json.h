// The DOM of the simulated API server and look-ups by path that never throw. A missing field, a
// null and a field of another type all read as "not there", as a Go decoder would leave it zero.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace muster::e2e {

using Json = nlohmann::json;
using Path = std::initializer_list<std::string_view>;

// The value at the path, or nullptr (also for null).
[[nodiscard]] const Json* Find(const Json& object, Path path);
[[nodiscard]] const Json* Find(const Json& object, const std::vector<std::string>& path);
// "" when there is no string at the path.
[[nodiscard]] const std::string& StringAt(const Json& object, Path path);
[[nodiscard]] std::optional<std::int64_t> IntAt(const Json& object, Path path);
[[nodiscard]] bool BoolAt(const Json& object, Path path);

// The object at the field, made if it is not there (or is something else).
[[nodiscard]] Json& ObjectAt(Json& object, std::string_view field);
[[nodiscard]] Json& ArrayAt(Json& object, std::string_view field);
void SetDefault(Json& object, std::string_view field, Json value);

// Compact text. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string Dump(const Json& value);
// Of objects and arrays within each other. An answer puts a list, a table or the frame of a watch
// around the deepest object that a request may bring.
inline constexpr int kMaxObjectDepth = 64;
inline constexpr int kMaxAnswerDepth = kMaxObjectDepth + 8;

[[nodiscard]] int DepthOf(const Json& value);
// What the body of an answer holds, or nothing: not JSON, not UTF-8, too deep.
[[nodiscard]] std::optional<Json> Parse(std::string_view text);
// What the body of a request holds, or nothing.
[[nodiscard]] std::optional<Json> ParseSent(std::string_view text);

// "a.b.c" -> {a, b, c}.
[[nodiscard]] std::vector<std::string> SplitDots(std::string_view text);

}  // namespace muster::e2e
