// The operator's own answers, on a loopback port: health, readiness, explanations. A handler runs
// on the loop, so it may read what the loop owns; the server's threads post the question and wait,
// bounded, and there are few of them: askers cannot crowd the loop out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operator/thread_loop.h"
#include "scheduler/base/result.h"

namespace muster::app {

struct HttpAnswer {
  std::int32_t status = 200;
  std::string content_type = "text/plain";
  std::string body;
};

class HttpServer {
 public:
  struct Options {
    std::int64_t answer_ms = 2'000;  // No answer of the loop by then: 503.
  };
  // The parts of the path that the pattern's groups match, decoded. Runs on the loop.
  using Handler = std::function<HttpAnswer(const std::vector<std::string>& parts)>;

  HttpServer(ThreadLoop& loop, Options options);
  ~HttpServer();  // Stops.
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // `pattern` is a regular expression for the whole path. Before Start only.
  void Get(const std::string& pattern, Handler handler);
  // Serves 127.0.0.1:`port` (0 = a free one) from now on; the port, or why not.
  [[nodiscard]] Result<std::int32_t> Start(std::int32_t port);
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::app
