#include "scheduler/solve/wording.h"

#include <algorithm>
#include <set>

#include "scheduler/base/units.h"
#include "scheduler/model/label_match.h"
#include "scheduler/solve/quorum.h"
#include "scheduler/solve/scheduler.h"

namespace muster::scheduler {
namespace {

std::string Join(const std::set<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string Quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

// As kubectl writes selectors: "team=a", "team in (a, b)", "!team".
std::string RequirementText(const Requirement& r) {
  const std::string list = Join({r.values.begin(), r.values.end()});
  switch (r.op) {
    case Requirement::Op::kIn:
      return r.values.size() == 1 ? r.key + "=" + list : r.key + " in (" + list + ")";
    case Requirement::Op::kNotIn:
      return r.values.size() == 1 ? r.key + "!=" + list : r.key + " notin (" + list + ")";
    case Requirement::Op::kExists:
      return r.key;
    case Requirement::Op::kDoesNotExist:
      return "!" + r.key;
    case Requirement::Op::kGt:
      return r.key + ">" + list;
    case Requirement::Op::kLt:
      return r.key + "<" + list;
  }
  return {};
}

std::string GatedText(std::int32_t gated) {
  return std::to_string(gated) + " behind a scheduling gate";
}

// "" = it has enough members that can be placed, or were.
std::string SubGroupText(const SubGroup& sub, const MemberCounts& counts) {
  const std::int32_t ready = counts.placeable + counts.reserved + counts.bound + counts.succeeded;
  if (ready >= sub.min_member) return {};
  const std::string text = "; sub-group " + sub.name + ": ";
  const std::int32_t exist = ready + counts.gated;
  if (exist >= sub.min_member) {
    return text + std::to_string(exist) + " exist, " + GatedText(counts.gated);
  }
  return text + std::to_string(exist) + " of " + std::to_string(sub.min_member) + " exist";
}

}  // namespace

std::string CutMessage(std::string text) {
  constexpr std::string_view kEnd = " ...";
  if (text.size() <= kMaxMessageBytes) return text;
  std::size_t size = kMaxMessageBytes - kEnd.size();
  // Bytes 10xxxxxx continue a character of UTF-8.
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  text.resize(size);
  return text + std::string(kEnd);
}

std::string JoinReasons(const std::map<std::string, std::int32_t>& histogram) {
  std::set<std::string> parts;
  for (const auto& [reason, count] : histogram) parts.insert(std::to_string(count) + " " + reason);
  return Join(parts);
}

std::string FitErrorText(std::size_t nodes, const std::map<std::string, std::int32_t>& histogram) {
  if (nodes == 0) return "no nodes available to schedule pods.";
  return "0/" + std::to_string(nodes) + " nodes are available: " + JoinReasons(histogram) + ".";
}

std::string Counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string AmountText(std::string_view resource, std::int64_t amount) {
  return FormatAmount(resource, amount) + " " + std::string(resource);
}

std::string HoldersText(std::string_view resource,
                        std::vector<std::pair<std::string, std::int64_t>> holders) {
  constexpr std::size_t kShown = 3;
  std::sort(holders.begin(), holders.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, holders.size()); ++i) {
    out += (i == 0 ? "held by " : ", ") + holders[i].first + " (" +
           FormatAmount(resource, holders[i].second) + ")";
  }
  if (holders.size() > kShown) out += " and " + std::to_string(holders.size() - kShown) + " more";
  return out;
}

std::string QuotaText(std::string_view queue, const QuotaVerdict::Short& refused) {
  const std::string& r = refused.resource;
  return "Queue " + std::string(queue) + ": uses " + FormatAmount(r, refused.used) + " of " +
         FormatAmount(r, refused.nominal) + " nominal, limit " + FormatAmount(r, refused.limit) +
         "; the gang needs " + AmountText(r, refused.charge) + " more.";
}

std::string QueueNotFoundText(const Cluster& cluster, const GangRow& gang) {
  std::set<std::string> usable;
  for (std::uint32_t i = 0; i < cluster.queue_rows(); ++i) {
    const QueueRow& queue = cluster.queue(QueueId{i});
    const bool open = queue.exists && queue.spec.has_selector && queue.spec.misconfigured.empty();
    if (open && MatchesAll(queue.spec.namespace_selector, cluster.ns(gang.ns).labels)) {
      usable.insert(queue.spec.name);
    }
  }
  std::string text = "queue " + Quoted(cluster.queue(gang.queue).spec.name) + " does not exist";
  const NamespaceRow& ns = cluster.ns(gang.ns);
  if (!gang.queue_named && !ns.default_queue.empty()) {
    text += " (annotation muster.dev/default-queue of namespace " + ns.name + ")";
  } else if (!gang.queue_named) {
    text += gang.key.single_pod ? " (label muster.dev/queue is unset)" : " (spec.queue is unset)";
  }
  return text + (usable.empty() ? "; no queue admits this namespace"
                                : "; queues this namespace may use: " + Join(usable));
}

std::string NamespaceNotAllowedText(const QueueSeen& queue) {
  if (!queue.has_selector) {
    return "queue " + Quoted(queue.name) +
           " admits no namespace: its namespaceSelector is unset ({} admits all)";
  }
  std::set<std::string> parts;
  for (const Requirement& r : queue.namespace_selector) parts.insert(RequirementText(r));
  return "queue " + Quoted(queue.name) + " admits namespaces with " + Join(parts);
}

std::string NotEnoughMembersText(const Cluster& cluster, GangId id) {
  const GangRow& gang = cluster.gang(id);
  const MemberCounts all = cluster.counts(id);
  const std::int32_t exist = CountOf(cluster, id, Reach::kExisting);
  std::string text = std::to_string(exist);
  if (exist < gang.min_member) {
    text += " of " + std::to_string(gang.min_member) + " members exist";
  } else {
    text += all.gated > 0 ? " exist, " + GatedText(all.gated) : " members exist";
  }
  // Whose owner has given up, perhaps: it makes no other one.
  if (all.failed > 0) text += ", " + std::to_string(all.failed) + " failed";
  if (gang.sub_groups.empty()) return text;
  const std::vector<MemberCounts> counts = CountsBySubGroup(cluster, id);
  bool any = false;
  for (std::size_t i = 0; i < gang.sub_groups.size(); ++i) {
    const std::string of = SubGroupText(gang.sub_groups[i], counts[i]);
    any = any || !of.empty();
    text += of;
  }
  // The likely cause: a label that is missing or misspelt.
  const std::int32_t stray = counts.back().placeable + counts.back().gated;
  if (any && stray > 0) {
    text += "; " + Counted(stray, "member") + " of no sub-group (label muster.dev/subgroup)";
  }
  return text;
}

std::string_view PhaseName(Phase phase) {
  switch (phase) {
    case Phase::kPending:
      return "Pending";
    case Phase::kQueued:
      return "Queued";
    case Phase::kBinding:
      return "Binding";
    case Phase::kRunning:
      return "Running";
    case Phase::kSucceeded:
      return "Succeeded";
    case Phase::kFailed:
      return "Failed";
  }
  return "";
}

}  // namespace muster::scheduler
