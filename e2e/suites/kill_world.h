// One case's world: a cluster of eight nodes, a gang of eight whose members take a node each, the
// served API server and the real operator, with the questions that the cases ask of them.
#pragma once

#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "e2e/harness/client.h"
#include "e2e/harness/servers.h"
#include "e2e/suites/api_view.h"
#include "e2e/suites/crowd.h"

namespace muster::e2e {

inline constexpr int kMembers = 8;

struct Member {
  std::string name, uid, node;
  bool terminating = false;
};

// The answer to the held Binding; code 0 = nothing was held.
struct Released {
  std::int64_t code = 0;
  std::string body;
};

class KillWorld {
 public:
  // The plant that is no fault for muster-local: the operator does nothing once it was killed.
  static constexpr const char* kNotStartedAgain = "not-started-again";

  // `plant`: "" = none.
  KillWorld(Programs programs, std::string plant)
      : programs_(std::move(programs)), plant_(std::move(plant)) {}

  // Both programs run. "" = done, else what went wrong; so everywhere below.
  [[nodiscard]] std::string Start();
  [[nodiscard]] std::string StartMusterAgain();
  [[nodiscard]] std::string KillMuster();
  // A second operator, which stands by; none with kNotStartedAgain. In a crowd it has that much to
  // list that it goes by what it has kept.
  [[nodiscard]] std::string StartStandby(bool in_a_crowd = false);
  // It has.
  [[nodiscard]] std::string WentByWhatItKept() const;
  // After the hook has stopped the first.
  void ContinueMuster();
  [[nodiscard]] bool WaitEnded(std::int64_t patience_ms) { return WaitKilled(patience_ms); }
  [[nodiscard]] std::string DeleteLease();
  [[nodiscard]] std::string LeaseHolder();
  // `when` as muster-local's hook takes it.
  [[nodiscard]] std::string Arm(const std::string& when, int at, int signal = SIGKILL);
  [[nodiscard]] bool WaitStopped(std::int64_t patience_ms);
  [[nodiscard]] std::string Disarm();
  [[nodiscard]] bool WaitKilled(std::int64_t patience_ms);
  [[nodiscard]] Released ReleaseHeld();
  [[nodiscard]] std::string HeldPod();
  [[nodiscard]] auto Accepted() { return api_->Accepted(); }

  [[nodiscard]] std::string MakeGang();
  // The members that are not there.
  [[nodiscard]] std::string MakeMissing();
  [[nodiscard]] std::string AddNode(const std::string& name, bool with_model);
  [[nodiscard]] std::string DeleteNode(const std::string& name);
  [[nodiscard]] std::string AddUrgentPod(const std::string& node);
  // It has no node, and says so.
  [[nodiscard]] bool UrgentPodWaits();

  [[nodiscard]] std::vector<Member> Gang();
  [[nodiscard]] std::string GangMessage();  // Of its status.
  // Members with a node, but for those that are being deleted.
  [[nodiscard]] std::int64_t Bound();
  // A member's unbound pod was touched by the end of an entry, ever.
  [[nodiscard]] bool WasTouched(const std::string& name);
  [[nodiscard]] auto Nodes() { return api_->Nodes(); }
  // Planned nodes by the pods' uids, from the pages.
  [[nodiscard]] std::map<std::string, std::string> Plan();
  [[nodiscard]] bool PagesAreEmpty() { return api_->PagesAreEmpty(); }
  // The first question above that the API server did not answer, or "". After Start.
  [[nodiscard]] const std::string& unanswered() const { return api_->unanswered(); }

 private:
  [[nodiscard]] std::string RunMuster();
  void Watch();

  const Programs programs_;
  const std::string plant_;
  Server local_, muster_, second_;
  std::unique_ptr<ApiView> api_;
  std::unique_ptr<Crowd> crowd_;
  std::mutex mutex_;  // Guards what follows.
  std::set<std::string> touched_;
  // Last: ends before what its thread writes to.
  std::unique_ptr<WatchStream> watch_;
};

}  // namespace muster::e2e
