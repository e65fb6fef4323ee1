// What a sample may do and state, by the name that its sample.yaml uses. Verdicts are read from the
// API server; the operator's own /explain only adds the numbers behind them.
#pragma once

#include <cstdint>
#include <string_view>

#include "e2e/demo/stage.h"

namespace muster::e2e {

using Step = Outcome (*)(Stage& stage, const Json& step);

// Null when there is no such step.
[[nodiscard]] Step FindStep(std::string_view name);

// nodes: the table of nodes, free GPUs and models.
[[nodiscard]] Outcome ShowNodes(Stage& stage, const Json& step);
// apply {file}: kubectl apply.
[[nodiscard]] Outcome ApplyFile(Stage& stage, const Json& step);
// pod-bound {pod, node, [scores], [woken]}.
[[nodiscard]] Outcome PodIsBound(Stage& stage, const Json& step);
// pod-waits {pod, message}: the text of its FailedScheduling event.
[[nodiscard]] Outcome PodWaits(Stage& stage, const Json& step);
// pod-ends {pod}.
[[nodiscard]] Outcome PodEnds(Stage& stage, const Json& step);
// gang-bound {gang, members, [decision], [recovered]}.
[[nodiscard]] Outcome GangIsBound(Stage& stage, const Json& step);
// gang-in-rack {gang, members, rack, [free]}: all of it in that rack, which is the tightest that
// fits.
[[nodiscard]] Outcome GangIsInRack(Stage& stage, const Json& step);
// gang-waits {gang, members, message}: the PodGroup's status.message.
[[nodiscard]] Outcome GangWaits(Stage& stage, const Json& step);
// kill-at-binding {gang, members, at, after-gang}: SIGKILL at that Binding, then a new start.
[[nodiscard]] Outcome KillAtBinding(Stage& stage, const Json& step);
// no-gang-rests {members}: of the whole sample so far.
[[nodiscard]] Outcome NoGangRests(Stage& stage, const Json& step);

// That the pod asks for, by the limits of its containers.
[[nodiscard]] std::int64_t GpusOf(const Json& pod);

// expect.yaml: {object, path, value}.
[[nodiscard]] Outcome ObjectIs(Stage& stage, const Json& expected);

}  // namespace muster::e2e
