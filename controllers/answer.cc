#include "controllers/answer.h"

#include <algorithm>

#include "crds/decode.h"

namespace muster::controllers {
namespace {

Outcome OutcomeOfRefusal(std::int32_t code, const Result<crds::ApiStatus>& status) {
  if (code == 404) return status.ok() ? Outcome::kGone : Outcome::kNotServed;
  if (code == 409) return Outcome::kConflict;
  if (code == 403 && status.ok() && status.value().HasCause("NamespaceTerminating")) {
    return Outcome::kTerminating;
  }
  if (code == 422 && status.ok()) {
    const auto& causes = status.value().causes;
    const auto uid = std::ranges::find(causes, "metadata.uid", &crds::ApiStatus::Cause::field);
    if (uid != causes.end()) return Outcome::kGone;
  }
  const bool passing = code == 401 || code == 408 || code == 429;
  return passing || code < 400 || code >= 500 ? Outcome::kUnknown : Outcome::kRefused;
}

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "done";
    case Outcome::kGone:
      return "gone";
    case Outcome::kNotServed:
      return "not_served";
    case Outcome::kConflict:
      return "conflict";
    case Outcome::kTerminating:
      return "terminating";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kUnknown:
      break;
  }
  return "unknown";
}

Verdict Judge(const Result<ports::Response>& answer) {
  if (!answer.ok())
    return {.outcome = Outcome::kUnknown, .code = 0, .text = answer.error().message};
  const ports::Response& response = answer.value();
  if (response.status >= 200 && response.status < 300) {
    return {.outcome = Outcome::kDone, .code = response.status, .text = {}};
  }
  const auto status = crds::DecodeStatus(response.body);
  Verdict verdict{.outcome = OutcomeOfRefusal(response.status, status),
                  .code = response.status,
                  .text = status.ok() ? status.value().message : response.body};
  if (status.ok()) verdict.reason = status.value().reason;
  return verdict;
}

}  // namespace muster::controllers
