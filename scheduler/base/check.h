// MUSTER_CHECK: an invariant that, when broken, means this program is wrong. It is on in every
// build. It is not for input: what a user, the API server or another controller can cause is a
// value (an Error, a Rejection, a condition).
#pragma once

namespace muster {

// Prints "file:line: CHECK failed: expression" to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* expression);

}  // namespace muster

#define MUSTER_CHECK(condition) \
  (static_cast<bool>(condition) ? void() : ::muster::CheckFailed(__FILE__, __LINE__, #condition))
