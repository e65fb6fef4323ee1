#include "e2e/apiserver/server_trouble.h"

#include <charconv>
#include <string>

#include "e2e/apiserver/errors.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kMs = 1'000;

// ".../pods/NAME/binding": the part before the last.
std::string NameIn(const std::string& path) {
  const std::size_t end = path.rfind('/');
  const std::size_t begin = path.rfind('/', end - 1);
  return path.substr(begin + 1, end - begin - 1);
}

}  // namespace

HttpResponse ConflictAnswer(const HttpRequest& request) {
  const std::string name = NameIn(request.path);
  if (IsBinding(request)) {
    return ToResponse(Conflict("pods/binding", name,
                               "rpc error: code = Unavailable desc = etcdserver: leader changed"));
  }
  return ToResponse(Conflict("pods", name,
                             "the object has been modified; please apply your changes to the "
                             "latest version and try again"));
}

HttpResponse TooManyRequests() {
  HttpResponse response;
  response.status = 429;
  response.content_type = "text/plain; charset=utf-8";
  response.headers.emplace_back("Retry-After", "1");
  response.body = "Too many requests, please try again later.\n";
  return response;
}

HttpResponse ServerError(std::uint64_t variant) {
  const char* text =
      variant % 2 == 0 ? "etcdserver: leader changed" : "etcdserver: request timed out";
  return ToResponse(Plain(500, "", text));
}

HttpResponse InternalError() {
  return ToResponse(Plain(500, "InternalError",
                          "Internal error occurred: failed calling webhook \"pods.example.com\": "
                          "context deadline exceeded"));
}

HttpResponse TimedOut() {
  return Answer(504,
                R"({"metadata":{},"status":"Failure","message":"Timeout: request did not complete )"
                R"(within the allotted timeout","reason":"Timeout","details":{},"code":504})");
}

HttpResponse DeniedByWebhook() {
  return ToResponse(Plain(403, "Forbidden",
                          "admission webhook \"bindings.example.com\" denied the request: this pod "
                          "may not be bound"));
}

bool IsBinding(const HttpRequest& request) {
  return request.method == "POST" && request.path.ends_with("/binding");
}

bool IsPodStatusPatch(const HttpRequest& request) {
  return request.method == "PATCH" && request.path.ends_with("/status") &&
         request.path.find("/pods/") != std::string::npos;
}

bool IsPage(const HttpRequest& request) {
  return request.path.find("/bindingjournals/") != std::string::npos;
}

bool IsLease(const HttpRequest& request) {
  return request.path.find("/leases") != std::string::npos;
}

std::optional<std::int64_t> RetryAfterMs(const HttpResponse& response) {
  for (const auto& [name, value] : response.headers) {
    if (name != "Retry-After") continue;
    std::int64_t seconds = 0;
    const char* end = value.data() + value.size();
    if (std::from_chars(value.data(), end, seconds).ptr == end) return seconds * kMs;
  }
  return std::nullopt;
}

}  // namespace muster::e2e
