// One kind, listed and watched for ever over one connection, as WatchCursor says. Runs on a thread
// of its own, which blocks in reads and, when the loop is behind, in Emit: a slow consumer slows
// this kind's stream and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/ports/api.h"
#include "operator/http_client.h"
#include "operator/logging.h"
#include "operator/read_pacer.h"
#include "operator/thread_loop.h"
#include "operator/watch_cursor.h"

namespace muster::app {

class WatchStream {
 public:
  using Source = WatchCursor::Source;
  // In stream order. May block; false: nobody takes events any more.
  using Emit = std::function<bool(std::vector<ports::WatchEvent> events)>;

  WatchStream(Endpoint endpoint, const WatchOptions& options, const Source& source, Emit emit,
              const Logger& logger);

  void Run(const StopFlag& stop);  // Until `stop`, or until Emit returns false.
  void Observe(HttpObserver observer) { connection_.Observe(std::move(observer)); }  // Before Run.
  void Interrupt() { connection_.Interrupt(); }

 private:
  void Follow(const StopFlag& stop);
  // One request, and another if there are new credentials. Returns how long to wait before the
  // next.
  std::int64_t ListStep(const std::string& target);
  std::int64_t WatchStep(const std::string& target);
  [[nodiscard]] bool OnHead(const HttpReply& head);
  [[nodiscard]] bool OnBytes(std::string_view bytes);
  [[nodiscard]] bool Flush();
  void Warn(std::string_view message, const std::string& error) const;

  const std::string kind_;
  const Emit emit_;
  const Logger& logger_;
  HttpConnection connection_;
  ReadPacer pacer_;
  WatchCursor cursor_;
  bool taken_ = true;               // Emit still takes events.
  const StopFlag* stop_ = nullptr;  // While Run runs.
};

}  // namespace muster::app
