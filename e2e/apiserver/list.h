// One page of a list, read at one resourceVersion: the first page fixes it, and its continue token
// carries it, so that later pages show the same state however much was written in between. The past
// is rebuilt from the history of changes; when that is gone the answer is 410.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/request.h"
#include "e2e/apiserver/selectors.h"
#include "e2e/apiserver/store.h"

namespace muster::e2e {

struct Page {
  std::vector<VersionPtr> items{};
  std::int64_t rv = 0;
  std::string token{};  // "" = the last page.
};

// `ns` "" = all namespaces.
[[nodiscard]] Outcome<Page> ListPage(const Store& store, const Target& target,
                                     const Selector& selector, const ListOptions& options);
// {"apiVersion":..,"items":[..],"kind":"PodList","metadata":{..}}
[[nodiscard]] std::string ListText(const Kind& kind, const Page& page);

}  // namespace muster::e2e
