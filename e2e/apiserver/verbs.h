// The verbs on objects: get, list, create, update, patch, delete. Each turns a routed request into
// the answer. Kinds differ by admit.h and deletion.h only.
#pragma once

#include "e2e/apiserver/admit.h"
#include "e2e/apiserver/backend.h"
#include "e2e/apiserver/request.h"
#include "e2e/apiserver/selectors.h"

namespace muster::e2e {

struct Call {
  Backend& backend;
  const Target& target;
  const HttpRequest& request;
};

[[nodiscard]] HttpResponse GetObject(const Call& call);
[[nodiscard]] HttpResponse ListObjects(const Call& call);
[[nodiscard]] HttpResponse CreateObject(const Call& call);
[[nodiscard]] HttpResponse UpdateObject(const Call& call);
[[nodiscard]] HttpResponse PatchObject(const Call& call);
[[nodiscard]] HttpResponse DeleteOneObject(const Call& call);
[[nodiscard]] HttpResponse DeleteObjects(const Call& call);

// The part of a create after the body is read. A cluster file comes this way too.
[[nodiscard]] Outcome<VersionPtr> StoreNew(Backend& backend, const Target& target, Json object,
                                           Admission& admission);
// The selector of a list or watch; a single object is selected by its name.
[[nodiscard]] Outcome<Selector> SelectorOf(const Target& target, const HttpRequest& request);

}  // namespace muster::e2e
