// What the API server refuses, and in which words: one builder per kind of metav1.Status, as
// k8s.io/apimachinery/pkg/api/errors has them. Pure values; no store, no request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/server.h"
#include "scheduler/base/check.h"

namespace muster::e2e {

struct ApiError {
  int code = 0;
  std::string reason, message;
  Json details;  // Null = none.
};
using Refusal = std::optional<ApiError>;

// A value, or the error that the client gets instead.
template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : state_(std::move(value)) {}  // NOLINT(google-explicit-constructor): value.
  Outcome(ApiError error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor): ".
  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  [[nodiscard]] T& value() {
    MUSTER_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const ApiError& error() const {
    MUSTER_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, ApiError> state_;
};

// One cause of a 422. `type` is the reason in details.causes ("FieldValueInvalid").
struct FieldError {
  std::string field, type, message;
  [[nodiscard]] std::string text() const { return field + ": " + message; }
};
[[nodiscard]] FieldError InvalidValue(std::string field, const Json& value,
                                      const std::string& detail);
[[nodiscard]] FieldError RequiredValue(std::string field, const std::string& detail = "");
[[nodiscard]] FieldError ForbiddenField(std::string field, const std::string& detail);
[[nodiscard]] FieldError UnsupportedValue(std::string field, const Json& value,
                                          const std::vector<std::string>& allowed);

[[nodiscard]] ApiError BadRequest(std::string message);
[[nodiscard]] ApiError NotFound(const Kind& kind, const std::string& name);
[[nodiscard]] ApiError AlreadyExists(const Kind& kind, const std::string& name);
// `resource` as in the message: "pods", "pods/binding", "podgroups.muster.dev".
[[nodiscard]] ApiError Conflict(const std::string& resource, const std::string& name,
                                const std::string& text);
[[nodiscard]] ApiError StaleObject(const Kind& kind, const std::string& name);
[[nodiscard]] ApiError Forbidden(const std::string& resource, const std::string& name,
                                 const std::string& text);
[[nodiscard]] ApiError Invalid(const Kind& kind, const std::string& name,
                               const std::vector<FieldError>& errors);
[[nodiscard]] ApiError Expired(std::string message);
[[nodiscard]] ApiError MethodNotAllowed(const std::string& text = "");
[[nodiscard]] ApiError UnsupportedMediaType(std::string message);
[[nodiscard]] ApiError TooLargeVersion(std::int64_t asked, std::int64_t current);
// A refusal without words of its own class: 500 of a bare field error, 404 of a subresource.
[[nodiscard]] ApiError Plain(int code, std::string reason, std::string message);

[[nodiscard]] Json StatusObject(const ApiError& error);
[[nodiscard]] HttpResponse ToResponse(const ApiError& error);
[[nodiscard]] HttpResponse Answer(int code, std::string body);
// metav1.Status with status "Success".
[[nodiscard]] HttpResponse Success(int code, Json details = nullptr);
// What the router of a real server says of a path that it does not serve: plain text.
[[nodiscard]] HttpResponse PageNotFound();

}  // namespace muster::e2e
