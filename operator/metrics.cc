#include "operator/metrics.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "operator/metric_table.h"
#include "operator/thread_loop_mutex.h"
#include "scheduler/base/check.h"
#include "scheduler/base/units.h"

namespace muster::app {

// One of them, by the type of its family. Found once, then used by its address: to look a series up
// in the library costs as much as ten increments.
struct OneSeries {
  prometheus::Counter* counter = nullptr;
  prometheus::Gauge* gauge = nullptr;
  prometheus::Histogram* histogram = nullptr;
};

struct MetricSeries {
  const MetricRow* row = nullptr;
  prometheus::Family<prometheus::Counter>* counters = nullptr;
  prometheus::Family<prometheus::Gauge>* gauges = nullptr;
  prometheus::Family<prometheus::Histogram>* histograms = nullptr;
  std::map<std::vector<std::string>, OneSeries> series;  // By the values of the labels.
};

namespace {

using Label = ports::Telemetry::Label;

constexpr std::string_view kProfile = "profile";

bool HasProfile(const MetricRow& row) {
  return !row.labels.empty() && row.labels.back() == kProfile;
}

// How many labels whoever counts has to name.
std::size_t NamedLabels(const MetricRow& row) {
  return row.labels.size() - (HasProfile(row) ? 1 : 0);
}

double InBaseUnits(const MetricRow& row, std::int64_t value, Metrics::Labels labels) {
  const auto amount = static_cast<double>(value);
  switch (row.unit) {
    case MetricRow::Unit::kOne:
      return amount;
    case MetricRow::Unit::kMilli:
      return amount / 1e3;
    case MetricRow::Unit::kMicro:
      return amount / 1e6;
    case MetricRow::Unit::kAmount:
      break;
  }
  const auto* resource = std::ranges::find(labels, "resource", &Label::name);
  MUSTER_CHECK(resource != labels.end());
  return UnitOf(resource->value) == Unit::kMilli ? amount / 1e3 : amount;
}

// The labels of an object are the first of those that its series have.
template <class Values>
bool BeginWith(const Values& all, Metrics::Labels object, std::string_view Label::*part) {
  return all.size() >= object.size() &&
         std::equal(object.begin(), object.end(), all.begin(),
                    [part](const Label& label, const auto& one) { return label.*part == one; });
}

void Remove(const MetricSeries& family, const OneSeries& series) {
  if (series.counter != nullptr) family.counters->Remove(series.counter);
  if (series.gauge != nullptr) family.gauges->Remove(series.gauge);
  if (series.histogram != nullptr) family.histograms->Remove(series.histogram);
}

}  // namespace

struct Metrics::State {
  explicit State(std::string named) : profile(std::move(named)) {}

  void Register(const MetricRow& row);
  // The row with this id, which must be of the type, and its series with these labels.
  MetricSeries& Find(std::string_view id, MetricRow::Type type)
      MUSTER_THREAD_SAFETY(requires_capability(lock));
  [[nodiscard]] OneSeries& Of(MetricSeries& family, Labels labels) const
      MUSTER_THREAD_SAFETY(requires_capability(lock));
  [[nodiscard]] OneSeries Make(const MetricSeries& family,
                               const std::vector<std::string>& values) const;

  const std::string profile;
  prometheus::Registry registry;  // With locks of its own.
  Mutex lock;
  std::map<std::string_view, MetricSeries> families MUSTER_GUARDED_BY(lock);
};

void Metrics::State::Register(const MetricRow& row) {
  const std::string name(row.name), help(row.help);
  MetricSeries family;
  family.row = &row;
  switch (row.type) {
    case MetricRow::Type::kCounter:
      family.counters = &prometheus::BuildCounter().Name(name).Help(help).Register(registry);
      break;
    case MetricRow::Type::kGauge:
      family.gauges = &prometheus::BuildGauge().Name(name).Help(help).Register(registry);
      break;
    case MetricRow::Type::kHistogram:
      family.histograms = &prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
      break;
  }
  const MutexLock held(lock);
  MetricSeries& added = families[row.id] = std::move(family);
  // What has no labels exists from the start: who reads it need not tell 0 from nothing.
  if (NamedLabels(row) == 0) (void)Of(added, {});
}

MetricSeries& Metrics::State::Find(std::string_view id, MetricRow::Type type) {
  const auto found = families.find(id);
  MUSTER_CHECK(found != families.end());
  MUSTER_CHECK(found->second.row->type == type);
  return found->second;
}

OneSeries& Metrics::State::Of(MetricSeries& family, Labels labels) const {
  const MetricRow& row = *family.row;
  MUSTER_CHECK(labels.size() == NamedLabels(row));
  std::vector<std::string> values;
  for (const auto& [name, value] : labels) {
    MUSTER_CHECK(name == row.labels[values.size()]);
    values.emplace_back(value);
  }
  const auto [at, is_new] = family.series.try_emplace(std::move(values));
  if (is_new) at->second = Make(family, at->first);
  return at->second;
}

OneSeries Metrics::State::Make(const MetricSeries& family,
                               const std::vector<std::string>& values) const {
  const MetricRow& row = *family.row;
  prometheus::Labels labels;
  for (std::size_t i = 0; i < values.size(); ++i) labels[std::string(row.labels[i])] = values[i];
  if (HasProfile(row)) labels[std::string(kProfile)] = profile;
  if (family.counters != nullptr) return {.counter = &family.counters->Add(labels)};
  if (family.gauges != nullptr) return {.gauge = &family.gauges->Add(labels)};
  return {.histogram = &family.histograms->Add(labels, row.buckets)};
}

Metrics::Metrics(const std::string& profile) : state_(std::make_unique<State>(profile)) {
  for (const MetricRow& row : MetricTable()) state_->Register(row);
  Gauge("build_info", 1, {{"version", MUSTER_VERSION}});
}

Metrics::~Metrics() = default;

void Metrics::Count(std::string_view id, std::int64_t by, Labels labels) {
  MUSTER_CHECK(by >= 0);
  const MutexLock held(state_->lock);
  MetricSeries& family = state_->Find(id, MetricRow::Type::kCounter);
  state_->Of(family, labels).counter->Increment(InBaseUnits(*family.row, by, labels));
}

void Metrics::Gauge(std::string_view id, std::int64_t value, Labels labels) {
  const MutexLock held(state_->lock);
  MetricSeries& family = state_->Find(id, MetricRow::Type::kGauge);
  state_->Of(family, labels).gauge->Set(InBaseUnits(*family.row, value, labels));
}

void Metrics::Observe(std::string_view id, std::int64_t value, Labels labels) {
  const MutexLock held(state_->lock);
  MetricSeries& family = state_->Find(id, MetricRow::Type::kHistogram);
  state_->Of(family, labels).histogram->Observe(InBaseUnits(*family.row, value, labels));
}

// Only rows that follow a queue: `queue` is also what kube-scheduler calls the place of a pod.
void Metrics::Forget(Labels object) {
  const MutexLock held(state_->lock);
  for (auto& [id, family] : state_->families) {
    if (!family.row->of_queue || !BeginWith(family.row->labels, object, &Label::name)) continue;
    std::erase_if(family.series, [&family = family, object](const auto& series) {
      if (!BeginWith(series.first, object, &Label::value)) return false;
      Remove(family, series.second);
      return true;
    });
  }
}

std::string Metrics::Text() const {
  std::vector<prometheus::MetricFamily> families = state_->registry.Collect();
  std::ranges::sort(families, {}, &prometheus::MetricFamily::name);
  for (prometheus::MetricFamily& family : families) {
    std::ranges::sort(family.metric,
                      [](const auto& a, const auto& b) { return a.label < b.label; });
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace muster::app
