// A client for tests of the simulated API server: one-line requests, parsed answers, a fixed clock.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server.h"

namespace muster::e2e {

struct Reply {
  int code = 0;
  Json body;
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;
  [[nodiscard]] std::string message() const { return StringAt(body, {"message"}); }
  [[nodiscard]] std::string reason() const { return StringAt(body, {"reason"}); }
};

class TestClient {
 public:
  explicit TestClient(ApiServer::Options options = {})
      : server(options, [this] { return now_ms; }) {}

  std::int64_t now_ms = 1'790'000'000'000;
  ApiServer server;

  // `target`: a path with an optional "?a=b&c=d", not encoded.
  [[nodiscard]] static HttpRequest Make(const std::string& method, const std::string& target,
                                        const Json& body = nullptr) {
    HttpRequest request;
    request.method = method;
    request.path = target.substr(0, target.find('?'));
    if (target.size() > request.path.size()) {
      std::string rest = target.substr(request.path.size() + 1) + "&";
      for (std::size_t at = 0; at < rest.size();) {
        const std::size_t end = rest.find('&', at);
        const std::string pair = rest.substr(at, end - at);
        const std::size_t equals = std::min(pair.find('='), pair.size());
        request.query.emplace_back(pair.substr(0, equals),
                                   pair.substr(std::min(equals + 1, pair.size())));
        at = end + 1;
      }
    }
    if (!body.is_null()) {
      request.body = Dump(body);
      request.content_type = "application/json";
    }
    return request;
  }
  Reply Send(const HttpRequest& request) {
    HttpResponse response = server.Handle(request);
    Json body = Json::parse(response.body, nullptr, false);
    return {response.status, std::move(body), response.body, response.headers};
  }
  Reply Get(const std::string& target) { return Send(Make("GET", target)); }
  Reply Post(const std::string& target, const Json& body) {
    return Send(Make("POST", target, body));
  }
  Reply Put(const std::string& target, const Json& body) { return Send(Make("PUT", target, body)); }
  Reply Delete(const std::string& target, const Json& body = nullptr) {
    return Send(Make("DELETE", target, body));
  }
  // `kind`: json, merge or strategic-merge.
  Reply Patch(const std::string& kind, const std::string& target, const Json& body) {
    HttpRequest request = Make("PATCH", target, body);
    request.content_type = "application/" + kind + "-patch+json";
    return Send(request);
  }
  Reply Table(const std::string& target) {
    HttpRequest request = Make("GET", target);
    request.accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    return Send(request);
  }
};

constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kPod = "/api/v1/namespaces/default/pods/p0";

[[nodiscard]] inline Json PodBody(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}}},
          {"spec", {{"containers", {{{"name", "main"}, {"image", "train:1"}}}}}}};
}
[[nodiscard]] inline Json BindingBody(const std::string& pod, const std::string& node) {
  return {{"apiVersion", "v1"},
          {"kind", "Binding"},
          {"metadata", {{"name", pod}}},
          {"target", {{"kind", "Node"}, {"name", node}}}};
}

// Frames of one watch, parsed.
struct Frames {
  std::vector<Json> all;
  int ended = 0;
  [[nodiscard]] ApiServer::Sink sink() {
    return [this](const std::string& frame) { all.push_back(Json::parse(frame)); };
  }
  // "ADDED p0, MODIFIED p0".
  [[nodiscard]] std::string Text() const {
    std::string text;
    for (const Json& frame : all) {
      text += (text.empty() ? "" : ", ") + StringAt(frame, {"type"});
      const std::string& name = StringAt(frame, {"object", "metadata", "name"});
      if (!name.empty()) text += " " + name;
    }
    return text;
  }
};

}  // namespace muster::e2e
