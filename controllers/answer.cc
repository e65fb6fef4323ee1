#include "controllers/answer.h"

#include "crds/api_status.h"

namespace muster::controllers {
namespace {

Outcome OutcomeOf(std::int32_t code, const crds::ApiStatus& status) {
  if (code >= 200 && code < 300) return Outcome::kDone;
  if (code == 404) return status.json ? Outcome::kGone : Outcome::kNotServed;
  if (code == 409) return Outcome::kConflict;
  if (code == 422 && status.HasField("metadata.uid")) return Outcome::kGone;
  if (code == 403 && status.HasCause("NamespaceTerminating")) return Outcome::kTerminating;
  const bool passing = code == 401 || code == 408 || code == 429;
  return passing || code < 400 || code >= 500 ? Outcome::kUnknown : Outcome::kRefused;
}

}  // namespace

Verdict Judge(const Result<ports::Response>& answer) {
  if (!answer.ok())
    return {.outcome = Outcome::kUnknown, .code = 0, .text = answer.error().message};
  const ports::Response& response = answer.value();
  if (response.status >= 200 && response.status < 300) {
    return {.outcome = Outcome::kDone, .code = response.status, .text = {}};
  }
  const crds::ApiStatus status = crds::DecodeApiStatus(response.body);
  return {.outcome = OutcomeOf(response.status, status),
          .code = response.status,
          .text = status.json ? status.message : response.body};
}

}  // namespace muster::controllers
