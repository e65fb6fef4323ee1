// Planted faults, each with the scripted schedule that must show it. They are planted on the wire
// or in a plugin of the operator's policy, so that the product carries none. A simulation that
// stays green under one of them sees nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace muster::e2e {

struct Canary {
  std::string name;
  std::string says;  // What a violation of it must contain: the checker, and what it found.
  // Plays the schedule; returns what was violated. Without the fault that is nothing.
  std::function<std::vector<std::string>(bool planted)> play;
};

// All of them. `crds_folder`: crds/*.yaml.
[[nodiscard]] std::vector<Canary> Canaries(const std::string& crds_folder);

// Of what has to come about: gangs run, wake-ups come, nodes and queues are not overrun.
[[nodiscard]] std::vector<Canary> ProgressCanaries(const std::string& crds_folder);
// Of what is sent: journal, preconditions, the answers to a Binding.
[[nodiscard]] std::vector<Canary> RequestCanaries(const std::string& crds_folder);
// Of a change of leader: the fence, the lists, what a former leader still does.
[[nodiscard]] std::vector<Canary> LeaderCanaries(const std::string& crds_folder);
// Of what users are told.
[[nodiscard]] std::vector<Canary> ReasonCanaries(const std::string& crds_folder);
// Of where members are put: in the domain that their gang requires.
[[nodiscard]] std::vector<Canary> DomainCanaries(const std::string& crds_folder);
// Of what is decided: two cores over the same inputs decide the same.
[[nodiscard]] std::vector<Canary> OrderCanaries(const std::string& crds_folder);

}  // namespace muster::e2e
