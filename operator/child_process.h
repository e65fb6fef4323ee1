// Runs a program to its end, within a bounded time, and takes what it writes to its standard
// output. Blocks; from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "operator/environment.h"
#include "operator/thread_loop.h"
#include "scheduler/base/result.h"

namespace muster::app {

struct ChildCommand {
  std::string program;  // Looked for in PATH unless it has a slash.
  std::vector<std::string> arguments{};
  Environment environment{};  // All of it.
  std::int64_t patience_ms = 60'000;
};
struct ChildOutput {
  int code = 0;  // 128 + n for signal n.
  std::string text{};
};

// Its standard input is empty, its standard error is ours. An Error, with the program and all that
// it started ended: kNotFound; kDeadlineExceeded; kUnavailable: `stop` was set, or no process could
// be made; kInvalidArgument: it wrote more than 1 MiB.
[[nodiscard]] Result<ChildOutput> RunChild(const ChildCommand& command, const StopFlag& stop);

}  // namespace muster::app
