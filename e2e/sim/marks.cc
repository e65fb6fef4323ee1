#include "e2e/sim/marks.h"

#include <algorithm>
#include <optional>

#include "crds/decode.h"
#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server_trouble.h"

namespace muster::e2e {
namespace {

constexpr const char* kPlace = "muster.dev/journal";
constexpr std::int32_t kRefusals = 3;
// 1, 2, 4 and 8 s come before the cap of 10 s.
constexpr std::int32_t kFailuresAtCap = 5;
constexpr std::int64_t kCapMs = 9'900;

std::string GangUid(const crds::JournalEntry& entry) {
  if (!entry.group_uid.empty()) return entry.group_uid;
  return entry.nodes.empty() || entry.nodes.front().pods.empty()
             ? ""
             : entry.nodes.front().pods.front().uid;
}

// A Binding of Muster's bound it.
bool IsOurs(const crds::Pod& pod) {
  return pod.meta.annotations.contains(kPlace);
}

std::set<std::string> UidsOf(const crds::JournalEntry& entry) {
  std::set<std::string> uids;
  for (const auto& node : entry.nodes) {
    for (const auto& pod : node.pods) uids.insert(pod.uid);
  }
  return uids;
}

// The pod stands in an entry that is to be bound.
bool IsBeingBound(const Shadow& shadow, const std::string& uid) {
  for (const auto& [name, page] : shadow.pages()) {
    for (const crds::JournalEntry& entry : page.entries) {
      if (!entry.abandon && UidsOf(entry).contains(uid)) return true;
    }
  }
  return false;
}

}  // namespace

void Marks::OnArrival(const Arrival& arrival) {
  const HttpRequest& request = arrival.request;
  if (IsBinding(request)) OnBinding(arrival);
  const bool read_pod = request.method == "GET" && request.path.find("/pods/") != std::string::npos;
  if (read_pod && arrival.response.status == 200) OnRead(arrival);
  if (request.method != "PUT" || !IsPage(request) || arrival.response.status != 200) return;
  const Result<crds::BindingJournal> page = crds::DecodeBindingJournal(request.body);
  if (page.ok()) OnPage(page.value());
}

void Marks::OnBinding(const Arrival& arrival) {
  const std::optional<Json> body = Parse(arrival.request.body);
  if (!body) return;
  const std::string& uid = StringAt(*body, {"metadata", "uid"});
  if (arrival.response.status == 403) ++denied_[uid];
  if (arrival.response.status != 409) return;
  const auto pod = shadow_.pods().find(
      {StringAt(*body, {"metadata", "namespace"}), StringAt(*body, {"metadata", "name"})});
  if (pod == shadow_.pods().end() || pod->second.meta.uid != uid) return;
  const bool foreign = !pod->second.node_name.empty() && !IsOurs(pod->second);
  if (foreign) Mark("foreign binder met");
}

// While a member is being bound its pod is read for one reason: the answer to its Binding left it
// open what had come of it.
void Marks::OnRead(const Arrival& arrival) {
  const Result<crds::Pod> pod = crds::DecodePod(arrival.response.body);
  if (!pod.ok() || !IsBeingBound(shadow_, pod.value().meta.uid)) return;
  if (pod.value().node_name.empty()) return Mark("ambiguous answer was not bound");
  Mark(IsOurs(pod.value()) ? "ambiguous answer was bound" : "foreign binder met");
}

void Marks::OnPage(const crds::BindingJournal& page) {
  Page& known = pages_[page.meta.name];
  Page now;
  for (const crds::JournalEntry& entry : page.entries) {
    const EntryName name{GangUid(entry), entry.id};
    const auto before = known.find(name);
    Seen seen;
    if (before != known.end()) {
      seen = before->second;
      OnChanged(name, seen, entry);
    } else {
      const Attempts& attempts = gangs_[name.first];
      const bool capped =
          attempts.failures >= kFailuresAtCap && loop_.elapsed_ms() - attempts.left_ms >= kCapMs;
      if (capped) Mark("backoff at its cap");
    }
    seen.abandon = entry.abandon;
    seen.min_member = entry.min_member;
    seen.pods = UidsOf(entry);
    now.emplace(name, std::move(seen));
  }
  for (const auto& [name, seen] : known) {
    if (!now.contains(name)) OnLeft(name, seen);
  }
  known = std::move(now);
}

void Marks::OnChanged(const EntryName& name, Seen& seen, const crds::JournalEntry& now) {
  if (now.abandon && !seen.abandon) return OnAbandoned(name, seen, now);
  const std::set<std::string> uids = UidsOf(now);
  const bool grew = std::ranges::any_of(
      uids, [&seen](const std::string& uid) { return !seen.pods.contains(uid); });
  const bool shrank = std::ranges::any_of(
      seen.pods, [&uids](const std::string& uid) { return !uids.contains(uid); });
  if (now.abandon) return;
  if (grew) Mark("member replaced in an entry");
  if (shrank && !grew) Mark("member left an entry");
}

void Marks::OnAbandoned(const EntryName& name, const Seen& seen, const crds::JournalEntry& now) {
  if (now.why == "BindTimeout") Mark("abandoned by time-out");
  if (seen.inherited) Mark("abandoned after a crash");
  bool refused = false;
  for (const std::string& uid : UidsOf(now)) {
    const auto denials = denied_.find(uid);
    if (denials == denied_.end()) continue;
    refused = refused || denials->second >= kRefusals;
    denied_.erase(denials);
  }
  if (refused) Mark("refused for good");
  ++gangs_[name.first].failures;
}

void Marks::OnLeft(const EntryName& name, const Seen& seen) {
  Attempts& attempts = gangs_[name.first];
  attempts.left_ms = loop_.elapsed_ms();
  if (seen.abandon) return;
  attempts.failures = 0;
  if (seen.inherited && seen.min_member > 0 && BoundOf(seen) >= seen.min_member) {
    Mark("rolled forward");
  }
}

std::int64_t Marks::BoundOf(const Seen& seen) const {
  return std::ranges::count_if(shadow_.pods(), [&seen](const auto& named) {
    return seen.pods.contains(named.second.meta.uid) && !named.second.node_name.empty();
  });
}

void Marks::OnTakenOver() {
  for (auto& [name, page] : pages_) {
    for (auto& [entry, seen] : page) {
      const bool whole = BoundOf(seen) >= static_cast<std::int64_t>(seen.pods.size());
      seen.inherited = !seen.abandon && !whole;
    }
  }
}

void Marks::BeginAnew() {
  pages_.clear();
  gangs_.clear();
  denied_.clear();
  samples_.clear();
}

void Marks::OnFatal(std::string_view why, std::int64_t bindings_under_way) {
  if (why.starts_with("the lease ")) {
    Mark("lease lost");
    if (bindings_under_way > 0) Mark("lease lost with bindings in flight");
  }
  if (!why.starts_with("deposed: ")) return;
  Mark("deposed");
  if (why.find("was written by another") != std::string_view::npos) Mark("deposed by a 409");
}

void Marks::OnPod(const crds::Pod* before, const crds::Pod& now, bool deleted) {
  const bool same = before != nullptr && before->meta.uid == now.meta.uid;
  const bool bound = !now.node_name.empty() && (!same || before->node_name.empty());
  const bool ended = IsTerminal(now) && (!same || !IsTerminal(*before));
  if (bound || ended || deleted) ++changes_;
  // Its containers do not fail: what fails was rejected.
  if (ended && now.phase == "Failed") Mark("kubelet rejection");
}

void Marks::Look(const controllers::Manager& leader, std::int64_t life) {
  if (shadow_.groups().empty()) return;
  auto next = shadow_.groups().upper_bound(last_looked_at_);
  if (next == shadow_.groups().end()) next = shadow_.groups().begin();
  last_looked_at_ = next->first;
  const auto told = leader.Explain({.ns = next->first.first, .name = next->first.second});
  if (!told || told->queue_position == 0) {
    samples_.erase(next->first);
    return;
  }
  const Sample now{.life = life, .changes = changes_, .attempts = told->status.attempts};
  const auto before = samples_.find(next->first);
  if (before != samples_.end() && before->second.life == life) {
    const bool tried = now.attempts > before->second.attempts;
    if (tried && !told->woken_by.empty()) Mark("wake by a Need");
    if (!tried && now.attempts > 0 && now.changes > before->second.changes) {
      Mark("no wake by a Need");
    }
  }
  samples_[next->first] = now;
}

}  // namespace muster::e2e
