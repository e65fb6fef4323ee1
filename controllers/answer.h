// What the answer to a write means for the binding protocol. The HTTP code speaks first: a time-out
// is a 504 whose Status has no kind, and an error may carry no Status at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "controllers/ports/api.h"

namespace muster::controllers {

enum class Outcome : std::uint8_t {
  kDone,         // 2xx.
  kGone,         // 404 with a Status, or a 422 whose cause is metadata.uid: not there any more.
  kNotServed,    // 404 in plain text: the kind is gone. Nothing follows for any object.
  kConflict,     // 409: no verdict by itself.
  kTerminating,  // 403 of a namespace that is being deleted: no refusal, its pods will go.
  kRefused,      // Any other 4xx: sent again it will be refused again.
  kUnknown,      // No answer, 401, 408, 429 or 5xx: it may have taken effect, now or later.
};

// "done", "gone", "not_served", "conflict", "terminating", "refused", "unknown".
[[nodiscard]] std::string_view OutcomeName(Outcome outcome);

struct Verdict {
  Outcome outcome{};
  std::int32_t code = 0;  // HTTP; 0 = no answer.
  std::string text;       // The server's, for messages.
  // Of the Status of a refusal, which may have none: "". nullopt = there is no Status.
  std::optional<std::string> reason = {};
};

[[nodiscard]] Verdict Judge(const Result<ports::Response>& answer);

}  // namespace muster::controllers
