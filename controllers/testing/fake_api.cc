#include "controllers/testing/fake_api.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "controllers/testing/manual_loop.h"
#include "controllers/testing/names.h"
#include "crds/decode.h"
#include "crds/encode.h"
#include "crds/lease.h"
#include "scheduler/base/check.h"

namespace muster::controllers::testing {
namespace {

ports::Response Status(std::int32_t code, const std::string& reason, const std::string& message) {
  return {.status = code, .body = StatusBody(reason, message), .retry_after_ms = {}};
}

ports::Response Ok(std::int32_t code, std::string body) {
  return {.status = code, .body = std::move(body), .retry_after_ms = {}};
}

std::string NameOf(const crds::Object& object) {
  return std::visit(
      [](const auto& typed) -> std::string {
        if constexpr (requires { typed.meta; }) {
          return typed.meta.ns + "/" + typed.meta.name;
        } else {
          return "";
        }
      },
      object);
}

bool Begins(std::string_view text, std::string_view with) {
  return text.starts_with(with);
}

}  // namespace

std::string Describe(const ports::Request& request) {
  static constexpr std::array<const char*, 6> kVerbs = {"GET", "LIST",  "POST",
                                                        "PUT", "PATCH", "DELETE"};
  std::string text = kVerbs.at(static_cast<std::size_t>(request.verb));
  text += " " + request.resource.plural;
  if (!request.name.empty()) text += "/" + request.name;
  if (!request.subresource.empty()) text += "/" + request.subresource;
  return text;
}

std::string TextField(const std::string& json, const std::string& key) {
  const std::string mark = "\"" + key + "\":\"";
  const std::size_t at = json.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + mark.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

std::string StatusBody(const std::string& reason, const std::string& message) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" + reason +
         R"(","message":")" + message + R"("})";
}

std::string UidMismatchBody() {
  return R"({"kind":"Status","reason":"Invalid","message":"field is immutable","details":{)"
         R"("causes":[{"reason":"FieldValueInvalid","field":"metadata.uid"}]}})";
}

std::string NamespaceTerminatingBody() {
  return R"({"kind":"Status","reason":"Forbidden","message":"is being terminated","details":{)"
         R"("causes":[{"reason":"NamespaceTerminating","field":"metadata.namespace"}]}})";
}

std::string PodBody(const std::string& name, const FakeApi::Pod& pod) {
  std::string text =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"default","name":")" + name +
      R"(","uid":")" + pod.uid + R"(","resourceVersion":")" + std::to_string(pod.version) + "\"";
  if (pod.deleting) text += R"(,"deletionTimestamp":"2026-09-01T00:00:00Z")";
  if (!pod.journal.empty()) {
    text += R"(,"annotations":{"muster.dev/journal":")" + pod.journal + "\"";
    if (!pod.group_uid.empty())
      text += R"(,"muster.dev/admitted-group-uid":")" + pod.group_uid + "\"";
    text += "}";
  }
  text += R"(},"spec":{"schedulerName":"muster","containers":[{"name":"c"}])";
  if (!pod.node.empty()) text += R"(,"nodeName":")" + pod.node + "\"";
  return text + R"(},"status":{"phase":")" + pod.phase + "\"}}";
}

crds::Pod PodObject(const std::string& name, const FakeApi::Pod& stored, const std::string& group) {
  crds::Pod pod;
  pod.meta.name = name;
  pod.meta.ns = "default";
  pod.meta.uid = stored.uid;
  pod.meta.resource_version = std::to_string(stored.version);
  if (group.empty()) {
    pod.meta.labels["muster.dev/queue"] = "q";
  } else {
    pod.meta.labels["muster.dev/pod-group"] = group;
  }
  if (!stored.journal.empty()) {
    pod.meta.annotations["muster.dev/journal"] = stored.journal;
    pod.meta.annotations["muster.dev/admitted-queue"] = "q";
    if (!stored.group_uid.empty()) {
      pod.meta.annotations["muster.dev/admitted-group-uid"] = stored.group_uid;
    }
  }
  if (stored.deleting) pod.meta.deletion_ms = ManualLoop::kWallStartMs;
  pod.scheduler_name = "muster";
  pod.phase = "Pending";
  pod.node_name = stored.node;
  pod.containers = {{.name = "c", .requests = {{kGpu, 4'000}}}};
  return pod;
}

void FakeApi::Call(ports::Request request, Done done) {
  const std::string what = Describe(request);
  log_.push_back(what);
  bodies_.push_back(request.body);
  const auto fault = std::ranges::find_if(
      faults_, [&what](const Fault& known) { return Begins(what, known.what); });
  if (fault == faults_.end()) return Reply(done, Apply(request));
  const Fault hit = std::move(*fault);
  faults_.erase(fault);
  const Error none{Code::kUnavailable, "the connection was closed"};
  switch (hit.kind) {
    case Kind::kHold:
      held_.push_back({.what = what, .request = std::move(request), .done = std::move(done)});
      return;
    case Kind::kLoseAnswer:
      (void)Apply(request);
      return Reply(done, none);
    case Kind::kLoseRequest:
      lost_.push_back({.what = what, .request = std::move(request), .done = {}});
      return Reply(done, none);
    case Kind::kRefuse:
      return Reply(done, hit.answer);
  }
}

void FakeApi::ListAndWatch(ports::Resource resource, Decode decode, Sink sink) {
  log_.push_back("WATCH " + resource.plural);
  bodies_.emplace_back();
  (void)decode;
  loop_.Post([this, plural = resource.plural, sink] {
    sinks_[plural] = sink;
    for (const auto& [name, object] : listed_[plural]) {
      Emit(plural, ports::WatchEvent::Type::kListed, object);
    }
    Emit(plural, ports::WatchEvent::Type::kListEnd, {});
  });
}

void FakeApi::Emit(const std::string& plural, ports::WatchEvent::Type type, crds::Object object) {
  ports::WatchEvent event;
  event.type = type;
  event.object = std::move(object);
  const crds::ObjectMeta* meta = crds::MetaOf(event.object);
  event.resource_version = meta != nullptr ? meta->resource_version : std::to_string(version_);
  sinks_.at(plural)(std::move(event));
}

void FakeApi::Show(const std::string& plural, crds::Object object) {
  listed_[plural][NameOf(object)] = object;
  if (!sinks_.contains(plural)) return;
  Emit(plural, ports::WatchEvent::Type::kModified, std::move(object));
}

void FakeApi::ShowDeleted(const std::string& plural, crds::Object object) {
  listed_[plural].erase(NameOf(object));
  if (!sinks_.contains(plural)) return;
  Emit(plural, ports::WatchEvent::Type::kDeleted, std::move(object));
}

void FakeApi::ListAnew(const std::string& plural) {
  Emit(plural, ports::WatchEvent::Type::kLost, {});
  for (const auto& [name, object] : listed_[plural]) {
    Emit(plural, ports::WatchEvent::Type::kListed, object);
  }
  Emit(plural, ports::WatchEvent::Type::kListEnd, {});
}

void FakeApi::Reply(const Done& done, const Result<ports::Response>& answer) {
  loop_.Post([done, answer] { done(answer); });
}

FakeApi::Pod& FakeApi::AddPod(const std::string& name, const std::string& uid) {
  Pod& pod = pods_[name];
  pod = Pod{};
  pod.uid = uid;
  pod.version = ++version_;
  return pod;
}

void FakeApi::Change(const std::string& name) {
  pods_.at(name).version = ++version_;
}

void FakeApi::Bind(const std::string& name, const std::string& node) {
  pods_.at(name).node = node;
  Change(name);
}

void FakeApi::BindAs(const std::string& place, const std::string& name, const std::string& node) {
  pods_.at(name).journal = place;
  Bind(name, node);
}

void FakeApi::AddPage(crds::BindingJournal page) {
  page.meta.resource_version = Version();
  pages_[page.meta.name] = std::move(page);
}

void FakeApi::Hold(std::string what) {
  faults_.push_back({.kind = Kind::kHold, .what = std::move(what), .answer = {}});
}

void FakeApi::LoseAnswer(std::string what) {
  faults_.push_back({.kind = Kind::kLoseAnswer, .what = std::move(what), .answer = {}});
}

void FakeApi::LoseRequest(std::string what) {
  faults_.push_back({.kind = Kind::kLoseRequest, .what = std::move(what), .answer = {}});
}

void FakeApi::Refuse(std::string what, std::int32_t status, std::string body) {
  faults_.push_back(
      {.kind = Kind::kRefuse, .what = std::move(what), .answer = Ok(status, std::move(body))});
}

void FakeApi::Release(const std::string& what) {
  const Parked parked = TakeParked(held_, what);
  Reply(parked.done, Apply(parked.request));
}

ports::Response FakeApi::TakeEffect(const std::string& what) {
  return Apply(TakeParked(lost_, what).request);
}

FakeApi::Parked FakeApi::TakeParked(std::deque<Parked>& from, const std::string& what) {
  const auto found = std::ranges::find_if(
      from, [&what](const Parked& parked) { return Begins(parked.what, what); });
  MUSTER_CHECK(found != from.end());
  Parked parked = std::move(*found);
  from.erase(found);
  return parked;
}

std::int64_t FakeApi::Count(std::string_view what) const {
  return std::ranges::count_if(log_,
                               [what](const std::string& sent) { return Begins(sent, what); });
}

std::string FakeApi::Body(std::string_view what) const {
  for (std::size_t i = log_.size(); i-- > 0;) {
    if (Begins(log_[i], what)) return bodies_[i];
  }
  return {};
}

void FakeApi::ClearLog() {
  log_.clear();
  bodies_.clear();
}

ports::Response FakeApi::Apply(const ports::Request& request) {
  if (request.query == "limit=1") {
    return Ok(200, R"({"metadata":{"resourceVersion":")" + std::to_string(version_) +
                       R"(","continue":"more"},"items":[]})");
  }
  if (request.resource.plural == "pods") return ApplyPod(request);
  if (request.resource.plural == "bindingjournals") return ApplyPage(request);
  if (request.resource.plural == "leases") return ApplyLease(request);
  return Ok(200, "{}");  // Events and status of our kinds: nothing here depends on them.
}

ports::Response FakeApi::ApplyPod(const ports::Request& request) {
  const auto found = pods_.find(request.name);
  if (found == pods_.end()) return Status(404, "NotFound", "pods not found");
  if (!found->second.gone_body.empty()) return Ok(403, found->second.gone_body);
  switch (request.verb) {
    case ports::Verb::kCreate:
      return ApplyBinding(request, found->second);
    case ports::Verb::kPatch:
      return ApplyPatch(request, found->second);
    case ports::Verb::kDelete:
      return ApplyDelete(request, found->second);
    default:
      return Ok(200, PodBody(request.name, found->second));
  }
}

ports::Response FakeApi::ApplyBinding(const ports::Request& request, Pod& pod) {
  const std::string version = TextField(request.body, "resourceVersion");
  if (TextField(request.body, "uid") != pod.uid) return Status(409, "Conflict", "uid");
  if (!version.empty() && version != std::to_string(pod.version)) {
    return Status(409, "Conflict", "Precondition failed: ResourceVersion in precondition");
  }
  if (pod.deleting) return Status(409, "Conflict", "is being deleted");
  if (!pod.node.empty()) return Status(409, "Conflict", "already assigned to node");
  const std::size_t target = request.body.find("\"target\"");
  pod.node = TextField(request.body.substr(target), "name");
  pod.journal = TextField(request.body, "muster.dev/journal");
  pod.group_uid = TextField(request.body, "muster.dev/admitted-group-uid");
  pod.version = ++version_;
  return Ok(201, R"({"kind":"Status","status":"Success","code":201})");
}

ports::Response FakeApi::ApplyPatch(const ports::Request& request, Pod& pod) {
  const std::string version = TextField(request.body, "resourceVersion");
  if (TextField(request.body, "uid") != pod.uid) return Ok(422, UidMismatchBody());
  if (!version.empty() && version != std::to_string(pod.version)) {
    return Status(409, "Conflict", "the object has been modified");
  }
  const std::string condition = TextField(request.body, "message");
  if (condition != pod.condition) pod.version = ++version_;
  pod.condition = condition;
  return Ok(200, PodBody(request.name, pod));
}

ports::Response FakeApi::ApplyDelete(const ports::Request& request, Pod& pod) {
  if (TextField(request.body, "uid") != pod.uid) return Status(409, "Conflict", "the UID");
  const std::string body = PodBody(request.name, pod);
  if (pod.node.empty()) {
    pods_.erase(request.name);
    return Ok(200, body);
  }
  pod.deleting = true;
  pod.version = ++version_;
  return Ok(200, PodBody(request.name, pod));
}

void FakeApi::SetLease(const std::string& holder) {
  crds::Lease lease;
  lease.holder = holder;
  lease.duration_seconds = 15;
  lease.renew_time = Version();
  lease_ = crds::EncodeLease(lease);
}

ports::Response FakeApi::ApplyLease(const ports::Request& request) {
  if (request.verb != ports::Verb::kGet) lease_ = request.body;
  return lease_.empty() ? Status(404, "NotFound", "lease not found") : Ok(200, lease_);
}

ports::Response FakeApi::ApplyPage(const ports::Request& request) {
  if (!pages_served_) return Ok(404, "404 page not found\n");
  if (request.verb == ports::Verb::kList) {
    std::string items;
    for (const auto& [name, page] : pages_) {
      items += (items.empty() ? "" : ",") + crds::EncodeBindingJournal(page);
    }
    return Ok(200, R"({"kind":"BindingJournalList","metadata":{"resourceVersion":"1"},"items":[)" +
                       items + "]}");
  }
  if (request.verb != ports::Verb::kGet) return PutPage(request);
  const auto found = pages_.find(request.name);
  if (found == pages_.end()) return Status(404, "NotFound", "page not found");
  return Ok(200, crds::EncodeBindingJournal(found->second));
}

ports::Response FakeApi::PutPage(const ports::Request& request) {
  auto page = crds::DecodeBindingJournal(request.body);
  MUSTER_CHECK(page.ok());
  const auto found = pages_.find(page.value().meta.name);
  const bool there = found != pages_.end();
  if (request.verb == ports::Verb::kCreate) {
    if (there) return Status(409, "AlreadyExists", "page already exists");
  } else {
    if (!there) return Status(404, "NotFound", "page not found");
    if (found->second.meta.resource_version != page.value().meta.resource_version) {
      return Status(409, "Conflict", "the object has been modified");
    }
  }
  const bool same = there && found->second == page.value();
  if (!same) AddPage(page.value());
  return Ok(there ? 200 : 201, crds::EncodeBindingJournal(pages_.at(page.value().meta.name)));
}

}  // namespace muster::controllers::testing
