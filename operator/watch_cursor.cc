#include "operator/watch_cursor.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "operator/watch_events.h"

namespace muster::app {
namespace {

using ports::WatchEvent;

constexpr std::int32_t kOk = 200;
constexpr std::int32_t kBadRequest = 400;
constexpr std::int32_t kNotFound = 404;
constexpr std::int32_t kGone = 410;
constexpr std::int32_t kUnprocessable = 422;
constexpr std::size_t kMaxRefusal = std::size_t{64} << 10;

// An event that is about no object.
WatchEvent Plain(WatchEvent::Type type, std::string resource_version, std::string error = {}) {
  WatchEvent event;
  event.type = type;
  event.resource_version = std::move(resource_version);
  event.error = std::move(error);
  return event;
}

}  // namespace

WatchCursor::WatchCursor(const WatchOptions& options, Source source, std::uint64_t seed, Warn warn)
    : options_(options),
      source_(std::move(source)),
      warn_(std::move(warn)),
      backoff_({.min_ms = options.backoff_min_ms, .max_ms = options.backoff_max_ms}, seed) {}

// A list has no resourceVersion: the server answers from its latest state, never from an older
// cache. A watch goes on from the last version that was seen, by event or bookmark.
ports::Request WatchCursor::Next() {
  ports::Request request;
  request.verb = ports::Verb::kList;
  request.resource = source_.resource;
  if (listing_) {
    request.query = "limit=" + std::to_string(options_.page_limit);
    if (!token_.empty()) request.query += "&continue=" + EncodeQuery(token_);
    return request;
  }
  head_ = {};
  splitter_ = LineSplitter();
  broken_.clear();
  end_code_.reset();
  const std::int64_t seconds =
      options_.timeout_min_s + backoff_.Below(options_.timeout_max_s - options_.timeout_min_s + 1);
  request.query =
      "watch=1&allowWatchBookmarks=true&resourceVersion=" + EncodeQuery(resource_version_) +
      "&timeoutSeconds=" + std::to_string(seconds);
  return request;
}

std::int64_t WatchCursor::OnPage(const Result<HttpReply>& answer) {
  if (!answer.ok()) {  // The page is asked for again: its token is still good.
    warn_("list failed", answer.error().message);
    return Wait({});
  }
  const HttpReply& reply = answer.value();
  return reply.status == kOk ? TakePage(reply.body) : PageRefused(reply);
}

// Every page is given on as it comes, so a large list is never held as a whole.
std::int64_t WatchCursor::TakePage(std::string_view body) {
  Result<ListEvents> page = ReadListPage(body, source_.decode);
  if (!page.ok()) return Relist("the list cannot be read: " + page.error().message);
  // All pages show the state at the first one's version.
  if (token_.empty()) resource_version_ = std::move(page.value().resource_version);
  events_ = std::move(page.value().events);
  token_ = std::move(page.value().next);
  if (token_.empty()) {
    events_.push_back(Plain(WatchEvent::Type::kListEnd, resource_version_));
    listing_ = false;
    told_lost_ = false;
    told_cut_ = false;
  } else if (!events_.empty()) {
    told_lost_ = false;  // The consumer has a part of a list again.
  }
  return 0;
}

// A 404 here, with or without a Status, is a kind that is not served: never an empty list.
std::int64_t WatchCursor::PageRefused(const HttpReply& reply) {
  const std::string text =
      "list: HTTP " + std::to_string(reply.status) + ": " + RefusalText(reply.body);
  if (reply.status == kGone || reply.status == kNotFound) return Relist(text);
  warn_("list refused", text);
  return Wait(reply.retry_after_ms);
}

void WatchCursor::OnHead(const HttpReply& head) {
  head_ = head;
  if (head.status == kOk && std::exchange(told_cut_, false)) {
    events_.push_back(Plain(WatchEvent::Type::kBookmark, resource_version_));
  }
}

// Whole lines are events; the body of a refusal is its text.
bool WatchCursor::OnBytes(std::string_view bytes) {
  if (head_.status != kOk) {
    head_.body.append(bytes.substr(0, kMaxRefusal - std::min(kMaxRefusal, head_.body.size())));
    return true;
  }
  const bool whole = splitter_.Add(bytes, [this](std::string_view line) { return TakeLine(line); });
  if (!whole && broken_.empty() && !end_code_.has_value()) broken_ = "watch: a line is too long";
  return broken_.empty() && !end_code_.has_value();
}

bool WatchCursor::TakeLine(std::string_view line) {
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
  events_.push_back(std::move(event));
  return true;
}

// How a stream ends says nothing about what was missed: after any end but 410 the next one starts
// from the last version.
std::int64_t WatchCursor::OnEnd(const Result<void>& end, std::int64_t lasted_ms) {
  if (lasted_ms > options_.backoff_max_ms) backoff_.Reset();
  if (!broken_.empty()) return Relist(broken_);
  if ((head_.status != 0 && head_.status != kOk) || end_code_.has_value()) return WatchRefused();
  if (!end.ok()) warn_("watch lost", end.error().message);
  // A stream that was served for a while is asked for again at once, and nothing is missed by that:
  // a kind in which nothing happens may be silent for so long that its read times out.
  if (head_.status == kOk && lasted_ms >= options_.short_ms) return 0;
  Cut(end.ok() ? "the watch ended early" : end.error().message);
  return Wait({});
}

// 429 and 5xx pass: a list in their place would cost the server more than what it just refused. A
// version that it does not understand it will never understand.
std::int64_t WatchCursor::WatchRefused() {
  const std::int32_t code = end_code_.value_or(head_.status);
  const std::string text = "watch: " + std::to_string(code) + ": " + RefusalText(head_.body);
  const bool version_refused = code == kBadRequest || code == kUnprocessable;
  if (code == kGone || code == kNotFound || version_refused) return Relist(text);
  warn_("watch refused", text);
  Cut(text);
  return Wait(head_.retry_after_ms);
}

std::vector<WatchEvent> WatchCursor::Take() {
  return std::exchange(events_, {});
}

// Never at once: a server that answers every watch with 410 would be listed in a loop.
std::int64_t WatchCursor::Relist(const std::string& why) {
  listing_ = true;
  token_.clear();
  warn_("new list needed", why);
  if (!told_lost_) {
    told_lost_ = true;
    events_.push_back(Plain(WatchEvent::Type::kLost, "", why));
  }
  return Wait({});
}

void WatchCursor::Cut(const std::string& why) {
  if (!std::exchange(told_cut_, true)) {
    events_.push_back(Plain(WatchEvent::Type::kCut, "", why));
  }
}

std::int64_t WatchCursor::Wait(std::optional<std::int64_t> at_least_ms) {
  return std::max(backoff_.Next(), at_least_ms.value_or(0));
}

}  // namespace muster::app
