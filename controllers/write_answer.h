// What the answer to a status write means: status is level-triggered, so there are three kinds.
#pragma once

#include <cstdint>

#include "controllers/ports/api.h"

namespace muster::controllers {

enum class WriteAnswer : std::uint8_t {
  kTaken,
  kStale,   // 404, 409, 422: the object is another one by now; the watch brings what it is.
  kFailed,  // Perhaps taken, perhaps not: look again after kWriteRetryMs.
};

inline constexpr std::int64_t kWriteRetryMs = 5'000;
inline constexpr const char* kFieldManager = "fieldManager=muster";

[[nodiscard]] WriteAnswer AnswerOf(const Result<ports::Response>& answer);

}  // namespace muster::controllers
