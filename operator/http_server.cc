#include "operator/http_server.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include <httplib.h>
#include <sys/socket.h>

#include "operator/loop_question.h"

namespace muster::app {
namespace {

// The library's pool lets any number of connections wait, each with a file descriptor, of which the
// client of the API server needs some too. Here one more than may wait is served by the thread that
// accepts: it accepts no other meanwhile, and the kernel holds those.
class BoundedPool final : public httplib::ThreadPool {
 public:
  BoundedPool() : ThreadPool(HttpServer::kThreads) {}

  void enqueue(std::function<void()> serve) override {
    if (waiting_ >= HttpServer::kWaiting) return serve();
    ++waiting_;
    ThreadPool::enqueue([this, run = std::move(serve)] {
      --waiting_;
      run();
    });
  }

 private:
  std::atomic<int> waiting_ = 0;
};

// The library's default would also set SO_REUSEPORT: two servers on one port, both content.
void OnlyReuseAddress(socket_t sock) {
  const int on = 1;
  (void)::setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

}  // namespace

struct HttpServer::State {
  State(ThreadLoop& to, Options limits) : loop(to), options(limits) {}

  ThreadLoop& loop;
  const Options options;
  httplib::Server server;
  std::atomic<bool> ended = false;  // `thread` listens no more.
  std::thread thread;
};

HttpServer::HttpServer(ThreadLoop& loop, Options options)
    : state_(std::make_unique<State>(loop, options)) {
  httplib::Server& server = state_->server;
  server.new_task_queue = [] { return std::make_unique<BoundedPool>().release(); };
  server.set_socket_options(OnlyReuseAddress);
  server.set_tcp_nodelay(true);
  server.set_payload_max_length(std::size_t{64} << 10);
  // A connection holds a thread while it lives: none may keep one for long.
  server.set_keep_alive_timeout(1);
  server.set_read_timeout(2);
  server.set_write_timeout(2);
}

HttpServer::~HttpServer() {
  Stop();
}

void HttpServer::Get(const std::string& pattern, Handler handler) {
  GetOffLoop(pattern, [state = state_.get(),
                       run = std::move(handler)](const std::vector<std::string>& parts) {
    return AskLoop(state->loop, state->options.answer_ms, [run, parts] { return run(parts); });
  });
}

void HttpServer::GetOffLoop(const std::string& pattern, Handler handler) {
  state_->server.Get(pattern, [run = std::move(handler)](const httplib::Request& request,
                                                         httplib::Response& response) {
    std::vector<std::string> parts;
    for (std::size_t i = 1; i < request.matches.size(); ++i) {
      parts.push_back(request.matches[i].str());
    }
    const HttpAnswer answer = run(parts);
    response.status = answer.status;
    response.set_content(answer.body, answer.content_type);
  });
}

Result<std::int32_t> HttpServer::Start(const BindAddress& at, std::string_view flag) {
  httplib::Server& server = state_->server;
  std::int32_t port = at.port;
  if (port == 0) {
    port = server.bind_to_any_port(at.host);
    if (port <= 0) return CannotServe(at, flag);
  } else if (!server.bind_to_port(at.host, port)) {
    return CannotServe(at, flag);
  }
  state_->thread = std::thread([state = state_.get()] {
    (void)state->server.listen_after_bind();
    state->ended = true;
  });
  return port;
}

void HttpServer::Stop() {
  if (!state_->thread.joinable()) return;
  // A stop that comes before the thread listens is lost.
  while (!state_->server.is_running() && !state_->ended) std::this_thread::yield();
  state_->server.stop();
  state_->thread.join();
}

}  // namespace muster::app
