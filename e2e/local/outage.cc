#include "e2e/local/outage.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/server_trouble.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

constexpr std::string_view kOutagePath = "/muster-local/outage";
constexpr std::chrono::milliseconds kCutAfter{1'000};
constexpr std::int64_t kEachWrite = 3;

std::string_view QueryOf(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.query) {
    if (key == name) return value;
  }
  return {};
}

bool GoesOn(const HttpRequest& watch) {
  const std::string_view version = QueryOf(watch, "resourceVersion");
  return !version.empty() && version != "0";
}

ApiError TooOld() {
  return Expired("too old resource version: this one is gone");
}

HttpResponse Said(std::int32_t status, const Json& body) {
  return {.status = status, .headers = {}, .body = Dump(body)};
}

}  // namespace

Outage::Outage(HttpFront& front) : front_(front), porter_([this] { MoveDoor(); }) {}

Outage::~Outage() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  porter_.join();
}

std::optional<HttpResponse> Outage::Control(const HttpRequest& request) {
  if (request.path != kOutagePath) return std::nullopt;
  if (request.method == "POST") return Order(request.body);
  return request.method == "DELETE" ? End() : Report();
}

HttpResponse Outage::Order(const std::string& body) {
  static constexpr std::array<std::pair<std::string_view, Kind>, 7> kKinds{
      {{"down", Kind::kDown},
       {"frozen", Kind::kFrozen},
       {"throttled", Kind::kThrottled},
       {"errors", Kind::kErrors},
       {"cut", Kind::kCut},
       {"expired", Kind::kExpired},
       {"rotated", Kind::kRotated}}};
  const Json order = Parse(body).value_or(nullptr);
  const auto* const found = std::ranges::find(kKinds, StringAt(order, {"kind"}),
                                              &std::pair<std::string_view, Kind>::first);
  const std::int64_t at = IntAt(order, {"at"}).value_or(0);
  if (found == kKinds.end() || at < 1) return Said(400, {{"message", "kind: one that is known"}});
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOff) return Said(409, {{"message", "there is one already"}});
  state_ = State::kDue;
  kind_ = found->second;
  at_ = at;
  bindings_ = writes_ = struck_ = 0;
  token_ = StringAt(order, {"token"});
  return Said(200, {{"state", "due"}});
}

HttpResponse Outage::Report() {
  static constexpr std::array<std::string_view, 3> kNames{"off", "due", "on"};
  const std::lock_guard lock(mutex_);
  const bool rotated = kind_ == Kind::kRotated && state_ == State::kOn;
  return Said(200, {{"state", kNames.at(static_cast<std::size_t>(state_))},
                    {"struck", rotated ? front_.unauthorized() - unauthorized_before_ : struck_}});
}

HttpResponse Outage::End() {
  std::unique_lock lock(mutex_);
  state_ = State::kOff;
  wanted_ = Door::kOpen;
  changed_.notify_all();
  changed_.wait(lock, [this] { return door_ == Door::kOpen || over_; });
  return Said(200, {{"state", "off"}});
}

// With the lock held.
void Outage::Begin() {
  state_ = State::kOn;
  if (kind_ == Kind::kCut || kind_ == Kind::kExpired) front_.EndStreams();
  if (kind_ == Kind::kRotated) {
    unauthorized_before_ = front_.unauthorized();
    front_.SetToken(token_);
  }
}

std::optional<Outage::Strike> Outage::Take(const HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  const bool first = state_ == State::kDue && IsBinding(request) && ++bindings_ == at_;
  if (first) Begin();
  if (state_ != State::kOn || !(Concerns(request) || (first && kind_ == Kind::kFrozen))) {
    return std::nullopt;
  }
  return Strike{.kind = kind_, .number = ++struck_};
}

// With the lock held.
bool Outage::Concerns(const HttpRequest& request) {
  switch (kind_) {
    case Kind::kDown:
    case Kind::kThrottled:
      return true;
    case Kind::kErrors:
      return request.method != "GET" && ++writes_ % kEachWrite == 0;
    case Kind::kExpired:
      return !QueryOf(request, "continue").empty();
    case Kind::kFrozen:
    case Kind::kCut:
    case Kind::kRotated:
      return false;
  }
  return false;
}

HttpResponse Outage::Pass(const HttpRequest& request, const HttpFront::Next& next) {
  const std::optional<Strike> strike = Take(request);
  if (!strike) return next(request);
  switch (strike->kind) {
    case Kind::kDown:
      return Unanswered(request, next);
    case Kind::kFrozen:
      ::kill(::getpid(), SIGSTOP);
      return next(request);
    case Kind::kThrottled:
      return TooManyRequests();
    case Kind::kErrors:
      if (strike->number % 2 == 0) (void)next(request);
      return InternalError();
    default:
      return ToResponse(TooOld());
  }
}

// Its connection is closed by the time that it is answered.
HttpResponse Outage::Unanswered(const HttpRequest& request, const HttpFront::Next& next) {
  HttpResponse answer = next(request);
  std::unique_lock lock(mutex_);
  if (state_ == State::kOn) wanted_ = Door::kClosed;
  changed_.notify_all();
  changed_.wait(lock, [this] { return severed_ || wanted_ == Door::kOpen || over_; });
  return answer;
}

HttpFront::WatchTerms Outage::Watch(const HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOn) return {};
  switch (kind_) {
    case Kind::kThrottled:
      ++struck_;
      return {.refusal = TooManyRequests()};
    case Kind::kCut:
      return {.at_most = kCutAfter, .broken = ++struck_ % 2 == 0};
    case Kind::kExpired:
      if (!GoesOn(request)) return {};
      if (++struck_ % 2 == 0) return {.refusal = ToResponse(TooOld())};
      return {.only = R"({"type":"ERROR","object":)" + Dump(StatusObject(TooOld())) + "}"};
    default:
      return {};
  }
}

void Outage::MoveDoor() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return over_ || door_ != wanted_; });
    if (over_) return;
    const Door to = wanted_;
    door_ = Door::kMoving;
    lock.unlock();
    if (to == Door::kOpen) {
      MUSTER_CHECK(front_.Start().ok());  // Its port was held for it.
    } else {
      front_.Close();
    }
    lock.lock();
    severed_ = to == Door::kClosed;
    changed_.notify_all();
    lock.unlock();
    if (to == Door::kClosed) front_.Stop();
    lock.lock();
    door_ = to;
    changed_.notify_all();
  }
}

}  // namespace muster::e2e
