// The controllers as one thing: the composition of informers, scheduling loop, journal, binder and
// status writers that both the process and the simulation run. Everything happens on the loop
// thread; after the destructor the ports may not call back (whoever ends a Manager drops what its
// ports still hold).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "controllers/leader_election.h"
#include "controllers/page_fence.h"
#include "controllers/pod_condition_writer.h"
#include "controllers/ports/api.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"
#include "scheduler/framework/policy.h"
#include "scheduler/model/event.h"
#include "scheduler/solve/scheduler.h"

namespace muster::controllers {

// Hears what the core is given, and what it decided, in order: for whoever holds a second core
// against it. Both may be empty.
struct CoreObserver {
  std::function<void(const scheduler::Event& event)> applied;
  std::function<void(Now now, scheduler::Budget budget, const scheduler::Decision& decision)>
      decided;
};

struct ManagerOptions {
  std::string scheduler_name = "muster";
  std::string ns = "muster-system";  // Where the journal's pages are.
  std::string holder;                // Identity of this instance; never empty.
  // Of the same identity. nullopt: the only instance, which leads from the start.
  std::optional<LeaderElection> election = std::nullopt;
  std::int32_t pages = kPagesDefault;  // That take new entries.
  // What a list takes for each object, about: a standby that leads waits no longer than that for
  // its watches, then it lists. Only speed depends on it.
  std::int64_t list_us = 100;
  std::int32_t bind_in_flight = 32;
  // So long a gang has waited before its pods are told (pod_condition_writer.h).
  std::int64_t pod_grace_ms = kPodGraceMs;
  scheduler::Policy policy = scheduler::DefaultPolicy();
  CoreObserver observer = {};
};

class Manager {
 public:
  struct Ports {
    ports::Api& api;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
  };
  // Called at most once: the lease is lost, another leader has written a page, or a page cannot be
  // read. Nothing is sent after it; the process exits.
  using Fatal = std::function<void(const std::string& why)>;

  Manager(Ports ports, ManagerOptions options, Fatal fatal);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // `ready` runs once, when it is synced for the first time. Before Start.
  void OnReady(std::function<void()> ready);
  // Waits until it leads, and meanwhile keeps what its watches show; then fences the journal, lists
  // what it does not have, takes over what the pages name, decides.
  void Start();
  // A clean end: nothing new is sent but that the lease is given back, then `done`.
  void Stop(std::function<void()> done);
  [[nodiscard]] bool leading() const;
  // Whose the lease is, as last seen; "" = nobody's, or there is no election.
  [[nodiscard]] std::string leader() const;
  // The first Decide has run, and every watched kind is followed: nothing is decided while one is
  // not.
  [[nodiscard]] bool synced() const;

  // Hands to telemetry what is counted when asked for alone: the pods that wait, what the nodes
  // offer. Nothing before the first decision. O(gangs + nodes).
  void ShowTotals() const;
  // The last decision about a gang, with the numbers of now. single_pod: the key is a pod's, and
  // the gang that it belongs to is seen from there. nullopt: no such PodGroup, no such pod of ours.
  [[nodiscard]] std::optional<scheduler::Explanation> Explain(const scheduler::Key& key) const;
  // How long the Decide took that last changed what there is to say about the gang; 0 = unknown.
  [[nodiscard]] std::int64_t DecisionMicros(const scheduler::Key& gang) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::controllers
