// Journal and binder over a FakeApi and a ManualLoop, and builders of what the core says. What the
// binder tells the core is collected as text: "done train-0 n1", "closed 7".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controllers/binder.h"
#include "controllers/journal.h"
#include "controllers/stores.h"
#include "controllers/testing/fake_api.h"
#include "controllers/testing/manual_loop.h"
#include "controllers/writer.h"

namespace muster::controllers::testing {

class FakeTelemetry final : public ports::Telemetry {
 public:
  void Log(ports::Level level, std::string_view message, Fields fields) override;
  using ports::Telemetry::Count;
  void Count(std::string_view counter, std::int64_t by, Labels labels) override;
  void Gauge(std::string_view gauge, std::int64_t value, Labels labels) override;
  void Observe(std::string_view histogram, std::int64_t value, Labels labels) override;
  void Forget(Labels object) override;
  [[nodiscard]] std::int64_t Micros() const override { return 0; }
  [[nodiscard]] std::int64_t count(const std::string& counter) { return counts_[counter]; }
  // By name and labels, "pending_gangs{queue=q}": a counter, a gauge, or the sum of a histogram.
  [[nodiscard]] const std::map<std::string, std::int64_t>& series() const { return series_; }
  [[nodiscard]] std::int64_t errors() const { return errors_; }
  [[nodiscard]] bool Logged(const std::string& message) const { return logged_.contains(message); }
  // Of the last line whose message begins so; "" = none has it.
  [[nodiscard]] std::string FieldOf(const std::string& message, const std::string& field) const;

 private:
  std::map<std::string, std::map<std::string, std::string>> logged_;  // Fields by message.
  std::map<std::string, std::int64_t> counts_;                        // Whatever the labels.
  std::map<std::string, std::int64_t> series_;
  std::int64_t errors_ = 0;
};

// "done u0 n1", "refused u0 n1", "elsewhere u0 n0 at n9", "gone u0", "failed 7 u0 <text>"
// (refused), "stale 7 u0 <text>", "stranded 7 u0", "amended 7 u0", "left 7 u0", "closed 7".
[[nodiscard]] std::string ToText(const scheduler::Event& event);

// Requests about the members of its gang, as FakeApi names them.
inline constexpr const char* kBind0 = "POST pods/train-0/binding";
inline constexpr const char* kTouch0 = "PATCH pods/train-0/status";
inline constexpr const char* kGet0 = "GET pods/train-0";
inline constexpr const char* kDelete1 = "DELETE pods/train-1";

class ProtocolRig {
 public:
  static constexpr const char* kHolder = "muster-0";

  // Pages p-00.. of this holder, with the entries of `first` on p-00.
  explicit ProtocolRig(std::int32_t pages = 2, std::vector<crds::JournalEntry> first = {});

  // Pods that exist and that the watch has shown, and their nodes n0.., uids nu0...
  void AddPods(std::int32_t count);       // train-0.., uids u0..
  void See(const std::string& name);      // The watch shows what is stored.
  void SeeGroup(const std::string& uid);  // PodGroup train; at the start it is g0.
  [[nodiscard]] scheduler::PodSeen Seen(const std::string& name);

  // Member i on node n<i>.
  [[nodiscard]] static scheduler::Decision::Admit Admit(std::uint64_t id, std::int32_t pods);
  // In the place of the pod `replaces`: this one, on n5.
  [[nodiscard]] static scheduler::Decision::Amend Amend(std::uint64_t id,
                                                        const std::string& replaces,
                                                        const std::string& pod,
                                                        const std::string& uid);
  [[nodiscard]] static scheduler::Decision::Abandon Abandon(std::uint64_t id);
  // The same as a page holds it: with two pages AddPods makes pods of just these versions.
  [[nodiscard]] static crds::JournalEntry PageEntry(std::uint64_t id, std::int32_t pods);

  void Run() { loop.Run(); }
  void Advance(std::int64_t ms) { loop.Advance(ms); }
  [[nodiscard]] crds::BindingJournal& page(const std::string& name) { return api.pages().at(name); }
  [[nodiscard]] bool Said(const std::string& text) const;

  ManualLoop loop;
  FakeApi api{loop};
  FakeTelemetry telemetry;
  Stores stores;
  std::vector<std::string> said;
  std::vector<std::string> deposed;
  bool whole = false;  // What the core says of the gang.
  Writer writer{api, loop, {}};
  std::unique_ptr<Journal> journal;
  std::unique_ptr<Binder> binder;
};

}  // namespace muster::controllers::testing
