// Brings one member of a Bind entry to its node. The page that names it is stored before it comes
// here. Any answer but 201 is no verdict: the pod is read, and what it shows decides.
//
// When the turn of its request comes, pod, node and PodGroup are looked up once more in the state
// of the loop: nothing is sent for what has changed under the plan.
//
//       looked up, POST     201
//   ready ---------> posted -----------------------------------------> kBound
//     ^ ^              | else                                            ^
//     | |              v             our node, by us                     |
//     | |            asking (GET) ---------------------------------------+
//     | |              |-- another node, or not by us ----------------> kElsewhere
//     | |              |-- 404, another uid, or on its way out --------> kLost
//     | |              |-- refused for good three times ---------------> Failed (the whole entry)
//     | `--- paused <--|-- no node
//     `-- amending <---'-- no node, and it changed: the page names the new resourceVersion first
//
// Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "controllers/answer.h"
#include "controllers/entry.h"
#include "controllers/journal.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"
#include "controllers/stores.h"
#include "controllers/writer.h"
#include "crds/pod.h"

namespace muster::controllers {

class BindStep {
 public:
  enum class Fault : std::uint8_t {
    kRefused,   // By the API server, for good.
    kStale,     // The world changed under the plan of the whole gang.
    kNoMember,  // Only this one is not to be bound for the gang any more.
    kNodeLost,  // Only its node is not what it was: elsewhere it may be bound as ever.
  };
  struct World {
    Writer& writer;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    Journal& journal;
    EntryTable& table;
    const Stores& stores;
    // The member left kOpen by what the API server said.
    std::function<void(Entry&, Member&)> resolved;
    std::function<void(Entry&, Member&, Fault, const std::string& text)> failed;
  };
  explicit BindStep(World world) : world_(std::move(world)) {}

  // POST at the resourceVersion that the page names.
  void Start(Entry& entry, Member& member);

 private:
  using Ref = EntryTable::Ref;
  using Answer = Result<ports::Response>;

  void OnPosted(const Ref& ref, const Answer& answer);
  static void NoteRefusal(Member& member, const Verdict& verdict);
  void Ask(const Ref& ref);
  void OnAsked(const Ref& ref, const Answer& answer);
  void Look(Entry& entry, Member& member, const crds::Pod& pod);
  void SendAgain(Entry& entry, Member& member, const std::string& version);
  // The pod is at another version than the page names: into the page, then POST.
  void Amend(Entry& entry, Member& member, const std::string& version);
  void AskLater(Entry& entry, Member& member);
  void Resolve(Entry& entry, Member& member, MemberState state) const;
  void Pause(Entry& entry, Member& member, void (BindStep::*step)(const Ref&));
  void Post(const Ref& ref);
  [[nodiscard]] std::optional<ports::Request> MakePost(const Ref& ref);
  [[nodiscard]] bool LookUp(Entry& entry, Member& member);
  void Fail(Entry& entry, Member& member, Fault fault, const std::string& text) const;

  World world_;
};

}  // namespace muster::controllers
