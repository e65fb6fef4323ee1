// The API server, as the loop sees it. Requests carry the wire form (path parts and JSON text), so
// one simulated server answers both a call in process and HTTP. Implementations:
// operator/api_client (sockets) and e2e/sim (in process, virtual time, faults).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "crds/object.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace muster::ports {

enum class Verb : std::uint8_t { kGet, kList, kCreate, kUpdate, kPatch, kDelete };
// Strict priority, each with its own bound in flight: status storms never delay a Binding, and
// nothing delays the renewal of the Lease.
enum class Lane : std::uint8_t { kLease, kBind, kRemoval, kStatus };
inline constexpr std::size_t kLanes = 4;

struct Resource {
  std::string group, version, plural;  // group "" = core.
  friend bool operator==(const Resource&, const Resource&) = default;
};
struct Request {
  Verb verb{};
  Resource resource;
  std::string ns, name, subresource;
  std::string query;         // Encoded, without "?": "limit=500&continue=..".
  std::string content_type;  // Of the body; "" = application/json.
  std::string body;
  Lane lane = Lane::kStatus;
};
// A write that only the holder of the lease may send: every one but the Lease's own.
[[nodiscard]] inline bool NeedsLease(const Request& request) {
  const bool read = request.verb == Verb::kGet || request.verb == Verb::kList;
  return !read && request.lane != Lane::kLease;
}
// The answer to one that was not sent for that.
[[nodiscard]] inline Error LeasePassedOn() {
  return {Code::kUnavailable, "not sent: the lease may have passed on"};
}
struct Response {
  std::int32_t status = 0;
  std::string body;
  std::optional<std::int64_t> retry_after_ms;
};
struct WatchEvent {
  enum class Type : std::uint8_t {
    kListed,   // One object of a full list; what is not in the list is gone at kListEnd.
    kListEnd,  // With the collection's resourceVersion.
    kAdded,
    kModified,
    kDeleted,  // With the last state; one that does not decode comes as `ns` and `name` alone.
    kBookmark,
    kInvalid,  // Listed, added or modified, and does not decode: `error` says the field's path and
               // the object, `ns` and `name` which it is ("" = even that cannot be read).
    kLost,     // The stream ended for good (410, 404 of the kind): a new list follows.
    kCut,      // The server does not let it go on for now. A bookmark says when it does, or kLost.
  } type{};
  crds::Object object;
  std::string resource_version;
  std::string error;
  std::string ns, name;
};

class Api {
 public:
  // `done` runs on the loop, exactly once. An Error means "no answer, may have taken effect": GET
  // before deciding anything.
  using Done = std::function<void(Result<Response>)>;
  // Pure. Runs where the bytes arrive (an IO thread; inline in simulation). The text is one object.
  using Decode = std::function<Result<crds::Object>(std::string_view json)>;
  // Runs on the loop, in stream order.
  using Sink = std::function<void(WatchEvent)>;

  virtual ~Api() = default;
  virtual void Call(Request request, Done done) = 0;
  // From the first call on nothing that NeedsLease is sent at `until` (of Loop::now) or later:
  // looked at when it is about to be sent, by who sends it. It is answered with LeasePassedOn.
  virtual void AllowWritesUntil(Ticks until) = 0;
  // Lists by consistent reads (no resourceVersion, pages by limit and continue), then watches from
  // there with bookmarks; again after 410 or an error, with backoff, for ever. For a kind that is
  // followed already it begins anew: its former stream ends, but what of that is on its way still
  // reaches its sink. Never from within the sink of that kind.
  virtual void ListAndWatch(Resource resource, Decode decode, Sink sink) = 0;
};

}  // namespace muster::ports
