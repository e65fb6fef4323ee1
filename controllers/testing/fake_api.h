// A ports::Api for tests: a handful of pods and journal pages with the rules that the binding
// protocol leans on (resourceVersions, preconditions, what a PUT or a touch moves), and a table of
// faults by request. Requests are named "POST pods/train-0/binding", "PUT bindingjournals/p-00",
// "LIST bindingjournals"; a fault matches by prefix, once. Answers come through the loop.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/ports/api.h"
#include "controllers/ports/loop.h"
#include "crds/binding_journal.h"
#include "crds/object.h"

namespace muster::controllers::testing {

class FakeApi final : public ports::Api {
 public:
  struct Pod {
    std::string uid;
    std::int64_t version = 0;
    std::string node, journal, group_uid;
    bool deleting = false;
    std::string phase = "Pending";
    std::string condition;  // The last one that was patched, as sent.
    std::string gone_body;  // Set: every request is answered with this and 403.
  };

  explicit FakeApi(ports::Loop& loop) : loop_(loop) {}

  void Call(ports::Request request, Done done) override;
  void AllowWritesUntil(Ticks until) override { writes_until_ = until; }
  void ListAndWatch(ports::Resource resource, Decode decode, Sink sink) override;

  // What the API server does with a request, now.
  [[nodiscard]] ports::Response Apply(const ports::Request& request);

  // The stored world. Every change takes the next resourceVersion.
  Pod& AddPod(const std::string& name, const std::string& uid);
  void Change(const std::string& name);                         // By somebody else: a label.
  void Bind(const std::string& name, const std::string& node);  // By another scheduler.
  // By a Binding of ours, of the journal entry `place`.
  void BindAs(const std::string& place, const std::string& name, const std::string& node);
  [[nodiscard]] std::map<std::string, Pod>& pods() { return pods_; }
  [[nodiscard]] std::map<std::string, crds::BindingJournal>& pages() { return pages_; }
  [[nodiscard]] const std::map<std::string, Pod>& pods() const { return pods_; }
  [[nodiscard]] const std::map<std::string, crds::BindingJournal>& pages() const { return pages_; }
  void AddPage(crds::BindingJournal page);
  void SetPagesServed(bool served) { pages_served_ = served; }
  // The Lease, as this holder renews it; "" = nobody's.
  void SetLease(const std::string& holder);
  [[nodiscard]] std::string Version() { return std::to_string(++version_); }

  // What a watch of `plural` lists when it starts, and shows from then on.
  void Show(const std::string& plural, crds::Object object);
  void ShowDeleted(const std::string& plural, crds::Object object);
  void ListAnew(const std::string& plural);  // The watch ends, as by a 410.
  void ForgetWatches() { sinks_.clear(); }   // Whoever watched is gone.

  // Faults, for the next request that begins so.
  void Hold(std::string what);            // Neither effect nor answer until Release.
  void Release(const std::string& what);  // Takes effect now, and is answered.
  void LoseAnswer(std::string what);      // Takes effect; no answer.
  void LoseRequest(std::string what);     // No answer and no effect, unless TakeEffect follows.
  ports::Response TakeEffect(const std::string& what);  // The lost request acts after all.
  void Refuse(std::string what, std::int32_t status, std::string body);  // Without effect.

  // What the elector said last; nullopt = no bound.
  [[nodiscard]] std::optional<Ticks> writes_until() const { return writes_until_; }
  // Requests so far, in order; how many begin so; the body of the last one that does.
  [[nodiscard]] const std::vector<std::string>& log() const { return log_; }
  [[nodiscard]] std::int64_t Count(std::string_view what) const;
  [[nodiscard]] std::string Body(std::string_view what) const;
  void ClearLog();

 private:
  enum class Kind : std::uint8_t { kHold, kLoseAnswer, kLoseRequest, kRefuse };
  struct Fault {
    Kind kind{};
    std::string what;
    ports::Response answer;
  };
  struct Parked {
    std::string what;
    ports::Request request;
    Done done;
  };

  void Reply(const Done& done, const Result<ports::Response>& answer);
  [[nodiscard]] ports::Response ApplyPod(const ports::Request& request);
  [[nodiscard]] ports::Response ApplyBinding(const ports::Request& request, Pod& pod);
  [[nodiscard]] ports::Response ApplyPatch(const ports::Request& request, Pod& pod);
  [[nodiscard]] ports::Response ApplyDelete(const ports::Request& request, Pod& pod);
  [[nodiscard]] ports::Response ApplyPage(const ports::Request& request);
  [[nodiscard]] ports::Response PutPage(const ports::Request& request);
  [[nodiscard]] ports::Response ApplyLease(const ports::Request& request);
  [[nodiscard]] static Parked TakeParked(std::deque<Parked>& from, const std::string& what);

  void Emit(const std::string& plural, ports::WatchEvent::Type type, crds::Object object);

  ports::Loop& loop_;
  std::map<std::string, std::map<std::string, crds::Object>> listed_;  // By plural and name.
  std::map<std::string, Sink> sinks_;
  std::map<std::string, Pod> pods_;
  std::map<std::string, crds::BindingJournal> pages_;
  std::string lease_;  // JSON; "" = it is not there.
  std::int64_t version_ = 100;
  bool pages_served_ = true;
  std::deque<Fault> faults_;
  std::deque<Parked> held_, lost_;
  std::vector<std::string> log_, bodies_;
  std::optional<Ticks> writes_until_;
};

// As a watch shows it: of `group`, or on its own in queue q if that is ""; bound through queue q;
// four GPUs.
[[nodiscard]] crds::Pod PodObject(const std::string& name, const FakeApi::Pod& stored,
                                  const std::string& group);
// "POST pods/train-0/binding".
[[nodiscard]] std::string Describe(const ports::Request& request);
// The value of the first "key":"..." in a JSON text; "" = none.
[[nodiscard]] std::string TextField(const std::string& json, const std::string& key);
// The Status bodies that matter to the protocol.
[[nodiscard]] std::string StatusBody(const std::string& reason, const std::string& message);
[[nodiscard]] std::string UidMismatchBody();
[[nodiscard]] std::string NamespaceTerminatingBody();
[[nodiscard]] std::string PodBody(const std::string& name, const FakeApi::Pod& pod);

}  // namespace muster::controllers::testing
