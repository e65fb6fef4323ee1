#include "e2e/sim/sim_watch.h"

#include <algorithm>
#include <utility>

#include "e2e/apiserver/server_trouble.h"

namespace muster::e2e {
namespace {

// Of one page.
constexpr std::int64_t kWatchPatienceMs = 10'000;

app::WatchOptions Options() {
  app::WatchOptions options;
  options.page_limit = 50;
  return options;
}

Error Lost() {
  return {Code::kUnavailable, "the connection was closed"};
}

}  // namespace

SimWatch::SimWatch(SimLoop& loop, Wire& wire, const app::WatchCursor::Source& source,
                   ports::Api::Sink sink, std::uint64_t seed)
    : loop_(loop),
      wire_(wire),
      cursor_(Options(), source, seed, [](std::string_view, const std::string&) {}),
      sink_(std::move(sink)) {}

SimWatch::~SimWatch() {
  Drop();
}

void SimWatch::LoseConnection() {
  if (watching_) End(Lost());
}

bool SimWatch::Show(const std::string& frame) {
  if (subscription_ == 0) return false;
  OnFrame(frame);
  return true;
}

void SimWatch::Later(std::int64_t delay_ms, std::function<void()> task) {
  loop_.After(delay_ms, [stream = stream_, task = std::move(task)]() {
    if (*stream) task();
  });
}

void SimWatch::Next() {
  watching_ = cursor_.watching();
  HttpRequest request = ToHttp(cursor_.Next());
  if (watching_) {
    Watch(request);
  } else {
    ListPage(std::move(request));
  }
}

void SimWatch::ListPage(HttpRequest request) {
  if (std::exchange(expired_, false)) wire_.NoteListedAgain();
  const auto answered = std::make_shared<bool>(false);
  const auto take = [this, stream = stream_, answered](const Result<app::HttpReply>& reply) {
    if (*stream && !std::exchange(*answered, true)) Go(cursor_.OnPage(reply));
  };
  wire_.Send(std::move(request), [take](const HttpResponse& response) {
    take(app::HttpReply{response.status, response.body, RetryAfterMs(response)});
  });
  Later(kWatchPatienceMs, [take]() { take(Error{Code::kDeadlineExceeded, "no answer"}); });
}

void SimWatch::Watch(const HttpRequest& request) {
  since_ms_ = loop_.elapsed_ms();
  wire_.NoteSent(request);
  Later(wire_.Latency(), [this, request]() { OnWatchAnswer(request); });
}

void SimWatch::OnWatchAnswer(const HttpRequest& request) {
  if (!wire_.reachable()) {
    End(Lost());
    return;
  }
  ApiServer::Subscription opened;
  if (const auto refusal = wire_.Refuses(request)) {
    opened.answer = *refusal;
  } else {
    opened = wire_.server().Subscribe(
        request, [this](const std::string& frame) { OnFrame(frame); },
        [this]() {
          subscription_ = 0;
          End({});
        });
  }
  expired_ = opened.answer.status == 410;
  cursor_.OnHead({opened.answer.status, "", RetryAfterMs(opened.answer)});
  if (opened.id == 0) {
    (void)cursor_.OnBytes(opened.answer.body);
    End({});
    return;
  }
  subscription_ = opened.id;
  Emit();
}

void SimWatch::OnFrame(const std::string& frame) {
  last_delivery_ms_ = std::max(last_delivery_ms_, loop_.elapsed_ms() + wire_.WatchLatency());
  Later(last_delivery_ms_ - loop_.elapsed_ms(), [this, frame]() { Deliver(frame); });
}

void SimWatch::Deliver(const std::string& frame) {
  if (wire_.DropsFrame()) {
    End({});
    return;
  }
  if (!cursor_.OnBytes(frame + "\n")) {
    End({});
    return;
  }
  Emit();
  wire_.NoteFrame();
}

void SimWatch::End(const Result<void>& how) {
  Drop();
  Go(cursor_.OnEnd(how, loop_.elapsed_ms() - since_ms_));
}

void SimWatch::Drop() {
  *stream_ = false;
  stream_ = std::make_shared<bool>(true);
  if (subscription_ != 0) wire_.server().Unsubscribe(std::exchange(subscription_, 0));
}

void SimWatch::Go(std::int64_t wait_ms) {
  Emit();
  watching_ = false;
  Later(wait_ms, [this]() { Next(); });
}

void SimWatch::Emit() {
  for (ports::WatchEvent& event : cursor_.Take()) sink_(std::move(event));
}

}  // namespace muster::e2e
