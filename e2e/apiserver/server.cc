#include "e2e/apiserver/server.h"

#include <utility>

#include "e2e/apiserver/backend.h"
#include "e2e/apiserver/binding.h"
#include "e2e/apiserver/discovery.h"
#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/event_view.h"
#include "e2e/apiserver/eviction.h"
#include "e2e/apiserver/load.h"
#include "e2e/apiserver/request.h"
#include "e2e/apiserver/table.h"
#include "e2e/apiserver/verbs.h"
#include "e2e/apiserver/watch.h"

namespace muster::e2e {
namespace {

// A watch of Tables gets a Table of one row per event.
std::string ObjectText(const Backend& backend, const Watch& watch, const Version& version) {
  const Kind& kind = *watch.target.kind;
  if (!watch.options.table) return TextOf(kind, version);
  Page page{.rv = version.rv};
  page.items.push_back(std::make_shared<const Version>(version));
  return TableText(kind, page,
                   {.now_ms = backend.now_ms(), .include_object = watch.options.include_object});
}

std::string BookmarkText(const Watch& watch, std::int64_t rv, bool initial_events_end) {
  if (watch.options.table && !initial_events_end)
    return TableText(*watch.target.kind, {.rv = rv}, {});
  Json meta = {{"resourceVersion", std::to_string(rv)}, {"creationTimestamp", nullptr}};
  if (initial_events_end) meta["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  return Dump({{"kind", watch.target.kind->kind},
               {"apiVersion", watch.target.kind->api_version()},
               {"metadata", std::move(meta)}});
}

// What every cluster has from the start.
void MakeDefaults(Backend& backend) {
  const auto make = [&](Builtin builtin, Json object) {
    const Kind& kind = backend.kinds.Get(builtin);
    object["apiVersion"] = kind.api_version();
    object["kind"] = kind.kind;
    Admission admission;
    const auto stored = StoreNew(backend, {.kind = &kind}, std::move(object), admission);
    MUSTER_CHECK(stored.ok());
  };
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    make(Builtin::kNamespace, {{"metadata", {{"name", name}}}});
  }
  make(Builtin::kPriorityClass,
       {{"metadata", {{"name", "system-cluster-critical"}}}, {"value", 2'000'000'000}});
  make(Builtin::kPriorityClass,
       {{"metadata", {{"name", "system-node-critical"}}}, {"value", 2'000'001'000}});
}

HttpResponse OnSubresource(const Call& call) {
  const Target& target = call.target;
  const std::string& method = call.request.method;
  if (target.kind->builtin == Builtin::kPod && target.subresource == "binding") {
    if (method != "POST") return ToResponse(MethodNotAllowed());
    return BindPod(call.backend, target, call.request);
  }
  if (target.kind->builtin == Builtin::kPod && target.subresource == "eviction") {
    if (method != "POST") return ToResponse(MethodNotAllowed());
    return EvictPod(call.backend, target, call.request);
  }
  if (target.subresource == "status" && target.kind->has_status) {
    if (method == "GET") return GetObject(call);
    if (method == "PUT") return UpdateObject(call);
    if (method == "PATCH") return PatchObject(call);
    return ToResponse(MethodNotAllowed());
  }
  return ToResponse(
      Plain(404, "NotFound",
            "this server does not serve " + target.kind->resource() + "/" + target.subresource));
}

HttpResponse OnObjects(const Call& call) {
  const Target& target = call.target;
  const std::string& method = call.request.method;
  const bool one = !target.name.empty();
  if (method == "GET") return one ? GetObject(call) : ListObjects(call);
  if (target.kind->builtin == Builtin::kCrd) {
    return ToResponse(MethodNotAllowed("custom resource definitions of this server are read-only"));
  }
  const bool in_all_namespaces = target.kind->namespaced && target.ns.empty();
  if (in_all_namespaces) return ToResponse(MethodNotAllowed());
  if (method == "POST" && !one) return CreateObject(call);
  if (method == "DELETE") return one ? DeleteOneObject(call) : DeleteObjects(call);
  if (method == "PUT" && one) return UpdateObject(call);
  if (method == "PATCH" && one) return PatchObject(call);
  return ToResponse(MethodNotAllowed());
}

HttpResponse AnswerRequest(Backend& backend, const HttpRequest& request) {
  const auto target = Route(backend.kinds, request.path);
  if (!target) {
    const bool reads = request.method == "GET";
    auto answer = reads ? AnswerDiscovery(backend.kinds, request) : std::nullopt;
    return answer ? *std::move(answer) : PageNotFound();
  }
  if (Refusal refusal = CheckAccept(request)) return ToResponse(*refusal);
  const Call call{.backend = backend, .target = *target, .request = request};
  return target->subresource.empty() ? OnObjects(call) : OnSubresource(call);
}

}  // namespace

struct ApiServer::State {
  State(Options options, std::function<std::int64_t()> now_ms)
      : backend(options.watch_history, options.uid_seed, std::move(now_ms)),
        hub(
            backend.store,
            [this](const Watch& watch, const Version& version) {
              return ObjectText(backend, watch, version);
            },
            &BookmarkText) {
    MakeDefaults(backend);
    backend.store.OnChange(
        [this](std::size_t storage, const Change& change) { hub.OnChange(storage, change); });
  }
  Backend backend;
  WatchHub hub;
};

ApiServer::ApiServer(Options options, std::function<std::int64_t()> now_ms)
    : state_(std::make_unique<State>(options, std::move(now_ms))) {}
ApiServer::~ApiServer() = default;

std::string ApiServer::LoadCrds(const std::string& folder) {
  return e2e::LoadCrds(state_->backend, folder);
}

std::string ApiServer::LoadObjects(const std::string& file) {
  return e2e::LoadObjects(state_->backend, file);
}

HttpResponse ApiServer::Handle(const HttpRequest& request) {
  // The JSON library throws where a value has a type that nobody thought of: one request fails.
  try {
    return AnswerRequest(state_->backend, request);
  } catch (const Json::exception& error) {
    return ToResponse(Plain(500, "InternalError", error.what()));
  }
}

ApiServer::Subscription ApiServer::Subscribe(const HttpRequest& request, Sink sink,
                                             std::function<void()> end) {
  auto target = Route(state_->backend.kinds, request.path);
  if (!target) return {.answer = PageNotFound()};
  if (request.method != "GET" || !target->subresource.empty()) {
    return {.answer = ToResponse(MethodNotAllowed())};
  }
  auto options = ParseListOptions(request);
  if (!options.ok()) return {.answer = ToResponse(options.error())};
  auto selector = SelectorOf(*target, request);
  if (!selector.ok()) return {.answer = ToResponse(selector.error())};
  Watch watch{.target = *std::move(target),
              .selector = std::move(selector.value()),
              .options = std::move(options.value()),
              .sink = std::move(sink),
              .end = std::move(end)};
  if (const Refusal refusal = state_->hub.CanStart(watch)) return {.answer = ToResponse(*refusal)};
  return {.answer = Answer(200, ""), .id = state_->hub.Start(std::move(watch))};
}

void ApiServer::Unsubscribe(std::uint64_t id) {
  state_->hub.Stop(id);
}
void ApiServer::Bookmark() {
  state_->hub.Bookmark();
}
void ApiServer::EndWatches() {
  state_->hub.EndAll();
}
void ApiServer::Compact() {
  state_->backend.store.ForgetHistory();
}

class ApiServer::Snapshot {
 public:
  std::vector<Objects> objects;
};

std::shared_ptr<const ApiServer::Snapshot> ApiServer::Save() const {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->objects = state_->backend.store.Save();
  return snapshot;
}

void ApiServer::Restore(const Snapshot& then) {
  state_->backend.store.Restore(then.objects);
}

void WatchAll(ApiServer& server, const std::string& path, ApiServer::Sink sink) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  request.query = {{"watch", "1"}};
  MUSTER_CHECK(server.Subscribe(request, std::move(sink), []() {}).id != 0);
}

}  // namespace muster::e2e
