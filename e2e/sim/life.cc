#include "e2e/sim/life.h"

#include <optional>
#include <utility>

namespace muster::e2e {

Life::Life(SimLoop& loop, Wire& wire, Self self, Events events)
    : loop_(loop), wire_(wire), prng_(self.seed), events_(std::move(events)) {
  controllers::ManagerOptions options;
  options.holder = std::move(self.holder);
  options.policy = std::move(self.policy);
  options.pages = 2;
  manager_ = std::make_unique<controllers::Manager>(
      controllers::Manager::Ports{*this, *this, *this}, options,
      [this](const std::string& why) { events_.fatal(why); });
}

Life::~Life() {
  *alive_ = false;
  for (const auto& [id, ticket] : timers_) loop_.Cancel(ticket);
}

void Life::Start() {
  manager_->Start();
}

void Life::LoseConnections() {
  for (const auto& watch : watches_) watch->LoseConnection();
}

void Life::Call(ports::Request request, Done done) {
  // Whatever comes first, the answer or the client's patience.
  const auto once = std::make_shared<Done>(std::move(done));
  const auto finish = [alive = alive_, once](Result<ports::Response> result) {
    if (!*alive || !*once) return;
    const Done call = std::exchange(*once, nullptr);
    call(std::move(result));
  };
  loop_.After(kClientTimeoutMs, [finish]() {
    finish(Error{Code::kDeadlineExceeded, "no answer within the client's time-out"});
  });
  wire_.Send(ToHttp(request), [finish](const HttpResponse& response) {
    finish(ports::Response{response.status, response.body, std::nullopt});
  });
}

void Life::ListAndWatch(ports::Resource resource, Decode decode, Sink sink) {
  watches_.push_back(std::make_unique<SimWatch>(
      loop_, wire_, app::WatchCursor::Source{std::move(resource), std::move(decode)},
      std::move(sink), prng_.Next()));
  watches_.back()->Start();
}

ports::Loop::TimerId Life::After(std::int64_t delay_ms, Task task) {
  const std::uint32_t id = ++last_timer_;
  timers_[id] = loop_.After(delay_ms, [this, id, task = std::move(task)]() {
    timers_.erase(id);
    task();
  });
  return TimerId{id};
}

void Life::Cancel(TimerId timer) {
  const auto found = timers_.find(timer.value);
  if (found == timers_.end()) return;
  loop_.Cancel(found->second);
  timers_.erase(found);
}

void Life::Log(ports::Level level, std::string_view message, Fields fields) {
  if (!log_ && level != ports::Level::kError) return;
  std::string line(message);
  for (const auto& [key, value] : fields) line.append(" ").append(key).append("=").append(value);
  if (log_) log_(line);
  if (level == ports::Level::kError) events_.error_logged(line);
}

void Life::Count(std::string_view counter, std::int64_t /*by*/) {
  events_.counted(counter);
}

}  // namespace muster::e2e
