#include "e2e/sim/checkers.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "crds/decode.h"
#include "e2e/apiserver/json.h"

namespace muster::e2e {
namespace {

constexpr std::string_view kPodsPart = "/pods/";

bool IsStatusOfPod(const HttpRequest& request) {
  return request.method == "PATCH" && request.path.ends_with("/status");
}

// "ns" and "pod" of ".../namespaces/ns/pods/pod[/..]"; none: no path of one pod.
std::optional<Shadow::Name> PodIn(const std::string& path) {
  constexpr std::string_view kNamespaces = "/namespaces/";
  const std::size_t ns = path.find(kNamespaces);
  const std::size_t pods = path.find(kPodsPart);
  if (ns == std::string::npos || pods == std::string::npos) return std::nullopt;
  const std::size_t from = ns + kNamespaces.size();
  const std::size_t name = pods + kPodsPart.size();
  return Shadow::Name{path.substr(from, pods - from),
                      path.substr(name, path.find('/', name) - name)};
}

}  // namespace

Checkers::Checkers(SimLoop& loop, const Shadow& shadow, const Excuses* excuses)
    : loop_(loop),
      shadow_(shadow),
      use_(shadow, excuses, [this](const std::string& what) { Fail(what); }),
      whole_(shadow, [this](const std::string& what) { Fail(what); }),
      domains_(shadow, [this](const std::string& what) { Fail(what); }),
      journal_(shadow, excuses, [this](const std::string& what) { Fail(what); }),
      reasons_(shadow, [this](const std::string& what) { Fail(what); }) {}

void Checkers::BeginAnew() {
  abandoned_.clear();
  changes_.clear();
  whole_.BeginAnew();
}

void Checkers::Fail(const std::string& what) {
  violations_.push_back("at " + std::to_string(loop_.elapsed_ms()) + " ms: " + what);
}

void Checkers::Mix(const std::string& text) {
  for (const char c : text) {
    hash_ ^= static_cast<unsigned char>(c);
    hash_ *= 0x100000001b3ULL;
  }
}

void Checkers::OnArrival(const Arrival& arrival) {
  if (arrival.request.method == "GET") return;
  Mix(arrival.request.method + " " + arrival.request.path + " " + arrival.request.body + " " +
      std::to_string(arrival.response.status) + " " + std::to_string(loop_.elapsed_ms()));
  if (arrival.request.path.find("/bindingjournals/") != std::string::npos) OnPage(arrival);
  if (arrival.request.path.find(kPodsPart) != std::string::npos) OnPodWrite(arrival);
}

// The last one: what a fault of the run did to the pod before was not the request's doing.
const PodChange* Checkers::ChangeOf(const std::string& path) const {
  const std::optional<Shadow::Name> name = PodIn(path);
  if (!name || step_ != loop_.steps()) return nullptr;
  const auto found = std::find_if(changes_.rbegin(), changes_.rend(), [&](const PodChange& one) {
    return one.now.meta.ns == name->first && one.now.meta.name == name->second;
  });
  return found == changes_.rend() ? nullptr : &*found;
}

void Checkers::OnPodWrite(const Arrival& arrival) {
  const bool done = arrival.response.status >= 200 && arrival.response.status < 300;
  const PodChange* change = done ? ChangeOf(arrival.request.path) : nullptr;
  if (arrival.request.path.ends_with("/binding")) return OnBinding(arrival, change);
  if (change == nullptr) return;
  if (arrival.request.method == "DELETE") return journal_.OnDelete(*change);
  if (!IsStatusOfPod(arrival.request)) return;
  if (arrival.request.body.find("\"BindFailed\"") != std::string::npos) Mark("touched");
  journal_.OnStatus(*change, arrival.request.body);
}

void Checkers::OnBinding(const Arrival& arrival, const PodChange* change) {
  if (arrival.response.status == 409 && loop_.elapsed_ms() - arrival.sent_ms > 50 &&
      arrival.response.body.find("recondition") != std::string::npos) {
    Mark("late binding refused");
  }
  if (arrival.response.status != 201) return;
  ++bindings_;
  if (change == nullptr) return Fail("journal (6): a Binding was accepted and bound nothing");
  journal_.OnBinding(*change);
  use_.OnBound(change->now);
  domains_.OnBound(change->now);
}

void Checkers::OnPage(const Arrival& arrival) {
  if (arrival.response.status != 200) return;
  const Result<crds::BindingJournal> page = crds::DecodeBindingJournal(arrival.request.body);
  if (!page.ok()) return Fail("journal (6): a page that cannot be read: " + page.error().message);
  for (const crds::JournalEntry& entry : page.value().entries) {
    if (entry.abandon && abandoned_.insert(entry.id).second) Mark("abandoned");
  }
  journal_.OnPage();
  use_.OnPage();
  reasons_.Note(loop_.elapsed_ms());
}

void Checkers::OnPod(const crds::Pod* before, const crds::Pod& now, bool deleted) {
  if (std::exchange(step_, loop_.steps()) != loop_.steps()) changes_.clear();
  PodChange change{.before = std::nullopt, .now = now, .deleted = deleted};
  if (before != nullptr) change.before = *before;
  journal_.OnPod(change);
  reasons_.OnPod(change, loop_.elapsed_ms());
  changes_.push_back(std::move(change));
}

void Checkers::Tick(std::int64_t operator_since_ms) {
  whole_.Tick(loop_.elapsed_ms(), operator_since_ms);
  domains_.Tick();
  reasons_.Tick(loop_.elapsed_ms(), operator_since_ms);
}

void Checkers::AtRest() {
  marks_["numbers of reasons"] += reasons_.checked();
  marks_["bound beside its gang"] += domains_.checked();
  for (const auto& [name, page] : shadow_.pages()) {
    if (page.entries.empty()) continue;
    Fail("liveness (9): page " + name + " still holds an entry of " +
         page.entries.front().group_name);
  }
  whole_.AtRest();
}

}  // namespace muster::e2e
