// The rules of metadata that all kinds share: names, namespaces, UIDs, generation, optimistic
// concurrency, and what a client may not set.
#pragma once

#include <string>

#include "e2e/apiserver/backend.h"
#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/request.h"

namespace muster::e2e {

// apiVersion and kind of a body, filled in for built-in kinds when they are missing.
[[nodiscard]] Refusal CheckType(const Kind& kind, Json& object);
// Labels and annotations map text to text.
[[nodiscard]] Refusal CheckTexts(const Json& meta);
// All annotations together have a size that they may not pass.
[[nodiscard]] Refusal CheckAnnotationsSize(const Kind& kind, const Json& object);
// The namespace of a new object must be there and not be going away.
[[nodiscard]] Refusal CheckNamespace(const Backend& backend, const Kind& kind,
                                     const std::string& ns, const std::string& name);
// Name (or generateName), namespace, uid, creationTimestamp, generation of a new object.
[[nodiscard]] Refusal StampNew(Backend& backend, const Target& target, Json& object);

struct UpdateRules {
  std::string subresource{};  // "" or "status".
  bool patch = false;         // PATCH, else PUT.
};
// What a changed object may say of its identity, and which version it was made from.
[[nodiscard]] Refusal CheckIdentity(const Kind& kind, const Json& old, const Json& next,
                                    const UpdateRules& rules);
// Puts back what this endpoint cannot change, so that a comparison with `old` shows what it did.
void KeepWhatIsFixed(const Kind& kind, const Json& old, Json& next, const UpdateRules& rules);
// A change outside metadata and status is a new generation.
void CountGeneration(const Kind& kind, const Json& old, Json& next);

// "Precondition failed" of the storage layer, as 409.
[[nodiscard]] ApiError PreconditionFailed(const Kind& kind, const Json& object,
                                          const std::string& text);
[[nodiscard]] bool HasFinalizers(const Json& object);

}  // namespace muster::e2e
