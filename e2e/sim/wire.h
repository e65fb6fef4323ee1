// The network between an operator and the simulated API server: latency and the faults of requests
// and answers. It outlives the operators: what a dead one sent still takes effect. Everything that
// takes effect passes the observers and a tap, by which a canary plants its fault.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controllers/ports/api.h"
#include "e2e/apiserver/server.h"
#include "e2e/sim/faults.h"
#include "e2e/sim/prng.h"
#include "e2e/sim/sim_loop.h"

namespace muster::e2e {

// A request of an operator that reached the server, right after it took effect (or was refused).
struct Arrival {
  const HttpRequest& request;
  const HttpResponse& response;
  std::int64_t sent_ms = 0;  // Elapsed, as the loop counts.
};

// Stands between the wire and the server. Returns the answer that the operator gets; calls `serve`
// to let the request take effect, at once, later, or not at all.
using Tap =
    std::function<HttpResponse(const HttpRequest&, const std::function<HttpResponse()>& serve)>;

class Wire {
 public:
  struct Hooks {
    std::function<void(const Arrival&)> arrived;
    std::function<void()> moved;  // Something went over the wire: a good moment for a kill.
    Tap tap;                      // May be empty.
    // Every request as it leaves an operator, the watches too. May be empty.
    std::function<void(const HttpRequest&)> sent = {};
    // A list of a kind begins anew because its watch was too old. May be empty.
    std::function<void()> listed_again = {};
  };
  // Answers the operator; not called for an answer that is lost.
  using Answer = std::function<void(HttpResponse)>;

  Wire(SimLoop& loop, ApiServer& server, std::uint64_t seed, Hooks hooks)
      : loop_(loop), server_(server), prng_(seed), hooks_(std::move(hooks)) {}

  void set_faults(const Faults& faults) {
    weather_.Set(faults);
    denied_.clear();
  }
  [[nodiscard]] Weather& weather() { return weather_; }
  // While it is not, nothing that an operator sends arrives. Streams that are open stay open.
  void set_reachable(bool reachable) { reachable_ = reachable; }
  [[nodiscard]] bool reachable() const { return reachable_; }

  // From an operator. `answer` is called at most once, later.
  void Send(HttpRequest request, Answer answer);
  // How long one message takes, 1 to 8 ms.
  [[nodiscard]] std::int64_t Latency() { return prng_.Between(1, 8); }
  // Of what a watch shows.
  [[nodiscard]] std::int64_t WatchLatency() { return Latency() + watch_lag_ms_; }
  void set_watch_lag(std::int64_t ms) { watch_lag_ms_ = ms; }
  [[nodiscard]] bool DropsFrame() { return weather_.Strikes(Fault::kWatchDrop, prng_); }
  [[nodiscard]] bool Freezes() { return weather_.Strikes(Fault::kFreeze, prng_); }
  // What the server says instead of taking the request; empty: it takes it. Of a watch, too.
  [[nodiscard]] std::optional<HttpResponse> Refuses(const HttpRequest& request);
  // What is on its way, in either direction, never arrives.
  void DropAll() { ++era_; }
  void NoteFrame() const { hooks_.moved(); }
  void NoteListedAgain() const {
    if (hooks_.listed_again) hooks_.listed_again();
  }
  void NoteSent(const HttpRequest& request) const {
    if (hooks_.sent) hooks_.sent(request);
  }
  [[nodiscard]] ApiServer& server() { return server_; }

 private:
  void Arrive(const HttpRequest& request, std::int64_t sent_ms, const Answer& answer);
  [[nodiscard]] HttpResponse Serve(const HttpRequest& request, std::int64_t sent_ms);
  // A write took effect: what the server says all the same; empty: the truth.
  [[nodiscard]] std::optional<HttpResponse> Denies(const HttpRequest& request);
  void Reply(const HttpResponse& response, const Answer& answer);
  // When the message arrives, unless it was dropped by then.
  void Deliver(std::int64_t latency_ms, std::function<void()> task);

  SimLoop& loop_;
  ApiServer& server_;
  Prng prng_;
  Hooks hooks_;
  Weather weather_;
  std::set<std::string> denied_;  // Paths of Bindings that a webhook denies.
  bool reachable_ = true;
  std::int64_t watch_lag_ms_ = 0;
  std::uint64_t era_ = 0;
};

// The request as the server reads it off the wire.
[[nodiscard]] HttpRequest ToHttp(const ports::Request& request);
// "a=b&c=d%20e", decoded.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> ParseQuery(const std::string& query);

}  // namespace muster::e2e
