#include "operator/loop_question.h"

#include <memory>
#include <optional>
#include <utility>

namespace muster::app {

// The loop may answer after the wait is over, so what it answers into is shared with it. A task
// that is dropped ends the wait too: by the death of its part of the question.
HttpAnswer AskLoop(ThreadLoop& loop, std::int64_t wait_ms, std::function<HttpAnswer()> question) {
  struct Shared {
    StopFlag over;
    std::optional<HttpAnswer> answer;  // The loop's until `over` is set.
  };
  auto shared = std::make_shared<Shared>();
  std::shared_ptr<void> held(nullptr, [shared](const void*) { shared->over.Set(); });
  loop.Post(
      [shared, held = std::move(held), ask = std::move(question)] { shared->answer = ask(); });
  if (!shared->over.WaitFor(wait_ms)) return {.status = 503, .body = "the loop does not answer\n"};
  return std::move(shared->answer)
      .value_or(HttpAnswer{.status = 503, .body = "the operator is stopping\n"});
}

}  // namespace muster::app
