// Objects as no sane client writes them: of each of five kinds the whole object, with every field
// that Muster reads, in which one place is missing, of the wrong type, huge, negative, of odd
// characters, nested deep, or there twice. The same seed and number give the same text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "e2e/apiserver/json.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

enum class HostileKind : std::uint8_t { kPod, kNode, kPodGroup, kQueue, kBindingJournal, kKinds };
enum class Spoil : std::uint8_t {
  kMissing,
  kWrongType,
  kHuge,
  kNegative,
  kUnicode,
  kDeep,
  kTwice,
  kSpoils
};

// Where the objects of a kind lie; those in a namespace in "hostile".
struct HostilePlace {
  std::string_view plural, collection;
};
[[nodiscard]] const HostilePlace& PlaceOf(HostileKind kind);

// As it lies in a server, or as a client sends it: without what only the server writes.
enum class HostileForm : std::uint8_t { kStored, kSent };

struct Hostile {
  HostileKind kind{};
  std::size_t number = 0;
  std::string name{}, uid{}, version{};  // Before the change.
  bool whole = false;                    // What is changed is the text, not a value in it.
  std::string what{};                    // "Pod 17: /spec/priority is huge".
  std::string text{};
};

class HostileObjects {
 public:
  // Reads the whole objects.
  [[nodiscard]] static Result<HostileObjects> Load(std::uint64_t seed);

  [[nodiscard]] Hostile Make(std::size_t number, HostileForm form) const;
  // The object before the change.
  [[nodiscard]] Json Whole(HostileKind kind, std::size_t number, HostileForm form) const;
  // Every place of a kind, as JSON pointers; "" is the text.
  [[nodiscard]] const std::vector<std::string>& Places(HostileKind kind) const {
    return of(kind).places;
  }
  // From this number on every place was spoilt in every way.
  [[nodiscard]] std::size_t Round() const;

 private:
  struct Change {
    std::size_t place = 0;
    Spoil spoil{};
  };
  struct Template {
    Json whole;
    std::vector<std::string> places;
    std::vector<Change> changes;  // Each place in each way, shuffled.
  };
  explicit HostileObjects(std::uint64_t seed) : seed_(seed) {}
  [[nodiscard]] const Template& of(HostileKind kind) const {
    return templates_.at(static_cast<std::size_t>(kind));
  }

  std::uint64_t seed_;
  std::array<Template, static_cast<std::size_t>(HostileKind::kKinds)> templates_;
};

}  // namespace muster::e2e
