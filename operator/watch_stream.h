// One kind, listed and watched for ever over one connection: pages of a consistent list, then the
// watch from there; after 410 a new list; after anything else the same resourceVersion again, with
// back-off. Runs on a thread of its own, which blocks in reads and, when the loop is behind, in
// Emit: a slow consumer slows this kind's stream and nothing else.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/ports/api.h"
#include "operator/backoff.h"
#include "operator/http_client.h"
#include "operator/line_splitter.h"
#include "operator/logging.h"
#include "operator/thread_loop.h"

namespace muster::app {

struct WatchOptions {
  std::int32_t page_limit = 500;
  // The server ends each watch after a time drawn from [min, max), so that they do not all end at
  // once.
  std::int64_t timeout_min_s = 300, timeout_max_s = 600;
  std::int64_t backoff_min_ms = 800, backoff_max_ms = 30'000;
  // A watch that ends earlier is not begun again at once, however well it ended.
  std::int64_t short_ms = 1'000;
  // The time-out of one read. Bookmarks come about once a minute: a stream that is silent for
  // longer than this has lost its peer.
  HttpTimeouts http = {.read_ms = 100'000};
};

class WatchStream {
 public:
  struct Source {
    ports::Resource resource;
    ports::Api::Decode decode;
  };
  // In stream order. May block; false: nobody takes events any more.
  using Emit = std::function<bool(std::vector<ports::WatchEvent> events)>;

  WatchStream(Endpoint endpoint, WatchOptions options, Source source, Emit emit,
              const Logger& logger);

  void Run(const StopFlag& stop);  // Until `stop`, or until Emit returns false.
  void Interrupt() { connection_.Interrupt(); }

 private:
  // One request. Returns how long to wait before the next.
  std::int64_t ListStep();
  std::int64_t WatchStep();

  std::int64_t TakePage(std::string_view body);
  void TakeBytes(std::string_view bytes);
  [[nodiscard]] bool TakeLine(std::string_view line);
  [[nodiscard]] bool Flush();

  std::int64_t ListRefused(const HttpReply& reply);
  std::int64_t WatchRefused();
  // Begins a new list; tells the consumer, once per list that it will never see the end of.
  std::int64_t Relist(const std::string& why);
  std::int64_t Wait(std::optional<std::int64_t> at_least_ms);
  void Warn(std::string_view message, const std::string& error) const;
  [[nodiscard]] std::string Target(const std::string& query) const;

  const WatchOptions options_;
  const Source source_;
  const Emit emit_;
  const Logger& logger_;
  HttpConnection connection_;
  Backoff backoff_;
  bool taken_ = true;               // Emit still takes events.
  const StopFlag* stop_ = nullptr;  // While Run runs.

  // The list under way, or the last one.
  bool listing_ = true;
  bool told_lost_ = false;        // No part of a list was given since the last kLost.
  std::string token_;             // Of the next page.
  std::string resource_version_;  // Where the next watch starts.

  // The watch under way.
  HttpReply head_;
  LineSplitter splitter_;
  std::vector<ports::WatchEvent> batch_;
  std::string broken_;                    // Why the stream cannot be gone on with; "" = it can.
  std::optional<std::int32_t> end_code_;  // The code of an ERROR frame.
};

}  // namespace muster::app
