// What an API server says instead of an object: a Status. Pure, from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::crds {

// metav1.Status as far as it decides anything. Not every Status has a `kind` (a time-out has none),
// and not every error has a Status: "404 page not found" in plain text means that nothing is
// served under the path, while a Status NotFound means that one object is not there.
struct ApiStatus {
  bool json = false;  // The body is a JSON object; else nothing below is set.
  std::string reason, message;
  struct Cause {
    std::string reason, field;
    friend bool operator==(const Cause&, const Cause&) = default;
  };
  std::vector<Cause> causes;

  [[nodiscard]] bool HasCause(std::string_view cause_reason) const;
  [[nodiscard]] bool HasField(std::string_view field) const;
};
[[nodiscard]] ApiStatus DecodeApiStatus(std::string_view body);

}  // namespace muster::crds
