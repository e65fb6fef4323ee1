// Faults of the served API server, for tests that need one at an exact request: kill or stop a
// process at the k-th Binding of a gang (before or after it takes effect) or when a journal page is
// stored, or hold that Binding back. Driven over loopback at /muster-local/hooks:
//   POST   {"gang": "ns/name", "when": "before|after|page|hold", "at": k, "pid": n, "signal": s}
//   arms it;
//          s: SIGKILL without
//   GET    what was seen: {"state", "seen", "held", "bindings": [{..., "code"}]}
//   GET    .../tally   Bindings that took effect: {"done", "first_us", "last_us"}, cheap to ask
//   POST   .../release   the held Binding takes effect now; answers {"code", "body"}
//   DELETE disarms it
//   POST   .../refusals {"pod": "ns/name", "code": n, "message": text}   each Binding of the pod is
//          refused so; DELETE ends that for all pods
// While it is armed, Bindings are taken one at a time, and those that have not taken effect when
// the kill comes are dropped. From any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "e2e/apiserver/http_front.h"
#include "e2e/apiserver/json.h"

namespace muster::e2e {

class Hooks {
 public:
  // Faults of the operator that tests of the tests plant: what it sent is changed underway, or a
  // request comes that it did not send. kDeleteMember: before a page loses its last entry, the pod
  // that was bound last is deleted. kOneNode: each Binding names the node n1.
  enum class Plant : std::uint8_t {
    kNone,
    kEmptyPages,
    kNoResourceVersion,
    kDeleteMember,
    kOneNode,
  };

  Hooks(HttpFront& front, Plant plant) : front_(front), plant_(plant) {}

  // The gate of `front`.
  [[nodiscard]] HttpResponse Pass(const HttpRequest& request, const HttpFront::Next& next);

 private:
  enum class State : std::uint8_t { kOff, kArmed, kKilled, kHolding };
  enum class When : std::uint8_t { kBefore, kAfter, kPage, kHold };
  struct Order {
    std::string gang;  // "ns/name".
    When when{};
    std::int64_t at = 0;
    std::int32_t pid = 0;
    int signal = 0;
  };
  struct Tally {
    std::int64_t done = 0;
    std::int64_t first_us = 0, last_us = 0;  // Of one clock without a meaningful zero.
  };

  [[nodiscard]] HttpRequest Planted(const HttpRequest& binding) const;
  HttpResponse Control(const HttpRequest& request);
  HttpResponse SetRefusals(const HttpRequest& request);
  [[nodiscard]] std::optional<HttpResponse> RefusalOf(const HttpRequest& binding);
  HttpResponse Arm(const std::string& body);
  HttpResponse Report();
  HttpResponse ReportTally();
  HttpResponse Release();
  HttpResponse Disarm();
  HttpResponse OnBinding(const HttpRequest& request, const HttpFront::Next& next);
  HttpResponse OnPage(const HttpRequest& request, const HttpFront::Next& next);
  // Nothing when the Binding is held back.
  std::optional<HttpResponse> Take(const HttpRequest& request, const HttpFront::Next& next);
  HttpResponse AnswerHeld();
  [[nodiscard]] bool IsOfGang(const HttpRequest& binding);
  [[nodiscard]] State state();
  void Kill();
  // The page has entries, and with this request no more.
  [[nodiscard]] bool Empties(const HttpRequest& page);
  void DeleteLastBound();
  void Record(const HttpRequest& binding, std::int32_t code);

  HttpFront& front_;
  const Plant plant_;
  std::mutex one_at_a_time_;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable released_;
  State state_ = State::kOff;
  Order order_;
  std::int64_t seen_ = 0;  // Bindings of the gang since it was armed.
  std::optional<HttpRequest> held_;
  Json bindings_ = Json::array();
  Tally tally_;
  std::map<std::string, HttpResponse> refusals_;  // By path of the Binding.
};

}  // namespace muster::e2e
