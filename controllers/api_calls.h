// Every request of the binding protocol and of the start, made from typed values. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "controllers/ports/api.h"
#include "crds/binding_journal.h"
#include "crds/encode.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

// POST pods/NAME/binding, bounded on the server to 5 s from its receipt.
[[nodiscard]] ports::Request BindPod(const crds::Binding& binding);
// A consistent read: no resourceVersion. In the lane of the write that it follows.
[[nodiscard]] ports::Request GetPod(const scheduler::Key& pod, ports::Lane lane);
// PATCH pods/NAME/status with one condition (strategic merge), in the removal lane.
[[nodiscard]] ports::Request PatchPodCondition(const scheduler::Key& pod,
                                               const crds::PodConditionPatch& patch);
// DELETE pods/NAME, this uid only.
[[nodiscard]] ports::Request DeletePod(const scheduler::Key& pod, const scheduler::Uid& uid);

// A consistent list of one item, for the version of the whole kind.
[[nodiscard]] ports::Request ListOne(const ports::Resource& resource);

// The pages of the journal, in namespace `ns`.
[[nodiscard]] ports::Request ListPages(const std::string& ns);
[[nodiscard]] ports::Request GetPage(const std::string& ns, const std::string& name);
[[nodiscard]] ports::Request CreatePage(const crds::BindingJournal& page);
[[nodiscard]] ports::Request PutPage(const crds::BindingJournal& page);  // At its resourceVersion.

// "p-07".
[[nodiscard]] std::string PageName(std::int32_t index);

}  // namespace muster::controllers
