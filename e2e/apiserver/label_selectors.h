// metav1.LabelSelector as workloads carry it: whether it selects labels, and its text in columns.
#pragma once

#include <string>

#include "e2e/apiserver/json.h"

namespace muster::e2e {

// `labels` may be null: no labels. A selector of unknown form selects nothing.
[[nodiscard]] bool SelectsLabels(const Json& selector, const Json* labels);
// metav1.FormatLabelSelector: "a=b,tier in (x,y)", "<none>" for one that is empty.
[[nodiscard]] std::string LabelSelectorText(const Json* selector);
[[nodiscard]] bool IsEmptySelector(const Json& selector);

}  // namespace muster::e2e
