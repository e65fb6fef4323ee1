// The time limit that a request brings along.
#pragma once

#include <chrono>
#include <string>

#include "e2e/apiserver/server.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

// "5s", "1m30s", "0.5s": a duration as Go writes it, in the query's `timeout`. At most 60 s, which
// is also the server's own limit on a request that brings none, or 0. The error is the server's
// text (WithRequestDeadline of k8s.io/apiserver, time.ParseDuration).
[[nodiscard]] Result<std::chrono::milliseconds> ParseTimeout(const std::string& text);

// 504, in the form of the real server: without kind and apiVersion.
[[nodiscard]] HttpResponse NoTurn();

}  // namespace muster::e2e
