// A question to the loop from another thread: asked by a post, and waited for, bounded, so that a
// loop that is busy or has ended holds nobody up for long.
#pragma once

#include <cstdint>
#include <functional>

#include "operator/http_server.h"
#include "operator/thread_loop.h"

namespace muster::app {

// Runs `question` on the loop. No answer within `wait_ms`, or a loop that was stopped: 503. From
// any thread but the loop's.
[[nodiscard]] HttpAnswer AskLoop(ThreadLoop& loop, std::int64_t wait_ms,
                                 std::function<HttpAnswer()> question);

}  // namespace muster::app
