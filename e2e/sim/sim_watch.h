// The list and the watch of one kind under virtual time: the operator's own WatchCursor over the
// simulated wire, which gives each page and each frame its latency and drops streams. What the wire
// said when the stream is ended before it arrives is never heard.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "controllers/ports/api.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/wire.h"
#include "operator/watch_cursor.h"

namespace muster::e2e {

class SimWatch {
 public:
  SimWatch(SimLoop& loop, Wire& wire, const app::WatchCursor::Source& source, ports::Api::Sink sink,
           std::uint64_t seed);
  ~SimWatch();
  SimWatch(const SimWatch&) = delete;
  SimWatch& operator=(const SimWatch&) = delete;

  void Start() { Next(); }
  void LoseConnection();  // A watch that is open ends without a word.
  // The watch shows this too, after what it has shown. False: none is open.
  [[nodiscard]] bool Show(const std::string& frame);

 private:
  void Next();
  void ListPage(HttpRequest request);
  void Watch(const HttpRequest& request);
  void OnWatchAnswer(const HttpRequest& request);
  void OnFrame(const std::string& frame);
  void Deliver(const std::string& frame);
  void End(const Result<void>& how);
  void Drop();  // Ends the stream; what is on its way is not heard.
  void Go(std::int64_t wait_ms);
  void Emit();
  // Runs `task` unless this watch, or the stream that it belongs to, has ended by then.
  void Later(std::int64_t delay_ms, std::function<void()> task);

  SimLoop& loop_;
  Wire& wire_;
  app::WatchCursor cursor_;
  ports::Api::Sink sink_;
  bool watching_ = false;
  bool expired_ = false;       // The watch was answered with 410: the next list follows from that.
  std::int64_t since_ms_ = 0;  // Elapsed, of the watch under way.
  std::uint64_t subscription_ = 0;
  std::int64_t last_delivery_ms_ = 0;
  std::shared_ptr<bool> stream_ = std::make_shared<bool>(true);
};

}  // namespace muster::e2e
