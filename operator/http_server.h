// The operator's own answers: health, readiness, explanations, metrics. A handler runs on the loop,
// so it may read what the loop owns; the server's threads post the question and wait, bounded, and
// there are few of them: askers cannot crowd the loop out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operator/bind_address.h"
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
  static constexpr int kThreads = 4;
  static constexpr int kWaiting = 32;  // Connections that were accepted and have no thread.
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
  // The same for a handler that runs on a thread of the server, and may touch nothing of the
  // loop's.
  void GetOffLoop(const std::string& pattern, Handler handler);
  // Serves from now on; the port, or why not, which names the flag that says the address.
  [[nodiscard]] Result<std::int32_t> Start(const BindAddress& at, std::string_view flag);
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::app
