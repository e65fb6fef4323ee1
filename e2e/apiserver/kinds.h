// The table of kinds: what is served under which path, and the facts about each kind that the
// generic verbs need. Built-in kinds are listed in kinds.cc; crd.h adds those of a CRD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::e2e {

struct CrdVersion;  // schema and columns, crd.h.

enum class Builtin : std::uint8_t {
  kCustom,  // Of a CRD.
  kPod,
  kNode,
  kNamespace,
  kEvent,  // Stored once, served as core/v1 and as events.k8s.io/v1.
  kPriorityClass,
  kLease,
  kJob,
  kReplicaSet,
  kPodDisruptionBudget,
  kCrd,  // Read-only.
};

// A label that field selectors may name, and where its value stands in the stored object.
struct SelectableField {
  std::string label;
  std::vector<std::string> path;
};

struct Kind {
  std::string group{}, version{}, plural{}, singular{}, kind{};
  std::vector<std::string> short_names{}, categories{};
  Builtin builtin = Builtin::kCustom;
  bool namespaced = false;
  bool has_status = false;            // The status subresource.
  bool counts_generation = false;     // metadata.generation.
  bool unconditional_update = false;  // PUT without a resourceVersion.
  bool orphans_by_default = false;    // Of a delete without propagationPolicy.
  std::size_t storage = 0;            // Kinds with the same number share their objects.
  std::vector<SelectableField> fields{};
  std::shared_ptr<const CrdVersion> crd{};  // Of custom kinds.

  [[nodiscard]] bool custom() const { return builtin == Builtin::kCustom; }
  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
  // "pods", "podgroups.muster.dev": as messages name it.
  [[nodiscard]] std::string resource() const {
    return group.empty() ? plural : plural + "." + group;
  }
};

class KindTable {
 public:
  KindTable();
  // Gives the kind a storage of its own. False: the path is already served.
  bool Add(Kind kind);

  [[nodiscard]] const Kind* Find(std::string_view group, std::string_view version,
                                 std::string_view plural) const;
  [[nodiscard]] const Kind* Of(std::string_view api_version, std::string_view kind) const;
  [[nodiscard]] const Kind& Get(Builtin builtin) const;
  // In the order of adding; addresses stay.
  [[nodiscard]] const std::deque<Kind>& all() const { return kinds_; }
  [[nodiscard]] std::size_t storages() const { return storages_; }

 private:
  std::deque<Kind> kinds_;
  std::size_t storages_ = 0;
};

}  // namespace muster::e2e
