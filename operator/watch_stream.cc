#include "operator/watch_stream.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <utility>
#include <variant>

#include "operator/api_target.h"
#include "operator/watch_events.h"

namespace muster::app {
namespace {

using Clock = std::chrono::steady_clock;
using ports::WatchEvent;

constexpr std::int32_t kOk = 200;
constexpr std::int32_t kNotFound = 404;
constexpr std::int32_t kGone = 410;
constexpr std::size_t kMaxRefusal = std::size_t{64} << 10;

std::int64_t MsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

// Streams of a process draw different numbers, and so do processes that start together.
std::uint64_t SeedOf(const ports::Resource& resource) {
  return std::hash<std::string>()(resource.group + resource.plural) ^ std::random_device()();
}

// An event that is about no object.
WatchEvent Plain(WatchEvent::Type type, std::string resource_version, std::string error = {}) {
  WatchEvent event;
  event.type = type;
  event.resource_version = std::move(resource_version);
  event.error = std::move(error);
  return event;
}

}  // namespace

WatchStream::WatchStream(Endpoint endpoint, WatchOptions options, Source source, Emit emit,
                         const Logger& logger)
    : options_(options),
      source_(std::move(source)),
      emit_(std::move(emit)),
      logger_(logger),
      connection_(std::move(endpoint), options.http),
      backoff_({.min_ms = options.backoff_min_ms, .max_ms = options.backoff_max_ms},
               SeedOf(source_.resource)) {}

// One request after the other; each step says how long the next may wait.
void WatchStream::Run(const StopFlag& stop) {
  stop_ = &stop;
  while (taken_ && !stop.IsSet()) {
    const std::int64_t wait_ms = listing_ ? ListStep() : WatchStep();
    if (stop.WaitFor(taken_ ? wait_ms : 0)) return;
  }
}

// No resourceVersion: the server answers from its latest state, never from an older cache. Every
// page is given on as it comes, so a large list is never held as a whole.
std::int64_t WatchStream::ListStep() {
  std::string query = "limit=" + std::to_string(options_.page_limit);
  if (!token_.empty()) query += "&continue=" + EncodeQuery(token_);
  const Result<HttpReply> reply =
      connection_.Send({.method = "GET", .target = Target(query), .content_type = "", .body = ""});
  if (!reply.ok()) {  // The page is asked for again: its token is still good.
    Warn("list failed", reply.error().message);
    return Wait({});
  }
  return reply.value().status == kOk ? TakePage(reply.value().body) : ListRefused(reply.value());
}

std::int64_t WatchStream::TakePage(std::string_view body) {
  Result<ListEvents> page = ReadListPage(body, source_.decode);
  if (!page.ok()) return Relist("the list cannot be read: " + page.error().message);
  // All pages show the state at the first one's version.
  if (token_.empty()) resource_version_ = std::move(page.value().resource_version);
  batch_ = std::move(page.value().events);
  token_ = std::move(page.value().next);
  if (token_.empty()) {
    batch_.push_back(Plain(WatchEvent::Type::kListEnd, resource_version_));
    listing_ = false;
    told_lost_ = false;
  } else if (!batch_.empty()) {
    told_lost_ = false;  // The consumer has a part of a list again.
  }
  (void)Flush();
  return 0;
}

// A 404 here, with or without a Status, is a kind that is not served: never an empty list.
std::int64_t WatchStream::ListRefused(const HttpReply& reply) {
  const std::string text =
      "list: HTTP " + std::to_string(reply.status) + ": " + RefusalText(reply.body);
  if (reply.status == kGone || reply.status == kNotFound) return Relist(text);
  Warn("list refused", text);
  return Wait(reply.retry_after_ms);
}

// The watch goes on from the last version that was seen, by event or bookmark. How a stream ends
// says nothing about what was missed: after any end but 410 the next one starts from there.
std::int64_t WatchStream::WatchStep() {
  const std::int64_t seconds =
      options_.timeout_min_s + backoff_.Below(options_.timeout_max_s - options_.timeout_min_s + 1);
  head_ = {};
  splitter_ = LineSplitter();
  broken_.clear();
  end_code_.reset();
  const Clock::time_point start = Clock::now();
  const Result<void> end = connection_.Stream(
      Target("watch=1&allowWatchBookmarks=true&resourceVersion=" + EncodeQuery(resource_version_) +
             "&timeoutSeconds=" + std::to_string(seconds)),
      [this](const HttpReply& head) {
        head_ = head;
        return true;
      },
      [this](std::string_view bytes) {
        TakeBytes(bytes);
        return taken_ && broken_.empty() && !end_code_.has_value();
      });
  const std::int64_t lasted_ms = MsSince(start);
  if (lasted_ms > options_.backoff_max_ms) backoff_.Reset();
  if (!broken_.empty()) return Relist(broken_);
  if ((head_.status != 0 && head_.status != kOk) || end_code_.has_value()) return WatchRefused();
  if (!end.ok()) Warn("watch lost", end.error().message);
  return lasted_ms < options_.short_ms ? Wait({}) : 0;
}

// 429 and 5xx pass: a list in their place would cost the server more than what it just refused.
std::int64_t WatchStream::WatchRefused() {
  const std::int32_t code = end_code_.value_or(head_.status);
  const std::string text = "watch: " + std::to_string(code) + ": " + RefusalText(head_.body);
  if (code == kGone || code == kNotFound) return Relist(text);
  Warn("watch refused", text);
  return Wait(head_.retry_after_ms);
}

// Whole lines are events; the body of a refusal is its text.
void WatchStream::TakeBytes(std::string_view bytes) {
  if (head_.status != kOk) {
    head_.body.append(bytes.substr(0, kMaxRefusal - std::min(kMaxRefusal, head_.body.size())));
    return;
  }
  const bool whole = splitter_.Add(bytes, [this](std::string_view line) { return TakeLine(line); });
  // What came before the break counts.
  if (!Flush()) return;
  if (!whole && broken_.empty() && !end_code_.has_value()) broken_ = "watch: a line is too long";
}

// The version moves on with what is in the batch, which is flushed before the stream ends.
bool WatchStream::TakeLine(std::string_view line) {
  Result<WatchLine> read = ReadWatchLine(line, source_.decode);
  if (!read.ok()) {
    broken_ = "watch: " + read.error().message;
    return false;
  }
  if (const auto* end = std::get_if<WatchEnd>(&read.value()); end != nullptr) {
    end_code_ = end->code;
    head_.body = end->message;
    return false;
  }
  auto& event = std::get<WatchEvent>(read.value());
  if (!event.resource_version.empty()) resource_version_ = event.resource_version;
  batch_.push_back(std::move(event));
  return true;
}

bool WatchStream::Flush() {
  if (!batch_.empty()) taken_ = emit_(std::exchange(batch_, {}));
  return taken_;
}

// Never at once: a server that answers every watch with 410 would be listed in a loop.
std::int64_t WatchStream::Relist(const std::string& why) {
  listing_ = true;
  token_.clear();
  Warn("new list needed", why);
  if (!told_lost_) {
    told_lost_ = true;
    batch_.push_back(Plain(WatchEvent::Type::kLost, "", why));
    if (!Flush()) return 0;
  }
  return Wait({});
}

std::int64_t WatchStream::Wait(std::optional<std::int64_t> at_least_ms) {
  return std::max(backoff_.Next(), at_least_ms.value_or(0));
}

void WatchStream::Warn(std::string_view message, const std::string& error) const {
  if (!taken_ || stop_->IsSet()) return;  // That the stream was interrupted is no news.
  logger_.Log(ports::Level::kWarning, message,
              {{"kind", source_.resource.plural}, {"error", error}});
}

std::string WatchStream::Target(const std::string& query) const {
  ports::Request request;
  request.verb = ports::Verb::kList;
  request.resource = source_.resource;
  request.query = query;
  // Kinds are named by our own code: their path is always well formed.
  return CallOf(std::move(request)).value().target;
}

}  // namespace muster::app
