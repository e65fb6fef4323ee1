#include "e2e/apiserver/workload_columns.h"

#include <string>
#include <string_view>

#include "e2e/apiserver/conditions.h"
#include "e2e/apiserver/label_selectors.h"
#include "e2e/apiserver/time_text.h"

namespace muster::e2e {
namespace {

// The first that holds, in the order of printJob.
std::string JobStatus(const Json& job) {
  for (const char* ended : {"Complete", "Failed"}) {
    if (HasTrueCondition(job, ended)) return ended;
  }
  if (Find(job, {"metadata", "deletionTimestamp"}) != nullptr) return "Terminating";
  for (const char* state : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (HasTrueCondition(job, state)) return state;
  }
  return "Running";
}

std::string Completions(const Json& job) {
  const std::string done = std::to_string(IntAt(job, {"status", "succeeded"}).value_or(0));
  if (const auto wanted = IntAt(job, {"spec", "completions"})) {
    return done + "/" + std::to_string(*wanted);
  }
  const std::int64_t parallel = IntAt(job, {"spec", "parallelism"}).value_or(0);
  return done + "/1" + (parallel > 1 ? " of " + std::to_string(parallel) : "");
}

std::string Duration(const Json& job, std::int64_t now_ms) {
  const auto start = ParseTime(StringAt(job, {"status", "startTime"}));
  if (!start) return "";
  const auto end = ParseTime(StringAt(job, {"status", "completionTime"}));
  return AgeText(end.value_or(now_ms) - *start);
}

std::string Age(const Json& object, std::int64_t now_ms) {
  const auto made = ParseTime(StringAt(object, {"metadata", "creationTimestamp"}));
  return made ? AgeText(now_ms - *made) : "<unknown>";
}

// Of the template's containers, with commas.
std::string Join(const Json& object, std::string_view field) {
  const Json* containers = Find(object, {"spec", "template", "spec", "containers"});
  std::string text;
  if (containers == nullptr) return text;
  for (const Json& one : *containers) text += (text.empty() ? "" : ",") + StringAt(one, {field});
  return text;
}

// An int-or-string, or "N/A".
std::string CountOrShare(const Json& object, std::string_view field) {
  const Json* value = Find(object, {"spec", field});
  if (value == nullptr) return "N/A";
  return value->is_string() ? value->get<std::string>() : Dump(*value);
}

}  // namespace

Json JobCells(const Json& job, std::int64_t now_ms) {
  return {StringAt(job, {"metadata", "name"}),
          JobStatus(job),
          Completions(job),
          Duration(job, now_ms),
          Age(job, now_ms),
          Join(job, "name"),
          Join(job, "image"),
          LabelSelectorText(Find(job, {"spec", "selector"}))};
}

Json ReplicaSetCells(const Json& set, std::int64_t now_ms) {
  return {StringAt(set, {"metadata", "name"}),
          IntAt(set, {"spec", "replicas"}).value_or(0),
          IntAt(set, {"status", "replicas"}).value_or(0),
          IntAt(set, {"status", "readyReplicas"}).value_or(0),
          Age(set, now_ms),
          Join(set, "name"),
          Join(set, "image"),
          LabelSelectorText(Find(set, {"spec", "selector"}))};
}

Json BudgetCells(const Json& budget, std::int64_t now_ms) {
  return {StringAt(budget, {"metadata", "name"}), CountOrShare(budget, "minAvailable"),
          CountOrShare(budget, "maxUnavailable"),
          IntAt(budget, {"status", "disruptionsAllowed"}).value_or(0), Age(budget, now_ms)};
}

}  // namespace muster::e2e
