#include "controllers/write_answer.h"

namespace muster::controllers {

WriteAnswer AnswerOf(const Result<ports::Response>& answer) {
  constexpr std::int32_t kOk = 200;
  constexpr std::int32_t kMultipleChoices = 300;
  constexpr std::int32_t kNotFound = 404;
  constexpr std::int32_t kConflict = 409;
  constexpr std::int32_t kUnprocessable = 422;
  if (!answer.ok()) return WriteAnswer::kFailed;
  const std::int32_t status = answer.value().status;
  if (status >= kOk && status < kMultipleChoices) return WriteAnswer::kTaken;
  const bool stale = status == kNotFound || status == kConflict || status == kUnprocessable;
  return stale ? WriteAnswer::kStale : WriteAnswer::kFailed;
}

}  // namespace muster::controllers
