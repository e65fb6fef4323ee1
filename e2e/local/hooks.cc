#include "e2e/local/hooks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>
#include <utility>

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/server_trouble.h"

namespace muster::e2e {
namespace {

constexpr std::string_view kPath = "/muster-local/hooks";
// How long a request of a dead process may still lie in a socket's buffer.
constexpr std::chrono::milliseconds kAftermath{300};
// What a client is kept waiting for a held Binding, as by a server that is stuck.
constexpr std::chrono::seconds kPatience{5};
constexpr std::size_t kBindingsKept = 20'000;

bool IsPageWrite(const HttpRequest& request) {
  return (request.method == "PUT" || request.method == "POST") &&
         request.path.find("/bindingjournals") != std::string::npos;
}

HttpResponse Reply(std::int32_t status, const Json& body) {
  return {.status = status, .headers = {}, .body = Dump(body)};
}

// No client is left to read it.
HttpResponse Dropped() {
  return Reply(503, {{"message", "dropped"}});
}

std::int64_t SteadyUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool HasEntries(const std::string& page) {
  const std::optional<Json> body = Parse(page);
  if (!body) return false;
  const std::optional<Json> entries = Parse(StringAt(*body, {"spec", "entries"}));
  const Json* const list = entries ? Find(*entries, {"e"}) : nullptr;
  return list != nullptr && !list->empty();
}

HttpRequest WithoutEntries(HttpRequest page) {
  std::optional<Json> body = Parse(page.body);
  if (!body || Find(*body, {"spec", "entries"}) == nullptr) return page;
  (*body)["spec"]["entries"] = R"({"v":1,"e":[]})";
  page.body = Dump(*body);
  return page;
}

HttpRequest WithoutResourceVersion(HttpRequest binding) {
  std::optional<Json> body = Parse(binding.body);
  if (!body || Find(*body, {"metadata"}) == nullptr) return binding;
  (*body)["metadata"].erase("resourceVersion");
  binding.body = Dump(*body);
  return binding;
}

HttpRequest ToOneNode(HttpRequest binding) {
  std::optional<Json> body = Parse(binding.body);
  if (!body || Find(*body, {"target", "name"}) == nullptr) return binding;
  (*body)["target"]["name"] = "n1";
  binding.body = Dump(*body);
  return binding;
}

}  // namespace

HttpResponse Hooks::Pass(const HttpRequest& request, const HttpFront::Next& next) {
  if (request.path.starts_with(kPath)) return Control(request);
  if (const auto refused = RefusalOf(request)) return *refused;
  if (IsBinding(request)) return OnBinding(Planted(request), next);
  return IsPageWrite(request) ? OnPage(request, next) : next(request);
}

HttpRequest Hooks::Planted(const HttpRequest& binding) const {
  if (plant_ == Plant::kNoResourceVersion) return WithoutResourceVersion(binding);
  return plant_ == Plant::kOneNode ? ToOneNode(binding) : binding;
}

HttpResponse Hooks::Control(const HttpRequest& request) {
  if (request.path == std::string(kPath) + "/refusals") return SetRefusals(request);
  if (request.method == "POST" && request.path == std::string(kPath) + "/release") return Release();
  if (request.method == "POST") return Arm(request.body);
  if (request.path == std::string(kPath) + "/tally") return ReportTally();
  return request.method == "DELETE" ? Disarm() : Report();
}

HttpResponse Hooks::SetRefusals(const HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  if (request.method == "DELETE") {
    refusals_.clear();
    return Reply(200, {{"state", "none is refused"}});
  }
  const std::optional<Json> order = Parse(request.body);
  const std::string pod = order ? StringAt(*order, {"pod"}) : "";
  const std::size_t slash = pod.find('/');
  if (slash == std::string::npos) return Reply(400, {{"message", "pod: ns/name"}});
  const auto code = static_cast<int>(IntAt(*order, {"code"}).value_or(403));
  refusals_["/api/v1/namespaces/" + pod.substr(0, slash) + "/pods/" + pod.substr(slash + 1) +
            "/binding"] =
      ToResponse(Plain(code, code == 403 ? "Forbidden" : "Invalid", StringAt(*order, {"message"})));
  return Reply(200, {{"state", "refused"}});
}

std::optional<HttpResponse> Hooks::RefusalOf(const HttpRequest& binding) {
  if (!IsBinding(binding)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto refusal = refusals_.find(binding.path);
  return refusal == refusals_.end() ? std::nullopt : std::optional(refusal->second);
}

HttpResponse Hooks::Arm(const std::string& body) {
  static constexpr std::array<std::pair<std::string_view, When>, 4> kWhen{
      {{"before", When::kBefore},
       {"after", When::kAfter},
       {"page", When::kPage},
       {"hold", When::kHold}}};
  const std::optional<Json> order = Parse(body);
  if (!order) return Reply(400, {{"message", "not JSON"}});
  const std::lock_guard lock(mutex_);
  for (const auto& [name, when] : kWhen) {
    if (StringAt(*order, {"when"}) != name) continue;
    order_ = {.gang = StringAt(*order, {"gang"}),
              .when = when,
              .at = IntAt(*order, {"at"}).value_or(0),
              .pid = static_cast<std::int32_t>(IntAt(*order, {"pid"}).value_or(0)),
              .signal = static_cast<int>(IntAt(*order, {"signal"}).value_or(SIGKILL))};
    seen_ = 0;
    state_ = State::kArmed;
    return Reply(200, {{"state", "armed"}});
  }
  return Reply(400, {{"message", "when: before, after, page or hold"}});
}

HttpResponse Hooks::Report() {
  static constexpr std::array<std::string_view, 4> kNames{"off", "armed", "killed", "holding"};
  const std::lock_guard lock(mutex_);
  return Reply(200, {{"state", kNames.at(static_cast<std::size_t>(state_))},
                     {"seen", seen_},
                     {"held", held_ ? held_->path : ""},
                     {"bindings", bindings_}});
}

HttpResponse Hooks::ReportTally() {
  const std::lock_guard lock(mutex_);
  return Reply(200,
               {{"done", tally_.done}, {"first_us", tally_.first_us}, {"last_us", tally_.last_us}});
}

HttpResponse Hooks::Release() {
  std::optional<HttpRequest> held;
  {
    const std::lock_guard lock(mutex_);
    held = std::exchange(held_, std::nullopt);
    state_ = State::kOff;
  }
  released_.notify_all();
  if (!held) return Reply(409, {{"message", "nothing is held"}});
  const HttpResponse answer = front_.Handle(*held);
  Record(*held, answer.status);
  return Reply(200, {{"code", answer.status}, {"body", answer.body}});
}

HttpResponse Hooks::Disarm() {
  if (state() == State::kKilled) std::this_thread::sleep_for(kAftermath);
  const std::lock_guard quiet(one_at_a_time_);
  const std::lock_guard lock(mutex_);
  state_ = State::kOff;
  held_.reset();
  released_.notify_all();
  return Reply(200, {{"state", "off"}});
}

HttpResponse Hooks::OnBinding(const HttpRequest& request, const HttpFront::Next& next) {
  if (state() == State::kOff) {
    HttpResponse answer = next(request);
    Record(request, answer.status);
    return answer;
  }
  std::optional<HttpResponse> answer;
  {
    const std::lock_guard lock(one_at_a_time_);
    answer = state() == State::kKilled ? Dropped() : Take(request, next);
  }
  return answer ? *answer : AnswerHeld();
}

std::optional<HttpResponse> Hooks::Take(const HttpRequest& request, const HttpFront::Next& next) {
  bool is_due = false;
  Order order;
  if (IsOfGang(request)) {
    const std::lock_guard lock(mutex_);
    order = order_;
    ++seen_;
    is_due = state_ == State::kArmed && seen_ == order.at;
    const bool is_held = held_ && held_->path == request.path;
    if (is_held || (is_due && order.when == When::kHold)) {
      // It takes effect when it is released, whatever its sender was told; its repeats never do.
      if (!is_held) held_ = request;
      state_ = State::kHolding;
      return std::nullopt;
    }
  }
  if (is_due && order.when == When::kBefore) {
    Kill();
    return Dropped();
  }
  HttpResponse answer = next(request);
  Record(request, answer.status);
  if (is_due && order.when == When::kAfter) Kill();
  return answer;
}

HttpResponse Hooks::AnswerHeld() {
  std::unique_lock lock(mutex_);
  released_.wait_for(lock, kPatience, [this] { return !held_; });
  return Reply(504, {{"message", "Timeout: request did not complete within 5s"}});
}

HttpResponse Hooks::OnPage(const HttpRequest& request, const HttpFront::Next& next) {
  if (plant_ == Plant::kDeleteMember && Empties(request)) DeleteLastBound();
  HttpResponse answer = next(plant_ == Plant::kEmptyPages ? WithoutEntries(request) : request);
  if (state() != State::kArmed || answer.status >= 300 || !HasEntries(request.body)) return answer;
  bool is_due = false;
  {
    const std::lock_guard lock(mutex_);
    is_due = order_.when == When::kPage;
  }
  if (is_due) Kill();
  return answer;
}

bool Hooks::IsOfGang(const HttpRequest& binding) {
  HttpRequest get = binding;
  get.method = "GET";
  get.path.resize(get.path.size() - std::string_view("/binding").size());
  get.query.clear();
  get.body.clear();
  const std::optional<Json> pod = Parse(front_.Handle(get).body);
  if (!pod) return false;
  const std::string gang = StringAt(*pod, {"metadata", "namespace"}) + "/" +
                           StringAt(*pod, {"metadata", "labels", "muster.dev/pod-group"});
  const std::lock_guard lock(mutex_);
  return gang == order_.gang;
}

Hooks::State Hooks::state() {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Hooks::Kill() {
  const std::lock_guard lock(mutex_);
  state_ = State::kKilled;
  if (order_.pid > 1) ::kill(order_.pid, order_.signal);
}

bool Hooks::Empties(const HttpRequest& page) {
  if (page.method != "PUT" || HasEntries(page.body)) return false;
  HttpRequest get = page;
  get.method = "GET";
  get.body.clear();
  return HasEntries(front_.Handle(get).body);
}

void Hooks::DeleteLastBound() {
  std::string pod;
  {
    const std::lock_guard lock(mutex_);
    for (const Json& binding : bindings_) {
      if (IntAt(binding, {"code"}) != 201) continue;
      pod = "/api/v1/namespaces/" + StringAt(binding, {"namespace"}) + "/pods/" +
            StringAt(binding, {"pod"});
    }
  }
  if (pod.empty()) return;
  (void)front_.Handle({.method = "DELETE",
                       .path = pod,
                       .query = {},
                       .content_type = "application/json",
                       .accept = "application/json",
                       .body = {}});
}

void Hooks::Record(const HttpRequest& binding, std::int32_t code) {
  const std::int64_t now_us = SteadyUs();
  const std::optional<Json> body = Parse(binding.body);
  if (!body) return;
  const std::lock_guard lock(mutex_);
  if (code == 201) {
    tally_.first_us = tally_.done++ == 0 ? now_us : std::min(tally_.first_us, now_us);
    tally_.last_us = std::max(tally_.last_us, now_us);
  }
  if (bindings_.size() >= kBindingsKept) return;
  bindings_.push_back({{"namespace", StringAt(*body, {"metadata", "namespace"})},
                       {"pod", StringAt(*body, {"metadata", "name"})},
                       {"uid", StringAt(*body, {"metadata", "uid"})},
                       {"node", StringAt(*body, {"target", "name"})},
                       {"code", code}});
}

}  // namespace muster::e2e
