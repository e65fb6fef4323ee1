#include "e2e/sim/life.h"

#include <optional>
#include <utility>

#include "e2e/apiserver/server_trouble.h"

namespace muster::e2e {
namespace {

// Clusters are small here: a standby shall find it worth its while to wait for its watches.
constexpr std::int64_t kListUs = 50'000;

}  // namespace

Life::Life(SimLoop& loop, Wire& wire, Self self, Events events)
    : loop_(loop),
      wire_(wire),
      prng_(self.seed),
      events_(std::move(events)),
      gives_up_(self.gives_up) {
  controllers::ManagerOptions options;
  options.holder = std::move(self.holder);
  options.policy = std::move(self.policy);
  options.observer = std::move(self.observer);
  options.pages = 2;
  options.list_us = kListUs;
  if (self.election) options.election = controllers::LeaderElection{.identity = options.holder};
  manager_ = std::make_unique<controllers::Manager>(
      controllers::Manager::Ports{*this, *this, *this}, options,
      [this](const std::string& why) { events_.fatal(why); });
}

Life::~Life() {
  *alive_ = false;
  for (const auto& [id, timer] : timers_) loop_.Cancel(timer.ticket);
}

void Life::Start() {
  manager_->Start();
}

void Life::LoseConnections() {
  for (const auto& [plural, watch] : watches_) watch->LoseConnection();
}

bool Life::Show(const std::string& plural, const std::string& frame) {
  const auto watch = watches_.find(plural);
  return watch != watches_.end() && watch->second->Show(frame);
}

void Life::Enter(Task task) {
  if (frozen_) return waiting_.push_back(std::move(task));
  task();
}

void Life::Freeze(std::int64_t ms, Pause pause) {
  if (std::exchange(frozen_, true)) return;
  loop_.After(ms, [this, ms, pause, alive = alive_] {
    if (!*alive) return;
    if (pause == Pause::kMachine) behind_ms_ += ms;
    Thaw();
  });
}

void Life::Thaw() {
  frozen_ = false;
  while (!frozen_ && !waiting_.empty()) {
    const Task task = std::move(waiting_.front());
    waiting_.pop_front();
    task();
  }
}

void Life::Call(ports::Request request, Done done) {
  const bool bounded = writes_until_.has_value() && ports::NeedsLease(request);
  if (bounded && now().mono.ms >= writes_until_->ms) {
    return Post([done = std::move(done)] { done(ports::LeasePassedOn()); });
  }
  // Whatever comes first, the answer or the client's patience.
  const auto once = std::make_shared<Done>(std::move(done));
  const bool binding = request.subresource == "binding";
  if (binding) ++bindings_under_way_;
  const auto finish = [this, alive = alive_, once, binding](Result<ports::Response> result) {
    if (!*alive) return;
    Enter([this, once, binding, result = std::move(result)]() mutable {
      if (!*once) return;
      if (binding) --bindings_under_way_;
      const Done call = std::exchange(*once, nullptr);
      call(std::move(result));
    });
  };
  loop_.After(kClientTimeoutMs, [finish]() {
    finish(Error{Code::kDeadlineExceeded, "no answer within the client's time-out"});
  });
  auto send = [this, finish, http = ToHttp(request)]() mutable {
    wire_.Send(std::move(http), [finish](const HttpResponse& response) {
      finish(ports::Response{response.status, response.body, RetryAfterMs(response)});
    });
  };
  // The worst moment to be stopped: its lease is looked at, the write not yet sent.
  if (bounded && request.lane == ports::Lane::kBind && wire_.Freezes()) {
    const std::int64_t ms = prng_.Between(1'000, 60'000);  // First: arguments have no order.
    Freeze(ms, prng_.Chance(500) ? Pause::kProcess : Pause::kMachine);
    return waiting_.push_back(std::move(send));
  }
  send();
}

void Life::ListAndWatch(ports::Resource resource, Decode decode, Sink sink) {
  std::unique_ptr<SimWatch>& watch = watches_[resource.plural];
  watch = std::make_unique<SimWatch>(
      loop_, wire_, app::WatchCursor::Source{std::move(resource), std::move(decode)},
      [this, sink = std::move(sink), deaf = false](ports::WatchEvent event) mutable {
        if (deaf) return;
        deaf = gives_up_ && event.type == ports::WatchEvent::Type::kInvalid;
        Enter([sink, event = std::move(event)]() mutable { sink(std::move(event)); });
      },
      prng_.Next());
  watch->Start();
}

ports::Loop::TimerId Life::After(std::int64_t delay_ms, Task task) {
  const std::uint32_t id = ++last_timer_;
  timers_[id] = {.ticket = loop_.After(delay_ms, [this, id] { Fire(id); }),
                 .due_ms = now().mono.ms + delay_ms,
                 .task = std::move(task)};
  return TimerId{id};
}

void Life::Fire(std::uint32_t id) {
  Enter([this, id] {
    const auto found = timers_.find(id);
    if (found == timers_.end()) return;
    Timer& timer = found->second;
    // Its machine was paused meanwhile.
    if (const std::int64_t left = timer.due_ms - now().mono.ms; left > 0) {
      timer.ticket = loop_.After(left, [this, id] { Fire(id); });
      return;
    }
    const Task task = std::move(timer.task);
    timers_.erase(found);
    task();
  });
}

void Life::Cancel(TimerId timer) {
  const auto found = timers_.find(timer.value);
  if (found == timers_.end()) return;
  loop_.Cancel(found->second.ticket);
  timers_.erase(found);
}

void Life::Log(ports::Level level, std::string_view message, Fields fields) {
  if (!log_ && level != ports::Level::kError) return;
  std::string line(message);
  for (const auto& [key, value] : fields) {
    line.append(" ").append(key).append("=").append(ports::TextOf(value));
  }
  if (log_) log_(line);
  if (level == ports::Level::kError) events_.error_logged(line);
}

void Life::Count(std::string_view counter, std::int64_t by, Labels /*labels*/) {
  CheckNumber(counter, by);
  events_.counted(counter);
}

void Life::Gauge(std::string_view gauge, std::int64_t value, Labels /*labels*/) {
  CheckNumber(gauge, value);
}

void Life::Observe(std::string_view histogram, std::int64_t value, Labels /*labels*/) {
  CheckNumber(histogram, value);
}

void Life::CheckNumber(std::string_view name, std::int64_t value) const {
  if (value >= 0) return;
  events_.error_logged(std::string(name) + " is " + std::to_string(value));
}

}  // namespace muster::e2e
