// One case's world: a cluster of eight nodes, a gang of eight whose members take a node each, the
// served API server and the real operator, with the questions that the cases ask of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "e2e/harness/client.h"
#include "e2e/harness/servers.h"

namespace muster::e2e {

inline constexpr int kMembers = 8;

struct Member {
  std::string name, uid, node;
  bool terminating = false, touched = false;
};

class KillWorld {
 public:
  // `plant`: a fault for muster-local, "" = none.
  KillWorld(Programs programs, std::string plant)
      : programs_(std::move(programs)), plant_(std::move(plant)) {}

  // Both programs run. "" = done, else what went wrong; so everywhere below.
  [[nodiscard]] std::string Start();
  [[nodiscard]] std::string StartMusterAgain();
  void KillMuster();
  // `when` as muster-local's hook takes it.
  [[nodiscard]] std::string Arm(const std::string& when, int at);
  void Disarm();
  [[nodiscard]] bool WaitKilled(std::int64_t patience_ms);
  // The answer's code to the held Binding; 0 = nothing was held.
  [[nodiscard]] std::int64_t ReleaseHeld();
  [[nodiscard]] std::string HeldPod();
  // Codes of 201 per pod's uid, and the nodes that were named with them.
  [[nodiscard]] std::map<std::string, std::multiset<std::string>> Accepted();

  [[nodiscard]] std::string MakeGang();
  // The members that are not there.
  [[nodiscard]] std::string MakeMissing();
  [[nodiscard]] std::string AddNode(const std::string& name, bool with_model);
  void DeleteNode(const std::string& name);
  [[nodiscard]] std::string AddUrgentPod(const std::string& node);
  [[nodiscard]] bool UrgentPodIsBound();

  [[nodiscard]] std::vector<Member> Gang();
  [[nodiscard]] std::int64_t Bound();
  [[nodiscard]] std::set<std::string> Nodes();
  // Planned nodes by the pods' uids, from the pages.
  [[nodiscard]] std::map<std::string, std::string> Plan();
  [[nodiscard]] bool PagesAreEmpty();
  // The first question above that the API server did not answer, or "": until here it passed for
  // "nothing there".
  [[nodiscard]] const std::string& unanswered() const { return unanswered_; }

 private:
  [[nodiscard]] Json Items(const std::string& path);
  [[nodiscard]] std::string Create(const std::string& path, const Json& object);

  const Programs programs_;
  const std::string plant_;
  Server local_, muster_;
  std::unique_ptr<Client> api_;
  std::string unanswered_;
};

}  // namespace muster::e2e
