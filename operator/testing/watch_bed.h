// What a watch stream shows, as texts, and a stream of namespaces that ends after a number of
// events. For tests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crds/decode.h"
#include "operator/watch_stream.h"

namespace muster::app {

[[nodiscard]] inline std::string TextOf(const ports::WatchEvent& event) {
  using EventType = ports::WatchEvent::Type;
  const std::string who = event.name + "@" + event.resource_version;
  switch (event.type) {
    case EventType::kListed:
      return "listed " + who;
    case EventType::kListEnd:
      return "end " + event.resource_version;
    case EventType::kAdded:
      return "added " + who;
    case EventType::kModified:
      return "modified " + who;
    case EventType::kDeleted:
      return "deleted " + who + (event.object.index() == 0 ? " by name" : "");
    case EventType::kBookmark:
      return "bookmark " + event.resource_version;
    case EventType::kInvalid:
      return "invalid " + who + " " + event.error;
    case EventType::kLost:
      return "lost";
    case EventType::kCut:
      return "cut";
  }
  return "";
}

// An object whose name begins with "bad" does not decode.
[[nodiscard]] inline Result<crds::Object> DecodeNamed(std::string_view json) {
  MUSTER_ASSIGN(crds::Namespace decoded, crds::DecodeNamespace(json));
  if (decoded.meta.name.starts_with("bad")) {
    return Error{Code::kInvalidArgument, "spec.x: expected an integer"};
  }
  return crds::Object(std::move(decoded));
}

// Two objects a page, and no wait that a test would notice.
[[nodiscard]] inline WatchOptions QuickWatch() {
  WatchOptions options;
  options.page_limit = 2;
  options.timeout_min_s = options.timeout_max_s = 300;
  options.backoff_min_ms = 1;
  options.backoff_max_ms = 4;
  options.short_ms = 20;
  options.http.read_ms = 5'000;
  return options;
}

// The first `count` events of a stream of namespaces, or a few more.
[[nodiscard]] inline std::vector<std::string> CollectEvents(const Endpoint& to, std::size_t count,
                                                            const WatchOptions& options) {
  const Result<Logger> logger = Logger::Open({.file = "/dev/null"});
  std::vector<std::string> texts;
  WatchStream stream(
      to, options, {.resource = {"", "v1", "namespaces"}, .decode = DecodeNamed},
      [&](std::vector<ports::WatchEvent> events) {
        for (const ports::WatchEvent& event : events) texts.push_back(TextOf(event));
        return texts.size() < count;
      },
      logger.value());
  stream.Run(StopFlag());
  return texts;
}

// The first line of the request for pages of two, and for a watch.
inline const std::string kListLine = "GET /api/v1/namespaces?limit=2";
[[nodiscard]] inline std::string WatchLine(const std::string& version) {
  return "GET /api/v1/namespaces?watch=1&allowWatchBookmarks=true&resourceVersion=" + version +
         "&timeoutSeconds=300";
}

}  // namespace muster::app
