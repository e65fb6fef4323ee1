// The world of one outage: a cluster of sixteen nodes and a spare one, gangs of half nodes, the
// served API server over TLS with a token, and the real operator, which is started again when it
// ends, as a kubelet does. What is asked and changed here goes by the side door of the API server,
// as through a replica of it that has no outage.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "e2e/harness/process.h"
#include "e2e/harness/servers.h"
#include "e2e/suites/api_view.h"
#include "e2e/suites/outage_verdict.h"

namespace muster::e2e {

class OutageWorld {
 public:
  // `plant`: of muster-local; "" = none.
  OutageWorld(Programs programs, std::string plant, std::vector<std::string> muster_flags)
      : programs_(std::move(programs)),
        plant_(std::move(plant)),
        muster_flags_(std::move(muster_flags)) {}

  // Both programs run. "" = done, else what went wrong; so everywhere below.
  [[nodiscard]] std::string Start();
  // Each member takes half a node. `spare`: it would rather have the spare node than any other.
  [[nodiscard]] std::string MakeGang(const std::string& name, int members, bool spare = false);
  // The same, where no room is.
  [[nodiscard]] std::string MakeGangTooMany(const std::string& name, int members);
  [[nodiscard]] std::string RemoveGang(const std::string& name);
  [[nodiscard]] std::string RemoveSpare();
  // Every gang that fits runs whole.
  [[nodiscard]] bool AllRun();
  // Some member has failed, or is gone or going: no gang is whole any more.
  [[nodiscard]] bool IsBeyondRepair();
  // Nothing is on its way any more: no page has an entry, each status is true, and the pods of what
  // does not fit say so.
  [[nodiscard]] bool IsSettled();
  [[nodiscard]] OutageEnd Look();

  // An outage of this kind, as muster-local's hook takes it, begins at the `at`-th Binding.
  [[nodiscard]] std::string Order(const std::string& kind, int at);
  [[nodiscard]] bool HasBegun();
  // `struck`: how often it has. In muster-local's count.
  [[nodiscard]] std::string End(std::int64_t& struck);

  // Looks again and again, and after the operator.
  template <class Condition>
  [[nodiscard]] bool Await(std::int64_t patience_ms, const Condition& holds) {
    return WaitFor(patience_ms, [&] {
      KeepMuster();
      return holds();
    });
  }
  // It is not started again.
  void KillMuster();
  [[nodiscard]] int restarts() const { return starts_ - 1; }
  // The first question that was not answered, or "". After Start.
  [[nodiscard]] const std::string& unanswered() const { return api_->unanswered(); }

 private:
  [[nodiscard]] std::string Make(OutageEnd::Gang gang, int members, bool spare);
  void KeepMuster();
  void LaunchAgain();

  const Programs programs_;
  const std::string plant_;
  const std::vector<std::string> muster_flags_;
  Server local_;
  Child muster_;
  bool keeps_muster_ = true;
  int starts_ = 0;
  std::int64_t next_start_ms_ = 0;  // Monotonic.
  std::unique_ptr<ApiView> api_;
  std::vector<OutageEnd::Gang> gangs_;  // Without their pods.
  std::string kind_;
};

}  // namespace muster::e2e
