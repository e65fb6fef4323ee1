// The simulated API server: one object without threads, sockets or clock. Handle answers a request
// from the stored objects; Subscribe streams what changes. In process the caller adds latency and
// faults around it; http_front serves it over HTTP under one lock. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::e2e {

struct HttpRequest {
  std::string method;  // GET POST PUT PATCH DELETE.
  std::string path;    // "/api/v1/namespaces/default/pods/p0/binding", decoded.
  std::vector<std::pair<std::string, std::string>> query;  // Decoded.
  std::string content_type, accept, body;
};
struct HttpResponse {
  int status = 0;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;  // Warning, Retry-After.
  std::string body;
};

class ApiServer {
 public:
  struct Options {
    std::int64_t watch_history = 4096;  // Events kept per kind; older resourceVersions get 410.
    std::uint64_t uid_seed = 1;         // UIDs come from a counter and this: the same every run.
  };
  // `now_ms`: wall clock for creationTimestamp and the like, in ms since 1970.
  ApiServer(Options options, std::function<std::int64_t()> now_ms);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // Loads crds/*.yaml: the kinds become servable. An error names file and path.
  [[nodiscard]] std::string LoadCrds(const std::string& folder);

  // Makes the objects of a YAML file as they stand there, status included; namespaces that they
  // need are made too. An error names file and object.
  [[nodiscard]] std::string LoadObjects(const std::string& file);

  [[nodiscard]] HttpResponse Handle(const HttpRequest& request);

  // A GET with watch=1. `sink` gets one frame (a JSON document without line end) at a time, at once
  // for what the store holds, later from within Handle; `end` is called when the server ends the
  // stream (never after Unsubscribe). If the request is refused (410, 404 ..) the answer's status
  // is not 200 and there is no subscription.
  using Sink = std::function<void(const std::string& frame)>;
  struct Subscription {
    HttpResponse answer;
    std::uint64_t id = 0;  // 0 = none.
  };
  [[nodiscard]] Subscription Subscribe(const HttpRequest& request, Sink sink,
                                       std::function<void()> end);
  void Unsubscribe(std::uint64_t id);
  // Sends a BOOKMARK to every subscription that asked for them.
  void Bookmark();
  // Ends every open stream (its `end` is called), as a server does that restarts.
  void EndWatches();
  // Forgets the watch history, as a compaction does: older resourceVersions get 410 from now on.
  void Compact();

  // As `etcdutl snapshot restore --bump-revision --mark-compacted`: the objects are those of then,
  // at their resourceVersions of then; new ones are above all that were given, and older watches
  // get 410. A stream that is still open hears of each difference.
  class Snapshot;
  [[nodiscard]] std::shared_ptr<const Snapshot> Save() const;
  void Restore(const Snapshot& then);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Every change of a collection from now on, at once, for ever. It is one that the server has.
void WatchAll(ApiServer& server, const std::string& path, ApiServer::Sink sink);

}  // namespace muster::e2e
