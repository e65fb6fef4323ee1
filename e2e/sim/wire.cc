#include "e2e/sim/wire.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include "e2e/apiserver/server_trouble.h"
#include "operator/api_target.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

std::string Unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ParseQuery(const std::string& query) {
  std::vector<std::pair<std::string, std::string>> found;
  std::size_t begin = 0;
  while (begin < query.size()) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    const std::string_view part = std::string_view(query).substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    const bool has_value = equals != std::string_view::npos;
    found.emplace_back(Unescape(part.substr(0, equals)),
                       has_value ? Unescape(part.substr(equals + 1)) : std::string());
    begin = end + 1;
  }
  return found;
}

HttpRequest ToHttp(const ports::Request& request) {
  Result<app::HttpCall> call = app::CallOf(request);
  MUSTER_CHECK(call.ok());
  const std::string& target = call.value().target;
  const std::size_t question = target.find('?');
  HttpRequest out;
  out.method = call.value().method;
  out.path = target.substr(0, question);
  if (question != std::string::npos) out.query = ParseQuery(target.substr(question + 1));
  out.content_type = request.content_type.empty() ? "application/json" : request.content_type;
  out.accept = "application/json";
  out.body = request.body;
  return out;
}

std::optional<HttpResponse> Wire::Refuses(const HttpRequest& request) {
  const bool conflicts = IsBinding(request) || IsPodStatusPatch(request);
  if (conflicts && weather_.Strikes(Fault::kConflictBefore, prng_)) return ConflictAnswer(request);
  if (weather_.Strikes(Fault::kThrottledBefore, prng_)) return TooManyRequests();
  if (weather_.Strikes(Fault::kErrorBefore, prng_)) return ServerError(prng_.Next());
  if (weather_.Strikes(Fault::kTimeoutBefore, prng_)) return TimedOut();
  if (!IsBinding(request)) return std::nullopt;
  if (!denied_.contains(request.path)) {
    if (!weather_.Draw(Fault::kDenied, prng_)) return std::nullopt;
    denied_.insert(request.path);
  }
  weather_.Note(Fault::kDenied);
  return DeniedByWebhook();
}

std::optional<HttpResponse> Wire::Denies(const HttpRequest& request) {
  if (IsBinding(request) && weather_.Strikes(Fault::kConflictAfter, prng_)) {
    return ConflictAnswer(request);
  }
  if (weather_.Strikes(Fault::kThrottledAfter, prng_)) return TooManyRequests();
  if (weather_.Strikes(Fault::kErrorAfter, prng_)) return ServerError(prng_.Next());
  if (weather_.Strikes(Fault::kTimeoutAfter, prng_)) return TimedOut();
  return std::nullopt;
}

void Wire::Deliver(std::int64_t latency_ms, std::function<void()> task) {
  loop_.After(latency_ms, [this, era = era_, task = std::move(task)]() {
    if (era == era_) task();
  });
}

void Wire::Send(HttpRequest request, Answer answer) {
  NoteSent(request);
  const std::int64_t sent_ms = loop_.elapsed_ms();
  const bool write = request.method != "GET";
  const bool lost = weather_.Strikes(Fault::kLostRequest, prng_);
  const bool late = write && weather_.Strikes(Fault::kLateRequest, prng_);
  const std::int64_t latency = late ? prng_.Between(100, 60'000) : Latency();
  if (!lost && reachable_) {
    if (weather_.Strikes(Fault::kRepeatedRequest, prng_)) {
      // A second PUT of the same page or Lease is refused, which its sender would have to take for
      // somebody else's doing: whoever repeats such a request keeps that answer.
      const bool heard = !(write && (IsPage(request) || IsLease(request)));
      const Answer second = heard ? answer : [](const HttpResponse&) {};
      Deliver(latency + prng_.Between(1, 5'000),
              [this, request, sent_ms, second]() { Arrive(request, sent_ms, second); });
    }
    Deliver(latency, [this, request = std::move(request), sent_ms, answer = std::move(answer)]() {
      Arrive(request, sent_ms, answer);
    });
  }
  hooks_.moved();
}

HttpResponse Wire::Serve(const HttpRequest& request, std::int64_t sent_ms) {
  if (std::optional<HttpResponse> refusal = Refuses(request)) {
    hooks_.arrived({request, *refusal, sent_ms});
    return *std::move(refusal);
  }
  // By value: a tap may let the request take effect later still.
  const auto serve = [this, request, sent_ms]() {
    HttpResponse served = server_.Handle(request);
    hooks_.arrived({request, served, sent_ms});
    return served;
  };
  HttpResponse response = hooks_.tap ? hooks_.tap(request, serve) : serve();
  const bool took_effect = request.method != "GET" && response.status < 300;
  std::optional<HttpResponse> denial = took_effect ? Denies(request) : std::nullopt;
  return denial ? *std::move(denial) : response;
}

void Wire::Arrive(const HttpRequest& request, std::int64_t sent_ms, const Answer& answer) {
  const std::uint64_t era = era_;
  const HttpResponse response = Serve(request, sent_ms);
  if (era == era_) Reply(response, answer);
  hooks_.moved();
}

void Wire::Reply(const HttpResponse& response, const Answer& answer) {
  const bool lost = weather_.Strikes(Fault::kLostAnswer, prng_);
  const bool late = weather_.Strikes(Fault::kLateAnswer, prng_);
  const std::int64_t latency = late ? prng_.Between(100, 20'000) : Latency();
  if (lost) return;
  Deliver(latency, [this, answer, response]() {
    answer(response);
    hooks_.moved();
  });
}

}  // namespace muster::e2e
