#include "operator/watch_stream.h"

#include <chrono>
#include <functional>
#include <random>
#include <utility>

#include "operator/api_target.h"

namespace muster::app {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t NowUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
      .count();
}

std::int64_t MsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

// Streams of a process draw different numbers, and so do processes that start together.
std::uint64_t SeedOf(const ports::Resource& resource) {
  return std::hash<std::string>()(resource.group + resource.plural) ^ std::random_device()();
}

}  // namespace

WatchStream::WatchStream(Endpoint endpoint, const WatchOptions& options, const Source& source,
                         Emit emit, const Logger& logger)
    : kind_(source.resource.plural),
      emit_(std::move(emit)),
      logger_(logger),
      connection_(std::move(endpoint), options.http),
      cursor_(
          options, source, SeedOf(source.resource),
          [this](std::string_view message, const std::string& error) { Warn(message, error); }) {}

// Nobody who waits at the other end of a stream that has ended is left waiting.
void WatchStream::Run(const StopFlag& stop) {
  stop_ = &stop;
  Follow(stop);
  connection_.Interrupt();
}

// One request after the other; each step says how long the next may wait.
void WatchStream::Follow(const StopFlag& stop) {
  while (taken_ && !stop.IsSet()) {
    const bool watch = cursor_.watching();
    // Kinds are named by our own code: their path is always well formed.
    const std::string target = CallOf(cursor_.Next()).value().target;
    const std::int64_t wait_ms = watch ? WatchStep(target) : ListStep(target);
    if (stop.WaitFor(Flush() ? wait_ms : 0)) return;
  }
}

std::int64_t WatchStream::ListStep(const std::string& target) {
  const HttpCall call = {.method = "GET", .target = target, .content_type = "", .body = ""};
  Result<HttpReply> page = connection_.Send(call);
  const bool refused = page.ok() && page.value().status == kHttpUnauthorized;
  if (refused && connection_.Renew()) page = connection_.Send(call);
  return cursor_.OnPage(page);
}

std::int64_t WatchStream::WatchStep(const std::string& target) {
  const Clock::time_point start = Clock::now();
  bool refused = false;
  Result<void> end = connection_.Stream(
      target,
      [&](const HttpReply& head) {
        refused = head.status == kHttpUnauthorized;
        return !refused && OnHead(head);
      },
      [this](std::string_view bytes) { return OnBytes(bytes); });
  if (refused) {  // Another refusal is the cursor's to judge.
    (void)connection_.Renew();
    end = connection_.Stream(
        target, [this](const HttpReply& head) { return OnHead(head); },
        [this](std::string_view bytes) { return OnBytes(bytes); });
  }
  return cursor_.OnEnd(end, MsSince(start));
}

bool WatchStream::OnHead(const HttpReply& head) {
  cursor_.OnHead(head);
  return Flush();
}

bool WatchStream::OnBytes(std::string_view bytes) {
  const bool rest = pacer_.OnBytes(NowUs());
  const bool more = cursor_.OnBytes(bytes);
  const bool taken = Flush();
  if (rest) (void)stop_->WaitFor(ReadPacer::kRestMs);
  pacer_.OnReadOn(NowUs());
  return taken && more;
}

bool WatchStream::Flush() {
  std::vector<ports::WatchEvent> events = cursor_.Take();
  if (!events.empty() && taken_) taken_ = !stop_->IsSet() && emit_(std::move(events));
  return taken_;
}

void WatchStream::Warn(std::string_view message, const std::string& error) const {
  if (!taken_ || stop_->IsSet()) return;  // That the stream was interrupted is no news.
  logger_.Log(ports::Level::kWarning, message, {{"kind", kind_}, {"err", error}});
}

}  // namespace muster::app
