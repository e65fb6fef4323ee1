// Troubles of the whole served API server, as they come to those who connect by one of its doors;
// by another it serves as ever, which is where they are driven, over loopback at
// /muster-local/outage:
//   POST   {"kind": k, "at": n}: it begins with the n-th Binding from now on, or with
//          {"token": t}, too, where `kind` is "rotated"
//     down       the port is closed; what is under way takes effect, and is not answered
//     frozen     the process stops (SIGSTOP) until somebody lets it go on (SIGCONT)
//     throttled  each request gets 429 with Retry-After; watches that are open go on
//     errors     each third write gets 500, in turns before it takes effect and after
//     cut        each watch ends after a second, in turns as it should and in the middle
//     expired    no watch and no list goes on from where it was: 410, in turns as the answer and
//                as the first frame of the stream
//     rotated    who shows another token than `token` gets 401
//   GET    {"state": "off|due|on", "struck": how often it struck since it began}
//   DELETE ends it; answered when it has ended
// From any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "e2e/apiserver/http_front.h"
#include "e2e/apiserver/json.h"

namespace muster::e2e {

class Outage {
 public:
  // `front`: the door, which is open, and is not opened or closed by anybody else.
  explicit Outage(HttpFront& front);
  ~Outage();
  Outage(const Outage&) = delete;
  Outage& operator=(const Outage&) = delete;

  // The answer to a request that drives it; nothing if it is for somebody else.
  [[nodiscard]] std::optional<HttpResponse> Control(const HttpRequest& request);
  // The gates of `front`.
  [[nodiscard]] HttpResponse Pass(const HttpRequest& request, const HttpFront::Next& next);
  [[nodiscard]] HttpFront::WatchTerms Watch(const HttpRequest& request);

 private:
  enum class Kind : std::uint8_t {
    kDown,
    kFrozen,
    kThrottled,
    kErrors,
    kCut,
    kExpired,
    kRotated,
  };
  enum class State : std::uint8_t { kOff, kDue, kOn };
  enum class Door : std::uint8_t { kOpen, kMoving, kClosed };
  struct Strike {
    Kind kind{};
    std::int64_t number = 0;  // From 1.
  };

  HttpResponse Order(const std::string& body);
  HttpResponse Report();
  HttpResponse End();
  void Begin();
  // Nothing: it does not concern this request.
  [[nodiscard]] std::optional<Strike> Take(const HttpRequest& request);
  [[nodiscard]] bool Concerns(const HttpRequest& request);
  HttpResponse Unanswered(const HttpRequest& request, const HttpFront::Next& next);
  void MoveDoor();

  HttpFront& front_;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  State state_ = State::kOff;
  Kind kind_{};
  std::int64_t at_ = 0, bindings_ = 0;
  std::int64_t writes_ = 0, struck_ = 0;
  std::int64_t unauthorized_before_ = 0;
  std::string token_;
  Door door_ = Door::kOpen, wanted_ = Door::kOpen;
  bool severed_ = false;  // What is under way is not answered any more.
  bool over_ = false;
  std::thread porter_;  // Moves the door: a request that did so would wait for its own end.
};

}  // namespace muster::e2e
