#include "e2e/sim/sim_watch.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "operator/watch_events.h"

namespace muster::e2e {
namespace {

using Type = ports::WatchEvent::Type;

}  // namespace

SimWatch::~SimWatch() {
  Drop();
}

void SimWatch::Later(std::int64_t delay_ms, std::function<void()> task) {
  loop_.After(delay_ms, [stream = stream_, task = std::move(task)]() {
    if (*stream) task();
  });
}

HttpRequest SimWatch::Get(std::vector<std::pair<std::string, std::string>> query) const {
  ports::Request list;
  list.verb = ports::Verb::kList;
  list.resource = source_.resource;
  HttpRequest request = ToHttp(list);
  request.query = std::move(query);
  return request;
}

void SimWatch::ListPage(const std::string& token) {
  listing_ = true;
  std::vector<std::pair<std::string, std::string>> query = {{"limit", std::to_string(kPageLimit)}};
  if (!token.empty()) query.emplace_back("continue", token);
  const auto answered = std::make_shared<bool>(false);
  wire_.Send(Get(std::move(query)), [this, stream = stream_, answered](HttpResponse response) {
    if (!*stream || std::exchange(*answered, true)) return;
    OnPage(response);
  });
  Later(kPatienceMs, [this, answered]() {
    if (!std::exchange(*answered, true)) ListPage("");
  });
}

void SimWatch::OnPage(const HttpResponse& response) {
  if (response.status != 200) {
    Later(kRetryMs, [this]() { ListPage(""); });
    return;
  }
  Result<app::ListEvents> page = app::ReadListPage(response.body, source_.decode);
  MUSTER_CHECK(page.ok());
  for (ports::WatchEvent& event : page.value().events) Emit(std::move(event));
  if (!page.value().next.empty()) {
    ListPage(page.value().next);
    return;
  }
  listing_ = false;
  resource_version_ = page.value().resource_version;
  ports::WatchEvent end;
  end.type = Type::kListEnd;
  end.resource_version = resource_version_;
  Emit(std::move(end));
  Watch();
}

void SimWatch::Watch() {
  HttpRequest request = Get(
      {{"watch", "1"}, {"allowWatchBookmarks", "true"}, {"resourceVersion", resource_version_}});
  Later(wire_.Latency(), [this, request = std::move(request)]() { OnWatchAnswer(request); });
}

void SimWatch::OnWatchAnswer(const HttpRequest& request) {
  ApiServer::Subscription opened = wire_.server().Subscribe(
      request, [this](const std::string& frame) { OnFrame(frame); },
      [this]() {
        subscription_ = 0;
        Drop();
        Later(kRetryMs, [this]() { Watch(); });
      });
  if (opened.id == 0) {
    if (opened.answer.status == 410) {
      Relist();
    } else {
      Later(kRetryMs, [this]() { Watch(); });
    }
    return;
  }
  subscription_ = opened.id;
}

void SimWatch::OnFrame(const std::string& frame) {
  last_delivery_ms_ = std::max(last_delivery_ms_, loop_.elapsed_ms() + wire_.Latency());
  Later(last_delivery_ms_ - loop_.elapsed_ms(), [this, frame]() { Deliver(frame); });
}

void SimWatch::Deliver(const std::string& frame) {
  if (wire_.DropsFrame()) {
    Drop();
    Later(kRetryMs, [this]() { Watch(); });
    return;
  }
  Result<app::WatchLine> line = app::ReadWatchLine(frame, source_.decode);
  if (!line.ok() || std::holds_alternative<app::WatchEnd>(line.value())) {
    Drop();
    Relist();
    return;
  }
  auto& event = *std::get_if<ports::WatchEvent>(&line.value());
  resource_version_ = event.resource_version;
  Emit(std::move(event));
  wire_.NoteFrame();
}

void SimWatch::Drop() {
  *stream_ = false;
  stream_ = std::make_shared<bool>(true);
  if (subscription_ != 0) wire_.server().Unsubscribe(std::exchange(subscription_, 0));
}

void SimWatch::Relist() {
  ports::WatchEvent lost;
  lost.type = Type::kLost;
  Emit(std::move(lost));
  Later(kRetryMs, [this]() { ListPage(""); });
}

void SimWatch::Emit(ports::WatchEvent event) {
  source_.sink(std::move(event));
}

}  // namespace muster::e2e
