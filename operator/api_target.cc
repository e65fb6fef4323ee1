#include "operator/api_target.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::app {
namespace {

std::string_view MethodOf(ports::Verb verb) {
  switch (verb) {
    case ports::Verb::kGet:
    case ports::Verb::kList:
      return "GET";
    case ports::Verb::kCreate:
      return "POST";
    case ports::Verb::kUpdate:
      return "PUT";
    case ports::Verb::kPatch:
      return "PATCH";
    case ports::Verb::kDelete:
      return "DELETE";
  }
  return "GET";
}

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Every name that Kubernetes takes for the kinds of this program is made of these.
bool IsSegment(std::string_view text) {
  return text != "." && text != ".." && std::ranges::all_of(text, [](char c) {
           return IsAlphanumeric(c) || std::string_view("-._:").find(c) != std::string_view::npos;
         });
}

// Encoded already: printable ASCII, and nothing that ends the query.
bool IsQuery(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
}

}  // namespace

// Kinds of the core group live under /api, all others under /apis/GROUP.
Result<HttpCall> CallOf(ports::Request request) {
  const ports::Resource& resource = request.resource;
  std::string target = resource.group.empty() ? "/api" : "/apis";
  const auto add = [&target](std::string_view part) {
    if (!part.empty()) target.append("/").append(part);
  };
  for (const std::string_view part :
       {std::string_view(resource.group), std::string_view(resource.version),
        std::string_view(resource.plural), std::string_view(request.ns),
        std::string_view(request.name), std::string_view(request.subresource)}) {
    if (!IsSegment(part)) {
      return Error{Code::kInvalidArgument, "not a part of a path: \"" + std::string(part) + "\""};
    }
  }
  if (!IsQuery(request.query)) return Error{Code::kInvalidArgument, "the query is not encoded"};
  add(resource.group);
  add(resource.version);
  if (!request.ns.empty()) {
    add("namespaces");
    add(request.ns);
  }
  add(resource.plural);
  add(request.name);
  add(request.subresource);
  if (!request.query.empty()) target.append("?").append(request.query);
  return HttpCall{.method = std::string(MethodOf(request.verb)),
                  .target = std::move(target),
                  .content_type = std::move(request.content_type),
                  .body = std::move(request.body)};
}

bool MayRepeat(const ports::Request& request) {
  switch (request.verb) {
    case ports::Verb::kGet:
    case ports::Verb::kList:
      return true;
    case ports::Verb::kCreate:
    case ports::Verb::kDelete:
      return false;
    case ports::Verb::kUpdate:
    case ports::Verb::kPatch:
      break;
  }
  // As our encoders write it: compact, and not empty.
  constexpr std::string_view kField = R"("resourceVersion":")";
  const std::size_t found = request.body.find(kField);
  return found != std::string::npos && request.body.compare(found + kField.size(), 1, "\"") != 0;
}

}  // namespace muster::app
