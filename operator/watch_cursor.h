// Where the list and the watch of one kind stand: which request comes next, what its answer means,
// and how long to wait before the one after. Pages of a consistent list, then the watch from there;
// after 410 a new list; after anything else the same resourceVersion again, with back-off. It knows
// no socket, clock or thread: real streams and simulated ones share it. Not thread-safe.
#pragma once

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

namespace muster::app {

struct WatchOptions {
  std::int32_t page_limit = 500;
  // The server ends each watch after a time drawn from [min, max], so that they do not all end at
  // once.
  std::int64_t timeout_min_s = 300, timeout_max_s = 600;
  std::int64_t backoff_min_ms = 800, backoff_max_ms = 30'000;
  // A watch that ends earlier is not begun again at once, however well it ended.
  std::int64_t short_ms = 1'000;
  // The time-out of one read. Bookmarks come about once a minute: a stream that is silent for
  // longer than this has lost its peer.
  HttpTimeouts http = {.read_ms = 100'000};
};

class WatchCursor {
 public:
  struct Source {
    ports::Resource resource;
    ports::Api::Decode decode;
  };
  using Warn = std::function<void(std::string_view message, const std::string& error)>;

  WatchCursor(const WatchOptions& options, Source source, std::uint64_t seed, Warn warn);

  // The next request is a watch; else it is a page of a list.
  [[nodiscard]] bool watching() const { return !listing_; }
  [[nodiscard]] ports::Request Next();

  // The answer to a page. How long to wait before the next request, in ms.
  [[nodiscard]] std::int64_t OnPage(const Result<HttpReply>& answer);

  // A watch: the head of its answer, its body as it comes, its end.
  void OnHead(const HttpReply& head);
  [[nodiscard]] bool OnBytes(std::string_view bytes);  // False: nothing more is to be read.
  [[nodiscard]] std::int64_t OnEnd(const Result<void>& end, std::int64_t lasted_ms);

  // What was read since the last call, in stream order. What a stream showed before it broke
  // counts.
  [[nodiscard]] std::vector<ports::WatchEvent> Take();

 private:
  std::int64_t TakePage(std::string_view body);
  std::int64_t PageRefused(const HttpReply& reply);
  std::int64_t WatchRefused();
  [[nodiscard]] bool TakeLine(std::string_view line);
  // Begins a new list; tells the consumer, once per list that it will never see the end of.
  std::int64_t Relist(const std::string& why);
  void Cut(const std::string& why);  // Told once until the stream goes on.
  std::int64_t Wait(std::optional<std::int64_t> at_least_ms);

  const WatchOptions options_;
  const Source source_;
  const Warn warn_;
  Backoff backoff_;
  std::vector<ports::WatchEvent> events_;

  // The list under way, or the last one.
  bool listing_ = true;
  bool told_lost_ = false;        // No part of a list was given since the last kLost.
  bool told_cut_ = false;         // Nothing followed the last kCut yet.
  std::string token_;             // Of the next page.
  std::string resource_version_;  // Where the next watch starts.

  // The watch under way.
  HttpReply head_;
  LineSplitter splitter_;
  std::string broken_;                    // Why the stream cannot be gone on with; "" = it can.
  std::optional<std::int32_t> end_code_;  // The code of an ERROR frame.
};

}  // namespace muster::app
