// Result<T>: a value, or the Error that says why there is none. For what the outside can do to us
// (the API server, a file, a user). A broken invariant is a MUSTER_CHECK; a gang that does not fit
// is a Rejection; neither is an Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "scheduler/base/check.h"

namespace muster {

// The canonical gRPC codes that this program acts on. Callers branch on the code, never on the
// text.
enum class Code : std::uint8_t {
  kInvalidArgument,
  kNotFound,
  kAlreadyExists,
  kConflict,  // HTTP 409 on a stale resourceVersion.
  kExpired,   // HTTP 410: the watch must list again.
  kResourceExhausted,
  kUnavailable,
  kDeadlineExceeded,
  kPermissionDenied,
  kInternal,
};

struct [[nodiscard]] Error {
  Code code{};
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor): value.
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor): error.

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
  [[nodiscard]] const Error& error() const {
    MUSTER_CHECK(!ok());
    return *std::get_if<Error>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    MUSTER_CHECK(ok());
    return *std::get_if<T>(&state_);
  }
  [[nodiscard]] T& value() & {
    MUSTER_CHECK(ok());
    return *std::get_if<T>(&state_);
  }
  [[nodiscard]] T&& value() && {
    MUSTER_CHECK(ok());
    return std::move(*std::get_if<T>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor): error.

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  [[nodiscard]] const Error& error() const {
    MUSTER_CHECK(!ok());
    return *error_;  // Held by the line above.
  }

 private:
  std::optional<Error> error_;
};

}  // namespace muster

#define MUSTER_CONCAT_INNER(a, b) a##b
#define MUSTER_CONCAT(a, b) MUSTER_CONCAT_INNER(a, b)

// MUSTER_TRY(expr): returns the Error of `expr` from the enclosing function, if it has one.
#define MUSTER_TRY(expr)                                    \
  do {                                                      \
    if (auto muster_result = (expr); !muster_result.ok()) { \
      return ::muster::Error(muster_result.error());        \
    }                                                       \
  } while (false)
// NOLINTBEGIN(bugprone-macro-parentheses): names and declarations.
#define MUSTER_ASSIGN_IMPL(tmp, lhs, expr)            \
  auto tmp = (expr);                                  \
  if (!tmp.ok()) return ::muster::Error(tmp.error()); \
  lhs = std::move(tmp).value()
// MUSTER_ASSIGN(auto x, expr): binds the value, or returns the Error.
#define MUSTER_ASSIGN(lhs, expr) MUSTER_ASSIGN_IMPL(MUSTER_CONCAT(muster_tmp_, __LINE__), lhs, expr)
// NOLINTEND(bugprone-macro-parentheses): names and declarations.
