#include "e2e/apiserver/request.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "e2e/apiserver/protobuf.h"

namespace muster::e2e {
namespace {

constexpr std::size_t kMaxBodyBytes = 3U << 20U;

std::vector<std::string_view> SplitPath(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    if (path.front() == '/') {
      path.remove_prefix(1);
      continue;
    }
    const std::size_t slash = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, slash));
    path.remove_prefix(slash);
  }
  return parts;
}

// "api/v1" or "apis/<group>/<version>".
struct Prefix {
  std::string_view group, version;
  std::size_t size = 0;
};

std::optional<Prefix> PrefixOf(const std::vector<std::string_view>& parts) {
  if (parts.size() >= 3 && parts[0] == "api") {
    return Prefix{.group = {}, .version = parts[1], .size = 2};
  }
  if (parts.size() >= 4 && parts[0] == "apis") {
    return Prefix{.group = parts[1], .version = parts[2], .size = 3};
  }
  return std::nullopt;
}

// "namespaces/x" and its subresources are the Namespace itself; a longer path is inside it.
bool IsInsideNamespace(const std::vector<std::string_view>& parts, std::size_t at) {
  if (parts[at] != "namespaces" || parts.size() < at + 3) return false;
  const bool own = parts[at + 2] == "status" || parts[at + 2] == "finalize";
  return parts.size() != at + 3 || !own;
}

bool IsMisplaced(const Target& target) {
  if (!target.kind->namespaced) return !target.ns.empty();
  return target.ns.empty() && !target.name.empty();
}

std::optional<std::int64_t> ParseInt(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

ApiError InvalidOptions(const FieldError& error) {
  const Kind list_options{.group = "meta.k8s.io", .kind = "ListOptions"};
  return Invalid(list_options, "", {error});
}

Refusal CheckMatch(const HttpRequest& request, const ListOptions& options) {
  const std::string& match = Param(request, "resourceVersionMatch");
  const bool sends = !Param(request, "sendInitialEvents").empty();
  const std::string& version = Param(request, "resourceVersion");
  if (sends && !options.watch) {
    return InvalidOptions(
        ForbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (sends && match != "NotOlderThan") {
    return InvalidOptions(
        ForbiddenField("resourceVersionMatch",
                       "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (match.empty()) return std::nullopt;
  if (options.watch && !sends) {
    return InvalidOptions(ForbiddenField(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (match != "Exact" && match != "NotOlderThan") {
    return InvalidOptions(
        UnsupportedValue("resourceVersionMatch", match, {"Exact", "NotOlderThan"}));
  }
  if (!options.token.empty()) {
    return InvalidOptions(ForbiddenField(
        "resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (!options.watch && version.empty()) {
    return InvalidOptions(
        ForbiddenField("resourceVersionMatch",
                       "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (match == "Exact" && version == "0") {
    return InvalidOptions(
        ForbiddenField("resourceVersionMatch",
                       R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")"));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Target> Route(const KindTable& kinds, std::string_view path) {
  const std::vector<std::string_view> parts = SplitPath(path);
  const std::optional<Prefix> prefix = PrefixOf(parts);
  if (!prefix) return std::nullopt;
  std::size_t at = prefix->size;
  Target target;
  if (IsInsideNamespace(parts, at)) {
    target.ns = parts[at + 1];
    at += 2;
  }
  // The legacy path of a Binding names the pod in the body only.
  const bool binding = prefix->group.empty() && parts[at] == "bindings" && !target.ns.empty();
  if (binding && parts.size() == at + 1) {
    target.kind = &kinds.Get(Builtin::kPod);
    target.subresource = "binding";
    return target;
  }
  target.kind = kinds.Find(prefix->group, prefix->version, parts[at]);
  if (target.kind == nullptr || parts.size() > at + 3) return std::nullopt;
  if (parts.size() > at + 1) target.name = parts[at + 1];
  if (parts.size() > at + 2) target.subresource = parts[at + 2];
  if (IsMisplaced(target)) return std::nullopt;
  return target;
}

const std::string& Param(const HttpRequest& request, std::string_view name) {
  static const std::string empty;
  for (const auto& [key, value] : request.query) {
    if (key == name) return value;
  }
  return empty;
}

bool FlagParam(const HttpRequest& request, std::string_view name) {
  const std::string& value = Param(request, name);
  return value == "1" || value == "true";
}

Outcome<ListOptions> ParseListOptions(const HttpRequest& request) {
  ListOptions options;
  options.watch = FlagParam(request, "watch");
  options.bookmarks = FlagParam(request, "allowWatchBookmarks");
  options.initial_events = FlagParam(request, "sendInitialEvents");
  options.token = Param(request, "continue");
  options.table = WantsTable(request);
  options.include_object = Param(request, "includeObject");
  if (const std::string& limit = Param(request, "limit"); !limit.empty()) {
    const auto number = ParseInt(limit);
    if (!number || *number < 0) return BadRequest("invalid value for limit: \"" + limit + "\"");
    options.limit = *number;
  }
  const std::string& version = Param(request, "resourceVersion");
  if (!version.empty() && version != "0") {
    options.version = ParseInt(version);
    if (!options.version || *options.version < 0) {
      return InvalidOptions(
          InvalidValue("resourceVersion", version, "strconv.ParseUint: parsing: invalid syntax"));
    }
  }
  options.exact = Param(request, "resourceVersionMatch") == "Exact";
  if (Refusal refusal = CheckMatch(request, options)) return *std::move(refusal);
  if (!options.token.empty() && options.version) {
    return BadRequest("specifying resource version is not allowed when using continue");
  }
  return options;
}

bool WantsTable(const HttpRequest& request) {
  return request.accept.find("as=Table") != std::string::npos;
}

Refusal CheckAccept(const HttpRequest& request) {
  const std::string& accept = request.accept;
  const bool any = accept.empty() || accept.find("application/json") != std::string::npos ||
                   accept.find("*/*") != std::string::npos ||
                   accept.find("application/*") != std::string::npos;
  if (any) return std::nullopt;
  return Plain(406, "NotAcceptable",
               "only the following media types are accepted: application/json");
}

Outcome<WriteOptions> ParseWriteOptions(const HttpRequest& request) {
  WriteOptions options;
  const std::string& dry_run = Param(request, "dryRun");
  options.dry_run = dry_run == "All";
  const Kind put_options{.group = "meta.k8s.io", .kind = "CreateOptions"};
  if (!dry_run.empty() && !options.dry_run) {
    return Invalid(put_options, "", {UnsupportedValue("dryRun", dry_run, {"All"})});
  }
  const std::string& fields = Param(request, "fieldValidation");
  if (fields == "Strict") options.fields = WriteOptions::Fields::kStrict;
  if (fields == "Ignore") options.fields = WriteOptions::Fields::kIgnore;
  const bool known = fields.empty() || fields == "Strict" || fields == "Warn" || fields == "Ignore";
  if (!known) {
    return Invalid(put_options, "",
                   {UnsupportedValue("fieldValidation", fields, {"", "Ignore", "Strict", "Warn"})});
  }
  return options;
}

Refusal CheckBodySize(const HttpRequest& request) {
  if (request.body.size() <= kMaxBodyBytes) return std::nullopt;
  return Plain(413, "RequestEntityTooLarge",
               "Request entity too large: limit is " + std::to_string(kMaxBodyBytes));
}

Outcome<Json> ParseBody(const HttpRequest& request) {
  if (request.body.empty()) return BadRequest("the request has no body");
  const std::string& type = request.content_type;
  if (type.starts_with("application/vnd.kubernetes.protobuf")) {
    if (auto object = NamespaceFromProtobuf(request.body)) return *std::move(object);
    return UnsupportedMediaType(
        "this server reads JSON, and Protobuf of a plain namespace only. What kubectl sends as "
        "Protobuf can be sent as JSON: kubectl create ... --dry-run=client -o yaml | kubectl apply "
        "-f -");
  }
  if (!type.empty() && type.rfind("application/json", 0) != 0) {
    return UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json");
  }
  if (Refusal refusal = CheckBodySize(request)) return *std::move(refusal);
  std::optional<Json> body = ParseSent(request.body);
  if (!body || !body->is_object()) {
    return BadRequest("the body of the request is not a JSON object");
  }
  return *std::move(body);
}

}  // namespace muster::e2e
