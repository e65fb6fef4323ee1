#include "e2e/owners/job.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "e2e/apiserver/time_text.h"
#include "e2e/owners/cache.h"
#include "e2e/owners/pod_template.h"

namespace muster::e2e {
namespace {

constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";

std::int64_t NumberAt(const Json& job, const char* part, const char* field) {
  return IntAt(job, {part, field}).value_or(0);
}

bool IsIndexed(const Json& job) {
  return StringAt(job, {"spec", "completionMode"}) == "Indexed";
}

std::optional<std::int64_t> IndexOf(const Json& pod) {
  const std::string& text = StringAt(pod, {"metadata", "annotations", kIndex});
  if (text.empty()) return std::nullopt;
  return std::atoll(text.c_str());
}

// Of the pods at one moment; the counts of ended pods are those of the status and what is new.
struct Census {
  std::vector<const Json*> active;
  std::int64_t ready = 0, terminating = 0, succeeded = 0, failed = 0;
  std::int64_t new_failures = 0, new_successes = 0;
  std::set<std::int64_t> done;  // Indexes.
};

void CountEnd(const Json& job, const Json& pod, JobMemory& memory, Census& census) {
  const bool succeeded = StringAt(pod, {"status", "phase"}) == "Succeeded";
  const bool failed = StringAt(pod, {"status", "phase"}) == "Failed";
  // Deleted is failed: it may never come to its end (isPodFailed).
  const bool lost = !succeeded && IsLeaving(pod) && !memory.dropped.contains(UidOf(pod));
  if (!succeeded && !failed && !lost) return;
  if (!memory.counted.insert(UidOf(pod)).second) return;
  if (!succeeded) {
    ++census.new_failures;
    return;
  }
  ++census.new_successes;
  const auto index = IndexOf(pod);
  if (index && *index < NumberAt(job, "spec", "completions")) census.done.insert(*index);
}

// A pod that is gone before its end was seen was deleted without a kubelet to ask.
void CountVanished(const std::vector<const Json*>& pods, JobMemory& memory, Census& census) {
  std::set<std::string> alive;
  for (const Json* pod : pods) {
    if (!IsTerminalPod(*pod)) alive.insert(UidOf(*pod));
  }
  std::set<std::string> there;
  for (const Json* pod : pods) there.insert(UidOf(*pod));
  for (const std::string& uid : memory.alive) {
    const bool known = there.contains(uid) || memory.counted.contains(uid);
    if (!known && !memory.dropped.contains(uid)) ++census.new_failures;
  }
  memory.alive = std::move(alive);
}

Census Count(const Json& job, const std::vector<const Json*>& pods, JobMemory& memory) {
  Census census;
  census.done = ParseIndexes(StringAt(job, {"status", "completedIndexes"}));
  CountVanished(pods, memory, census);
  for (const Json* pod : pods) {
    CountEnd(job, *pod, memory, census);
    if (IsTerminalPod(*pod)) continue;
    if (IsLeaving(*pod)) {
      ++census.terminating;
    } else if (!memory.dropped.contains(UidOf(*pod))) {
      census.active.push_back(pod);
      if (HasTrueCondition(*pod, "Ready")) ++census.ready;
    }
  }
  census.failed = NumberAt(job, "status", "failed") + census.new_failures;
  census.succeeded = IsIndexed(job) ? static_cast<std::int64_t>(census.done.size())
                                    : NumberAt(job, "status", "succeeded") + census.new_successes;
  return census;
}

void Remember(const Census& census, JobMemory& memory, std::int64_t now_ms) {
  if (census.new_successes > 0) memory.failures_in_row = 0;
  if (census.new_failures == 0) return;
  memory.failures_in_row += census.new_failures;
  memory.last_failure_ms = now_ms;
}

// From when on pods may be made again.
std::int64_t HeldUntil(const JobMemory& memory, const JobOptions& options) {
  if (memory.failures_in_row == 0) return 0;
  std::int64_t wait_ms = options.backoff_ms;
  for (std::int64_t i = 1; i < memory.failures_in_row && wait_ms < options.max_backoff_ms; ++i) {
    wait_ms *= 2;
  }
  return memory.last_failure_ms + std::min(wait_ms, options.max_backoff_ms);
}

bool IsComplete(const Json& job, const Census& census) {
  if (const auto wanted = IntAt(job, {"spec", "completions"})) return census.succeeded >= *wanted;
  return census.succeeded > 0 && census.active.empty();
}

struct Verdict {
  std::string type, reason, message;  // "" = none. SuccessCriteriaMet or FailureTarget.
  std::optional<std::int64_t> again_ms = {};
};

Verdict VerdictOf(const Json& job, const Census& census, std::int64_t now_ms) {
  if (HasTrueCondition(job, "SuccessCriteriaMet") || IsComplete(job, census)) {
    return {"SuccessCriteriaMet", "CompletionsReached",
            "Reached expected number of succeeded pods"};
  }
  if (HasTrueCondition(job, "FailureTarget") ||
      census.failed > NumberAt(job, "spec", "backoffLimit")) {
    return {"FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  }
  const auto limit = IntAt(job, {"spec", "activeDeadlineSeconds"});
  const auto start = ParseTime(StringAt(job, {"status", "startTime"}));
  if (!limit || !start) return {};
  const std::int64_t end_ms = *start + *limit * 1000;
  if (now_ms < end_ms) return {.type = {}, .reason = {}, .message = {}, .again_ms = end_ms};
  return {"FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline"};
}

void SetCondition(Json& status, const Json& condition) {
  Json& conditions = ArrayAt(status, "conditions");
  for (Json& one : conditions) {
    if (StringAt(one, {"type"}) != StringAt(condition, {"type"})) continue;
    if (StringAt(one, {"status"}) != StringAt(condition, {"status"})) one = condition;
    return;
  }
  conditions.push_back(condition);
}

Json Condition(const std::string& type, const Verdict& why, std::int64_t now_ms) {
  const std::string now = TimeText(now_ms);
  return {{"type", type},         {"status", "True"},
          {"lastProbeTime", now}, {"lastTransitionTime", now},
          {"reason", why.reason}, {"message", why.message}};
}

// Zeros are left out, as a Go encoder does.
void SetCount(Json& status, const char* field, std::int64_t value) {
  if (value == 0) {
    status.erase(field);
  } else {
    status[field] = value;
  }
}

Json CountedStatus(const Json& job, const Census& census) {
  Json status = job.value("status", Json::object());
  SetCount(status, "active", static_cast<std::int64_t>(census.active.size()));
  SetCount(status, "succeeded", census.succeeded);
  SetCount(status, "failed", census.failed);
  status["ready"] = census.ready;
  status["terminating"] = census.terminating;
  status["uncountedTerminatedPods"] = Json::object();
  if (IsIndexed(job) && !census.done.empty()) {
    status["completedIndexes"] = IndexesText(census.done);
  }
  return status;
}

// First the criterion, and once no pod is left the end (JobPodReplacementPolicy, 1.32 and later).
void Conclude(const Verdict& verdict, const Census& census, std::int64_t now_ms, Json& status) {
  SetCondition(status, Condition(verdict.type, verdict, now_ms));
  if (!census.active.empty() || census.terminating > 0) return;
  const bool complete = verdict.type == "SuccessCriteriaMet";
  // The reason that was given first stays.
  Verdict why = verdict;
  for (const Json& one : status["conditions"]) {
    if (StringAt(one, {"type"}) != verdict.type) continue;
    why.reason = StringAt(one, {"reason"});
    why.message = StringAt(one, {"message"});
  }
  SetCondition(status, Condition(complete ? "Complete" : "Failed", why, now_ms));
  if (complete) status["completionTime"] = TimeText(now_ms);
}

Json PodOfIndex(const Json& job, std::optional<std::int64_t> index) {
  const std::string name = StringAt(job, {"metadata", "name"});
  if (!index) return PodOfTemplate(job, name + "-");
  const std::string number = std::to_string(*index);
  Json pod = PodOfTemplate(job, name + "-" + number + "-");
  pod["metadata"]["labels"][kIndex] = number;
  pod["metadata"]["annotations"][kIndex] = number;
  SetDefault(pod["spec"], "hostname", name + "-" + number);
  const Json variable = {{"name", "JOB_COMPLETION_INDEX"},
                         {"valueFrom",
                          {{"fieldRef",
                            {{"apiVersion", "v1"},
                             {"fieldPath", "metadata.labels['" + std::string(kIndex) + "']"}}}}}};
  for (const char* field : {"containers", "initContainers"}) {
    if (Find(pod, {"spec", field}) == nullptr) continue;
    for (Json& container : pod["spec"][field]) ArrayAt(container, "env").push_back(variable);
  }
  return pod;
}

// The lowest indexes that nobody works on.
std::vector<std::optional<std::int64_t>> MissingIndexes(const Json& job, const Census& census,
                                                        std::int64_t count) {
  std::set<std::int64_t> taken = census.done;
  for (const Json* pod : census.active) {
    if (const auto index = IndexOf(*pod)) taken.insert(*index);
  }
  std::vector<std::optional<std::int64_t>> missing;
  const std::int64_t end = NumberAt(job, "spec", "completions");
  for (std::int64_t i = 0; i < end && std::ssize(missing) < count; ++i) {
    if (!taken.contains(i)) missing.emplace_back(i);
  }
  return missing;
}

std::int64_t WantedActive(const Json& job, const Census& census) {
  const std::int64_t parallel = NumberAt(job, "spec", "parallelism");
  const auto completions = IntAt(job, {"spec", "completions"});
  if (completions) return std::min(parallel, *completions - census.succeeded);
  // A work queue: after the first success nobody is added.
  const auto active = static_cast<std::int64_t>(census.active.size());
  return census.succeeded > 0 ? std::min(parallel, active) : parallel;
}

// Those who lose least go first: unbound, then the highest index.
std::vector<const Json*> Surplus(const Census& census, std::int64_t wanted) {
  std::vector<const Json*> order = census.active;
  std::ranges::stable_sort(order, [](const Json* a, const Json* b) {
    const bool a_bound = !StringAt(*a, {"spec", "nodeName"}).empty();
    const bool b_bound = !StringAt(*b, {"spec", "nodeName"}).empty();
    if (a_bound != b_bound) return b_bound;
    return IndexOf(*a).value_or(0) > IndexOf(*b).value_or(0);
  });
  order.resize(static_cast<std::size_t>(
      std::max<std::int64_t>(std::ssize(order) - std::max<std::int64_t>(wanted, 0), 0)));
  return order;
}

void Remove(const std::vector<const Json*>& pods, JobMemory& memory, JobStep& step) {
  for (const Json* pod : pods) {
    memory.dropped.insert(UidOf(*pod));
    step.remove.push_back(*pod);
  }
}

void Later(std::optional<std::int64_t> at_ms, JobStep& step) {
  if (at_ms) step.again_ms = std::min(step.again_ms.value_or(*at_ms), *at_ms);
}

// What is missing is made, what is too many goes.
void Fill(const Json& job, const Census& census, std::int64_t held_until_ms, std::int64_t now_ms,
          JobStep& step) {
  const std::int64_t wanted = WantedActive(job, census);
  const std::int64_t missing = wanted - std::ssize(census.active);
  if (missing <= 0) return;
  if (now_ms < held_until_ms) {
    Later(held_until_ms, step);
    return;
  }
  if (!IsIndexed(job)) {
    for (std::int64_t i = 0; i < missing; ++i) step.create.push_back(PodOfIndex(job, std::nullopt));
    return;
  }
  for (const auto& index : MissingIndexes(job, census, missing)) {
    step.create.push_back(PodOfIndex(job, index));
  }
}

JobStep Finished(const Json& job, const Census& census, JobMemory& memory, std::int64_t now_ms) {
  JobStep step;
  Remove(census.active, memory, step);
  const auto ttl = IntAt(job, {"spec", "ttlSecondsAfterFinished"});
  if (!ttl) return step;
  std::int64_t end_ms = 0;
  for (const Json& one : job.at("status").at("conditions")) {
    end_ms = std::max(end_ms, ParseTime(StringAt(one, {"lastTransitionTime"})).value_or(0));
  }
  step.expired = now_ms >= end_ms + *ttl * 1000;
  if (!step.expired) step.again_ms = end_ms + *ttl * 1000;
  return step;
}

void Suspend(const Json& job, bool suspended, std::int64_t now_ms, Json& status) {
  const bool was = HasTrueCondition(job, "Suspended");
  if (suspended) status.erase("startTime");
  if (!suspended) SetDefault(status, "startTime", TimeText(now_ms));
  if (suspended == was) return;
  Json condition = Condition("Suspended",
                             {.type = {},
                              .reason = suspended ? "JobSuspended" : "JobResumed",
                              .message = suspended ? "Job suspended" : "Job resumed"},
                             now_ms);
  if (!suspended) condition["status"] = "False";
  SetCondition(status, condition);
}

}  // namespace

JobStep PlanJob(const Json& job, const std::vector<const Json*>& pods, JobMemory& memory,
                const JobOptions& options, std::int64_t now_ms) {
  const Census census = Count(job, pods, memory);
  if (HasTrueCondition(job, "Complete") || HasTrueCondition(job, "Failed")) {
    return Finished(job, census, memory, now_ms);
  }
  Remember(census, memory, now_ms);
  JobStep step;
  Json status = CountedStatus(job, census);
  const bool suspended = BoolAt(job, {"spec", "suspend"});
  const Verdict verdict = VerdictOf(job, census, now_ms);
  Later(verdict.again_ms, step);
  if (!verdict.type.empty()) {
    Remove(census.active, memory, step);
    Conclude(verdict, census, now_ms, status);
  } else if (!IsLeaving(job)) {
    Suspend(job, suspended, now_ms, status);
    Remove(Surplus(census, suspended ? 0 : WantedActive(job, census)), memory, step);
    if (!suspended) Fill(job, census, HeldUntil(memory, options), now_ms, step);
  }
  if (status != job.value("status", Json::object())) step.status = std::move(status);
  return step;
}

}  // namespace muster::e2e
