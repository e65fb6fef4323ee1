// JSON to typed objects (simdjson). Every error reads "<path>: expected <what>", for example
// "spec.minMember: expected an integer". Fields that Muster does not read are skipped, absent ones
// have the value that the schema gives them. Pure, from any thread; the text needs no padding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crds/binding_journal.h"
#include "crds/object.h"
#include "scheduler/base/result.h"

namespace muster::crds {

[[nodiscard]] Result<Pod> DecodePod(std::string_view json);
[[nodiscard]] Result<Node> DecodeNode(std::string_view json);
[[nodiscard]] Result<Namespace> DecodeNamespace(std::string_view json);
[[nodiscard]] Result<PriorityClass> DecodePriorityClass(std::string_view json);
[[nodiscard]] Result<PodGroup> DecodePodGroup(std::string_view json);
[[nodiscard]] Result<Queue> DecodeQueue(std::string_view json);
[[nodiscard]] Result<BindingJournal> DecodeBindingJournal(std::string_view json);

// The metadata of an object of any kind; of a bookmark too. Bytes elsewhere in the text that are no
// UTF-8 do not matter.
[[nodiscard]] Result<ObjectMeta> DecodeMeta(std::string_view json);
// What every stored object has: a name and a namespace that can stand in a path, a uid, and a
// resourceVersion, whatever it looks like.
[[nodiscard]] Result<void> CheckMeta(const ObjectMeta& meta);
[[nodiscard]] bool IsName(std::string_view text);

// metav1.Status: how the API server refuses, and how it answers a Binding. A body that is none (a
// plain text, an answer of something in between) is an Error; the HTTP code then says it all.
struct ApiStatus {
  struct Cause {
    std::string reason, message, field;
    friend bool operator==(const Cause&, const Cause&) = default;
  };
  std::string status;  // Success | Failure.
  std::int32_t code = 0;
  std::string reason, message;  // reason: Conflict, AlreadyExists, NotFound, Expired, ...
  std::string kind, name, uid;  // What it is about.
  std::int64_t retry_after_seconds = 0;
  std::vector<Cause> causes;
  [[nodiscard]] bool HasCause(std::string_view cause_reason) const {
    for (const Cause& cause : causes) {
      if (cause.reason == cause_reason) return true;
    }
    return false;
  }
  friend bool operator==(const ApiStatus&, const ApiStatus&) = default;
};
[[nodiscard]] Result<ApiStatus> DecodeStatus(std::string_view json);

// Every field that is read: "spec.resources[].name". Of our own kinds the schemas in *.yaml have
// the same fields.
[[nodiscard]] std::vector<std::string> PodPaths();
[[nodiscard]] std::vector<std::string> NodePaths();
[[nodiscard]] std::vector<std::string> PodGroupPaths();
[[nodiscard]] std::vector<std::string> QueuePaths();
[[nodiscard]] std::vector<std::string> BindingJournalPaths();

}  // namespace muster::crds
