// Whether what an entry names is still there, by the state of the loop: the last look before a
// Binding leaves (no request). The API server would bind to any node name, and to a pod that is
// labelled for another gang by now.
#pragma once

#include <cstdint>
#include <string>

#include "controllers/entry.h"
#include "controllers/stores.h"

namespace muster::controllers {

struct Sight {
  enum class Kind : std::uint8_t {
    kAsPlanned,
    kChanged,   // The pod is at a newer resourceVersion than the entry names.
    kGone,      // No such pod any more, or on its way out: it will never be bound.
    kKnown,     // Bound or ended: the fact that says so is on its way to the binder.
    kStale,     // `text`: what has changed, so that nothing may be bound for this gang.
    kNoMember,  // `text`: why it alone may not be bound for this gang.
    kNodeLost,  // `text`: why it may not be bound to this node.
  } kind{};
  std::string text = {};
};

// Of a member in kOpen.
[[nodiscard]] Sight LookUpMember(const Stores& stores, const Entry& entry, const Member& member);

}  // namespace muster::controllers
