// The network between an operator and the simulated API server: latency and the faults of requests
// and answers. It outlives the operators: what a dead one sent still takes effect. Everything that
// takes effect passes the observers and a tap, by which a canary plants its fault.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
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
  };
  // Answers the operator; not called for an answer that is lost.
  using Answer = std::function<void(HttpResponse)>;

  Wire(SimLoop& loop, ApiServer& server, std::uint64_t seed, Hooks hooks)
      : loop_(loop), server_(server), prng_(seed), hooks_(std::move(hooks)) {}

  void set_faults(const Faults& faults) { faults_ = faults; }
  [[nodiscard]] const Faults& faults() const { return faults_; }
  // While it is not, nothing that an operator sends arrives. Streams that are open stay open.
  void set_reachable(bool reachable) { reachable_ = reachable; }
  [[nodiscard]] bool reachable() const { return reachable_; }

  // From an operator. `answer` is called at most once, later.
  void Send(HttpRequest request, Answer answer);
  // How long one message takes, 1 to 8 ms.
  [[nodiscard]] std::int64_t Latency() { return prng_.Between(1, 8); }
  [[nodiscard]] bool DropsFrame() { return prng_.Chance(faults_.watch_drop); }
  [[nodiscard]] bool Freezes() { return prng_.Chance(faults_.freeze); }
  void NoteFrame() const { hooks_.moved(); }
  void NoteSent(const HttpRequest& request) const {
    if (hooks_.sent) hooks_.sent(request);
  }
  [[nodiscard]] ApiServer& server() { return server_; }

 private:
  void Arrive(const HttpRequest& request, std::int64_t sent_ms, const Answer& answer);

  SimLoop& loop_;
  ApiServer& server_;
  Prng prng_;
  Hooks hooks_;
  Faults faults_;
  bool reachable_ = true;
};

// The request as the server reads it off the wire.
[[nodiscard]] HttpRequest ToHttp(const ports::Request& request);
// "a=b&c=d%20e", decoded.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> ParseQuery(const std::string& query);

}  // namespace muster::e2e
