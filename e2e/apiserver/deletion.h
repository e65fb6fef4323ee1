// How objects go: preconditions, finalizers, the grace period of bound pods, and namespaces, which
// take everything in them along. A deletion that has to wait leaves a deletionTimestamp.
#pragma once

#include <optional>
#include <string>

#include "e2e/apiserver/backend.h"
#include "e2e/apiserver/request.h"

namespace muster::e2e {

struct DeleteOptions {
  std::string uid{}, version{};  // Preconditions; "" = none.
  std::optional<std::int64_t> grace_seconds{};
  bool dry_run = false;
  std::string propagation{};  // Background, Foreground, Orphan; "" = as the kind has it.
};
// From the body (DeleteOptions, may be empty) and the query.
[[nodiscard]] Outcome<DeleteOptions> ParseDeleteOptions(const HttpRequest& request);
// The same where they stand within a body; null: there are none.
[[nodiscard]] Outcome<DeleteOptions> ReadDeleteOptions(const HttpRequest& request,
                                                       const Json* body);
// 409: the object is not the one that is meant.
[[nodiscard]] Refusal CheckDeletePreconditions(const Kind& kind, const Json& object,
                                               const DeleteOptions& options);

struct Deleted {
  VersionPtr last{};  // As it stands now, or as it last was.
  bool gone = false;  // Else it waits.
};
[[nodiscard]] Outcome<Deleted> DeleteObject(Backend& backend, const Kind& kind,
                                            const VersionPtr& object, const DeleteOptions& options);

// Takes the object away and, when it was the last one of a terminating namespace, that too.
VersionPtr RemoveObject(Backend& backend, const Kind& kind, const Json& object);

}  // namespace muster::e2e
