#include "operator/api_client.h"

#include <utility>

#include "operator/api_target.h"
#include "operator/boot_clock.h"
#include "operator/credentials.h"

namespace muster::app {
namespace {

constexpr std::int32_t kConflict = 409;

// Repeats only what is sent again without harm. `may_start` is asked each time.
Result<HttpReply> SendOnce(HttpConnection& connection, const HttpCall& call, bool may_repeat,
                           const std::function<bool()>& may_start) {
  const auto send_now = [&]() -> Result<HttpReply> {
    if (may_start()) return connection.Send(call);
    return ports::LeasePassedOn();
  };
  // Whatever it is, a request that was not let in has had no effect.
  const auto send = [&] {
    Result<HttpReply> reply = send_now();
    const bool refused = reply.ok() && reply.value().status == kHttpUnauthorized;
    return refused && connection.Renew() ? send_now() : reply;
  };
  Result<HttpReply> reply = send();
  // A connection that idled may have been closed by the server just as the request went out. The
  // request is then most likely unread, but only most likely: what may not be repeated is returned
  // as "no answer".
  const bool stale =
      !reply.ok() && reply.error().code == Code::kDeadlineExceeded && connection.reused();
  if (!stale || !may_repeat) return reply;
  Result<HttpReply> second = send();
  // The first one may have moved the resourceVersion that the second is refused by.
  if (call.method != "GET" && second.ok() && second.value().status == kConflict) return reply;
  return second;
}

// A line for each request, which is many.
void LogRequest(const Logger& logger, const HttpCall& call, const Result<HttpReply>& reply) {
  if (!logger.Writes(ports::Level::kDebug)) return;
  Logger::Fields fields = {{"method", call.method}, {"target", call.target}};
  if (reply.ok()) {
    fields.emplace_back("status", reply.value().status);
  } else {
    fields.emplace_back("err", reply.error().message);
  }
  logger.Log(ports::Level::kDebug, "request", fields);
}

Result<ports::Response> Answer(Result<HttpReply> reply) {
  if (!reply.ok()) return reply.error();
  return ports::Response{.status = reply.value().status,
                         .body = std::move(reply.value().body),
                         .retry_after_ms = reply.value().retry_after_ms};
}

}  // namespace

// Lanes share no thread: what waits in one cannot stand before what waits in another.
ApiClient::ApiClient(Endpoint endpoint, const ApiClientOptions& options, ThreadLoop& loop,
                     const Logger& logger)
    : endpoint_(std::move(endpoint)), options_(options), loop_(loop), logger_(logger) {
  if (endpoint_.credentials != nullptr) endpoint_.credentials->Keep(logger);
  StartLane(lanes_[static_cast<std::size_t>(ports::Lane::kLease)], options.lease_connections);
  StartLane(lanes_[static_cast<std::size_t>(ports::Lane::kBind)], options.bind_connections);
  StartLane(lanes_[static_cast<std::size_t>(ports::Lane::kRemoval)], options.removal_connections);
  StartLane(lanes_[static_cast<std::size_t>(ports::Lane::kStatus)], options.status_connections);
}

ApiClient::~ApiClient() {
  Stop();
}

void ApiClient::StartLane(Lane& lane, std::int32_t connections) {
  for (std::int32_t i = 0; i < connections; ++i) {
    Worker worker;
    worker.connection = std::make_unique<HttpConnection>(endpoint_, options_.http);
    HttpConnection* connection = worker.connection.get();
    connection->Observe(options_.observer);
    worker.thread = std::make_unique<IoThread>(
        [&lane, connection](const StopFlag& /*the queue is closed*/) {
          while (auto job = lane.queue.Pop()) (*job)(*connection);
        },
        [connection] { connection->Interrupt(); });
    lane.workers.push_back(std::move(worker));
  }
}

// Runs on the loop, so it only sorts the request into its lane. What cannot be put into a request
// line is answered through the loop too: `done` never runs from within Call.
void ApiClient::Call(ports::Request request, Done done) {
  const bool may_repeat = MayRepeat(request);
  const bool bounded = ports::NeedsLease(request);
  Lane& lane = lanes_[static_cast<std::size_t>(request.lane)];
  Result<HttpCall> call = CallOf(std::move(request));
  if (!call.ok()) {
    loop_.Post([answer = std::move(done), error = call.error()] { answer(error); });
    return;
  }
  lane.queue.Push([this, may_repeat, bounded, http = std::move(call).value(),
                   answer = std::move(done)](HttpConnection& connection) mutable {
    Result<HttpReply> reply = SendOnce(connection, http, may_repeat,
                                       [&] { return !bounded || BootMs() < writes_until_ms_; });
    LogRequest(logger_, http, reply);
    Result<ports::Response> result = Answer(std::move(reply));
    loop_.Post([deliver = std::move(answer), what = std::move(result)]() mutable {
      deliver(std::move(what));
    });
  });
}

// A batch is one task of the loop but counts for its events: that is what bounds the memory. A
// former stream of the kind may be in a connect, for which an interrupt would have to wait.
void ApiClient::ListAndWatch(ports::Resource resource, Decode decode, Sink sink) {
  for (const Watch& former : watches_) {
    if (former.resource == resource) former.thread->EndSoon();
  }
  Watch watch;
  watch.resource = resource;
  watch.stream = std::make_unique<WatchStream>(
      endpoint_, options_.watch,
      WatchStream::Source{.resource = std::move(resource), .decode = std::move(decode)},
      [this, deliver = std::move(sink)](std::vector<ports::WatchEvent> events) {
        const std::size_t count = events.size();
        return loop_.PostWatch(count, [deliver, batch = std::move(events)]() mutable {
          for (ports::WatchEvent& event : batch) deliver(std::move(event));
        });
      },
      logger_);
  WatchStream* stream = watch.stream.get();
  stream->Observe(options_.observer);
  watch.thread = std::make_unique<IoThread>([stream](const StopFlag& stop) { stream->Run(stop); },
                                            [stream] { stream->Interrupt(); });
  watches_.push_back(std::move(watch));
}

// All are told before the first is waited for, so that the slowest of them is the whole wait.
void ApiClient::Stop() {
  if (endpoint_.credentials != nullptr) endpoint_.credentials->Stop();
  for (Lane& lane : lanes_) lane.queue.Close();
  for (Lane& lane : lanes_) {
    for (Worker& worker : lane.workers) worker.thread->RequestStop();
  }
  for (Watch& watch : watches_) watch.thread->RequestStop();
  for (Watch& watch : watches_) watch.thread->Join();
  for (Lane& lane : lanes_) {
    for (Worker& worker : lane.workers) worker.thread->Join();
  }
}

}  // namespace muster::app
