// Answers of an API server that is in trouble, as a real one words them (1.34): what a client gets
// instead of, or after, the effect of its request.
#pragma once

#include <cstdint>
#include <optional>

#include "e2e/apiserver/server.h"

namespace muster::e2e {

// A Binding's or a pod status' 409. Any error of the storage comes to a Binding as a Conflict, also
// one behind which it took effect; a PATCH that others outran five times conflicts.
[[nodiscard]] HttpResponse ConflictAnswer(const HttpRequest& request);
[[nodiscard]] HttpResponse TooManyRequests();
// `variant`: one of several texts. The same text again and again is a refusal, not trouble, since
// the Status has no reason.
[[nodiscard]] HttpResponse ServerError(std::uint64_t variant);
// What the server itself calls its own trouble, in the same words each time.
[[nodiscard]] HttpResponse InternalError();
// A Status without kind and apiVersion.
[[nodiscard]] HttpResponse TimedOut();
// A webhook of the cluster's owner says no.
[[nodiscard]] HttpResponse DeniedByWebhook();

[[nodiscard]] bool IsBinding(const HttpRequest& request);
[[nodiscard]] bool IsPodStatusPatch(const HttpRequest& request);
[[nodiscard]] bool IsPage(const HttpRequest& request);
[[nodiscard]] bool IsLease(const HttpRequest& request);

[[nodiscard]] std::optional<std::int64_t> RetryAfterMs(const HttpResponse& response);

}  // namespace muster::e2e
