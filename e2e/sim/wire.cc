#include "e2e/sim/wire.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

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

void Wire::Send(HttpRequest request, Answer answer) {
  NoteSent(request);
  const std::int64_t sent_ms = loop_.elapsed_ms();
  const bool write = request.method != "GET";
  const bool lost = prng_.Chance(faults_.lost_request);
  const bool late = write && prng_.Chance(faults_.late_request);
  const std::int64_t latency = late ? prng_.Between(100, 60'000) : Latency();
  if (!lost && reachable_) {
    loop_.After(latency, [this, request = std::move(request), sent_ms,
                          answer = std::move(answer)]() { Arrive(request, sent_ms, answer); });
  }
  hooks_.moved();
}

void Wire::Arrive(const HttpRequest& request, std::int64_t sent_ms, const Answer& answer) {
  // By value: a tap may let the request take effect later still.
  const auto serve = [this, request, sent_ms]() {
    HttpResponse served = server_.Handle(request);
    hooks_.arrived({request, served, sent_ms});
    return served;
  };
  HttpResponse response = hooks_.tap ? hooks_.tap(request, serve) : serve();
  const bool lost = prng_.Chance(faults_.lost_answer);
  const bool late = prng_.Chance(faults_.late_answer);
  const std::int64_t latency = late ? prng_.Between(100, 20'000) : Latency();
  if (!lost) {
    loop_.After(latency, [this, answer, response = std::move(response)]() {
      answer(response);
      hooks_.moved();
    });
  }
  hooks_.moved();
}

}  // namespace muster::e2e
