#include <utility>

#include "e2e/apiserver/event_view.h"
#include "e2e/apiserver/list.h"
#include "e2e/apiserver/table.h"
#include "e2e/apiserver/verbs.h"

namespace muster::e2e {

Outcome<Selector> SelectorOf(const Target& target, const HttpRequest& request) {
  std::string fields = Param(request, "fieldSelector");
  if (!target.name.empty()) {
    fields += (fields.empty() ? "metadata.name=" : ",metadata.name=") + target.name;
  }
  return Selector::Parse(*target.kind, Param(request, "labelSelector"), fields);
}

namespace {

HttpResponse ShowTable(const Call& call, const Page& page) {
  return Answer(200, TableText(*call.target.kind, page,
                               {.now_ms = call.backend.now_ms(),
                                .include_object = Param(call.request, "includeObject")}));
}

}  // namespace

HttpResponse GetObject(const Call& call) {
  const Kind& kind = *call.target.kind;
  const VersionPtr found = call.backend.Find(kind, call.target.ns, call.target.name);
  if (found == nullptr) return ToResponse(NotFound(kind, call.target.name));
  if (WantsTable(call.request)) return ShowTable(call, {.items = {found}, .rv = found->rv});
  return Answer(200, TextOf(kind, *found));
}

HttpResponse ListObjects(const Call& call) {
  auto options = ParseListOptions(call.request);
  if (!options.ok()) return ToResponse(options.error());
  auto selector = SelectorOf(call.target, call.request);
  if (!selector.ok()) return ToResponse(selector.error());
  auto page = ListPage(call.backend.store, call.target, selector.value(), options.value());
  if (!page.ok()) return ToResponse(page.error());
  if (options.value().table) return ShowTable(call, page.value());
  return Answer(200, ListText(*call.target.kind, page.value()));
}

}  // namespace muster::e2e
