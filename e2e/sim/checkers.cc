#include "e2e/sim/checkers.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "crds/decode.h"
#include "e2e/apiserver/json.h"

namespace muster::e2e {
namespace {

// Beyond its own time-out a gang may stay half bound while its requests are still under way (60 s),
// answers are waited for (10 s each) and retries are paced.
constexpr std::int64_t kUndoMs = 150'000;

bool Named(const crds::BindingJournal& page, const std::string& uid, const std::string& version,
           const std::string& node) {
  for (const crds::JournalEntry& entry : page.entries) {
    for (const crds::JournalEntry::Node& at : entry.nodes) {
      if (at.name != node) continue;
      for (const crds::JournalEntry::Pod& pod : at.pods) {
        if (pod.uid == uid && pod.resource_version == version) return true;
      }
    }
  }
  return false;
}

}  // namespace

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
  if (arrival.request.path.ends_with("/binding")) OnBinding(arrival);
  if (arrival.request.path.find("/bindingjournals/") != std::string::npos) OnPage(arrival);
  if (arrival.request.path.ends_with("/status") &&
      arrival.request.path.find("/pods/") != std::string::npos) {
    OnTouch(arrival);
  }
}

void Checkers::OnBinding(const Arrival& arrival) {
  const std::optional<Json> body = Parse(arrival.request.body);
  if (!body) {
    Fail("a Binding that is no JSON: " + arrival.request.body);
    return;
  }
  const std::string& node = StringAt(*body, {"target", "name"});
  const std::string& uid = StringAt(*body, {"metadata", "uid"});
  const std::string& version = StringAt(*body, {"metadata", "resourceVersion"});
  if (arrival.response.status == 409 && loop_.elapsed_ms() - arrival.sent_ms > 50 &&
      arrival.response.body.find("recondition") != std::string::npos) {
    ++marks_["late binding refused"];
  }
  if (arrival.response.status != 201) return;
  ++bindings_;
  const bool named =
      std::any_of(shadow_.pages().begin(), shadow_.pages().end(),
                  [&](const auto& page) { return Named(page.second, uid, version, node); });
  if (!named) Fail("a Binding that no page names took effect: " + arrival.request.body);
  const auto at = shadow_.nodes().find(node);
  if (at == shadow_.nodes().end()) return;
  std::int64_t allocatable = 0;
  for (const auto& [resource, amount] : at->second.allocatable) {
    if (resource == kGpu) allocatable = amount;
  }
  const std::int64_t used = shadow_.UsedOn(node);
  if (used > allocatable) {
    Fail("node " + node + " has " + std::to_string(allocatable) + " milli-GPUs, " +
         std::to_string(used) + " are used after binding " + arrival.request.path);
  }
}

void Checkers::OnPage(const Arrival& arrival) {
  if (arrival.response.status != 200) return;
  const Result<crds::BindingJournal> page = crds::DecodeBindingJournal(arrival.request.body);
  if (!page.ok()) {
    Fail("a page that cannot be read: " + page.error().message);
    return;
  }
  for (const crds::JournalEntry& entry : page.value().entries) {
    if (entry.abandon && abandoned_.insert(entry.id).second) ++marks_["abandoned"];
  }
}

void Checkers::OnTouch(const Arrival& arrival) {
  if (arrival.response.status == 200 &&
      arrival.request.body.find("\"BindFailed\"") != std::string::npos) {
    ++marks_["touched"];
  }
}

void Checkers::OnPod(const crds::Pod* before, const crds::Pod& now, bool deleted) {
  if (deleted || before == nullptr || before->meta.uid != now.meta.uid) return;
  if (!before->node_name.empty() && before->node_name != now.node_name) {
    Fail("pod " + now.meta.name + " moved from " + before->node_name + " to " + now.node_name);
  }
}

void Checkers::Tick(std::int64_t operator_since_ms) {
  for (const auto& [name, group] : shadow_.groups()) {
    const Shadow::Tally tally = shadow_.Count(group);
    const std::int64_t have = tally.active + tally.succeeded;
    const bool settled = group.status && HasTrue(group.status->conditions, "Scheduled");
    // Members that ran to their end hold nothing.
    if (tally.active == 0 || have >= group.min_member || settled) {
      partial_since_ms_.erase(name);
      continue;
    }
    const std::int64_t since = std::max(
        partial_since_ms_.try_emplace(name, loop_.elapsed_ms()).first->second, operator_since_ms);
    const std::int64_t limit = group.schedule_timeout_seconds * 1000 + kUndoMs;
    if (loop_.elapsed_ms() - since > limit) {
      Fail("gang " + name.second + " rests with " + std::to_string(have) + " of " +
           std::to_string(group.min_member) + " members bound" + shadow_.Tell(name.second));
    }
  }
}

void Checkers::AtRest() {
  for (const auto& [name, page] : shadow_.pages()) {
    if (!page.entries.empty()) {
      Fail("page " + name + " still holds an entry of " + page.entries.front().group_name);
    }
  }
  for (const auto& [name, group] : shadow_.groups()) {
    const Shadow::Tally tally = shadow_.Count(group);
    const std::int64_t have = tally.active + tally.succeeded;
    const bool settled = group.status && HasTrue(group.status->conditions, "Scheduled");
    if (tally.active != 0 && have < group.min_member && !settled) {
      Fail("gang " + name.second + " is left with " + std::to_string(have) + " of " +
           std::to_string(group.min_member) + shadow_.Tell(name.second));
    }
  }
}

}  // namespace muster::e2e
