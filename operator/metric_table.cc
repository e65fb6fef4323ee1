#include "operator/metric_table.h"

#include <utility>

namespace muster::app {
namespace {

using MetricUnit = MetricRow::Unit;

std::vector<double> Doubled(double first, int count) {
  std::vector<double> bounds;
  for (int i = 0; i < count; ++i, first *= 2) bounds.push_back(first);
  return bounds;
}

// Kueue's: 1 s, then 2.5 s doubled up to 2 h 51 min.
std::vector<double> WaitBuckets() {
  std::vector<double> bounds = Doubled(2.5, 13);
  bounds.insert(bounds.begin(), 1);
  return bounds;
}

// Of computing: 10 us to 1 s.
std::vector<double> ComputeBuckets() {
  return {0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1};
}

// client-go's, which Kubernetes' components set.
std::vector<double> RequestBuckets() {
  return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
}

struct MetricWords {
  std::string_view id, name, help;
};

MetricRow Counter(const MetricWords& words, std::vector<std::string_view> labels = {}) {
  return {.id = words.id,
          .name = words.name,
          .type = MetricRow::Type::kCounter,
          .labels = std::move(labels),
          .help = words.help,
          .unit = MetricUnit::kOne};
}

MetricRow Gauge(const MetricWords& words, std::vector<std::string_view> labels = {}) {
  MetricRow row = Counter(words, std::move(labels));
  row.type = MetricRow::Type::kGauge;
  return row;
}

MetricRow Histogram(const MetricWords& words, MetricUnit unit, std::vector<double> buckets) {
  MetricRow row = Counter(words);
  row.type = MetricRow::Type::kHistogram;
  row.unit = unit;
  row.buckets = std::move(buckets);
  return row;
}

MetricRow OfQueue(MetricRow row) {
  row.labels.insert(row.labels.begin(), "queue");
  row.of_queue = true;
  return row;
}

MetricRow Amount(MetricRow row) {
  row.labels = {"resource"};
  row.unit = MetricUnit::kAmount;
  return row;
}

void AddQueues(std::vector<MetricRow>& rows) {
  rows.push_back(OfQueue(Gauge({"pending_gangs", "muster_pending_gangs",
                                "Gangs that wait in the queue for their minimum."})));
  rows.push_back(OfQueue(Gauge({"admitted_gangs", "muster_admitted_gangs",
                                "Gangs that the queue pays for: binding or running."})));
  rows.push_back(OfQueue(Amount(Gauge({"queue_resource_usage", "muster_queue_resource_usage",
                                       "What the queue uses, in cores, bytes or devices."}))));
  rows.push_back(OfQueue(Amount(Gauge({"queue_nominal_quota", "muster_queue_nominal_quota",
                                       "The queue's nominal quota, in the same units."}))));
  rows.push_back(OfQueue(Counter({"gangs_admitted", "muster_gangs_admitted_total",
                                  "Gangs for whose minimum a place was reserved."})));
  rows.push_back(OfQueue(
      Counter({"gangs_bound", "muster_gangs_bound_total", "Gangs whose minimum was bound."})));
  rows.push_back(OfQueue(Histogram({"admission_wait_ms", "muster_admission_wait_time_seconds",
                                    "From a gang's queue time (its creation, or when it was given "
                                    "up last) to its admission."},
                                   MetricUnit::kMilli, WaitBuckets())));
}

void AddScheduling(std::vector<MetricRow>& rows) {
  rows.push_back(Amount(Gauge({"cluster_capacity", "muster_cluster_capacity",
                               "What the nodes offer together (their allocatable), in cores, bytes "
                               "or devices."})));
  rows.push_back(Counter({"schedule_attempts", "scheduler_schedule_attempts_total",
                          "Attempts to schedule pods, by the result: scheduled = bound; "
                          "unschedulable = members of a gang that quota or nodes refused, one gang "
                          "for all that are alike; error = the API server refused a Binding for "
                          "good."},
                         {"result", "profile"}));
  rows.push_back(Gauge({"pending_pods", "scheduler_pending_pods",
                        "Pods that wait: active = their gang is to be tried; backoff = after an "
                        "error; unschedulable = their gang was refused; gated = a scheduling gate, "
                        "too few members, or a queue that does not take them."},
                       {"queue"}));
  rows.push_back(Histogram({"pod_scheduling_attempts", "scheduler_pod_scheduling_attempts",
                            "Attempts of its gang until a pod was given a node."},
                           MetricUnit::kOne, Doubled(1, 5)));
  rows.push_back(Histogram({"decision_us", "scheduler_scheduling_algorithm_duration_seconds",
                            "One decision, over all gangs that it looked at."},
                           MetricUnit::kMicro, ComputeBuckets()));
  rows.push_back(Counter({"events_applied", "muster_events_applied_total",
                          "Facts and answers that the core was given."}));
  rows.push_back(Histogram({"event_batch_us", "muster_event_batch_duration_seconds",
                            "Applying what came in between two decisions."},
                           MetricUnit::kMicro, ComputeBuckets()));
  rows.push_back(
      Counter({"lost_wakeups", "muster_lost_wakeups_total",
               "Gangs that nothing but the look of every 5 minutes has found: each is an "
               "error of Muster's."}));
}

void AddBinding(std::vector<MetricRow>& rows) {
  rows.push_back(
      Counter({"bindings_sent", "muster_bindings_sent_total", "Bindings that were sent."}));
  rows.push_back(Counter({"bindings_answered", "muster_bindings_answered_total",
                          "Answers to Bindings, by what they mean: done, conflict, gone, refused, "
                          "terminating (the namespace), not_served, unknown (no answer, or trouble "
                          "of the server)."},
                         {"result"}));
  rows.push_back(Counter({"plans_stale", "muster_plans_stale_total",
                          "Bindings that were not sent, since the world had changed."}));
  rows.push_back(
      Counter({"entries_settled", "muster_entries_settled_total", "Journal entries bound whole."}));
  rows.push_back(Counter({"entries_failed", "muster_entries_failed_total",
                          "Journal entries of which a member could not be bound as decided."}));
  rows.push_back(Counter({"entries_abandoned", "muster_entries_abandoned_total",
                          "Journal entries given up, by the reason: Timeout, Refused (by the API "
                          "server), NoFit (the world changed), GroupGone."},
                         {"reason"}));
  rows.push_back(Counter({"entries_taken_over", "muster_entries_taken_over_total",
                          "Journal entries found at the start, of a leader before this one."}));
  rows.push_back(Counter({"members_stranded", "muster_members_stranded_total",
                          "Members that had lost their node before they were bound."}));
  rows.push_back(Counter({"members_replaced", "muster_members_replaced_total",
                          "Members in whose place another pod was put."}));
  rows.push_back(Counter({"members_let_go", "muster_members_let_go_total",
                          "Members beyond the minimum that left their entry unbound."}));
  rows.push_back(Counter({"pods_touched", "muster_pods_touched_total",
                          "Pods that were patched so that no Binding under way can act."}));
  rows.push_back(Counter({"pods_deleted", "muster_pods_deleted_total",
                          "Pods deleted, since their gang was given up."}));
}

void AddProcess(std::vector<MetricRow>& rows) {
  rows.push_back(Gauge({"leader_election_master", "leader_election_master_status",
                        "1 while this instance holds the Lease of that name, else 0."},
                       {"name"}));
  rows.push_back(Counter({"kinds_taken_over_warm", "muster_kinds_taken_over_warm_total",
                          "Kinds of objects that a standby need not list when it leads."}));
  rows.push_back(Counter({"kinds_listed_anew", "muster_kinds_listed_anew_total",
                          "Kinds of objects that a standby had to list all the same."}));
  rows.push_back(Counter({"events_dropped", "muster_events_dropped_total",
                          "Kubernetes events left out, since there were too many."}));
  rows.push_back(Counter({"requests", "rest_client_requests_total",
                          "Requests to the API server; code is <error> without an answer."},
                         {"code", "method", "host"}));
  MetricRow duration = Histogram({"request_us", "rest_client_request_duration_seconds",
                                  "Requests to the API server, but watches."},
                                 MetricUnit::kMicro, RequestBuckets());
  duration.labels = {"verb", "host"};
  rows.push_back(std::move(duration));
  rows.push_back(Gauge({"build_info", "muster_build_info", "Always 1."}, {"version"}));
}

}  // namespace

const std::vector<MetricRow>& MetricTable() {
  static const std::vector<MetricRow> table = [] {
    std::vector<MetricRow> rows;
    AddQueues(rows);
    AddScheduling(rows);
    AddBinding(rows);
    AddProcess(rows);
    return rows;
  }();
  return table;
}

}  // namespace muster::app
