#include "e2e/sim/plant.h"

#include <algorithm>
#include <utility>

namespace muster::e2e {
namespace {

bool OfPod(const HttpRequest& request) {
  return request.path.find("/pods/") != std::string::npos;
}

}  // namespace

bool IsBinding(const HttpRequest& request, std::string_view gang) {
  const std::string pod = "/" + std::string(gang);
  return request.method == "POST" && request.path.ends_with("/binding") &&
         (request.path.find(pod + "-") != std::string::npos ||
          request.path.find(pod + "/") != std::string::npos);
}

bool IsPodDelete(const HttpRequest& request) {
  return request.method == "DELETE" && OfPod(request);
}

bool IsPodStatus(const HttpRequest& request) {
  return request.method == "PATCH" && request.path.ends_with("/status") && OfPod(request);
}

bool IsPodRead(const HttpRequest& request) {
  return request.method == "GET" && OfPod(request);
}

bool IsGroupStatus(const HttpRequest& request) {
  return request.method == "PATCH" && request.path.ends_with("/status") &&
         request.path.find("/podgroups/") != std::string::npos;
}

bool IsPageList(const HttpRequest& request) {
  return request.method == "GET" && request.path.ends_with("/bindingjournals");
}

bool IsVersionQuery(const HttpRequest& request) {
  return std::ranges::find(request.query, std::pair<std::string, std::string>("limit", "1")) !=
         request.query.end();
}

bool IsPagePut(const HttpRequest& request) {
  return request.method == "PUT" && request.path.find("/bindingjournals/") != std::string::npos;
}

bool PutSays(const HttpRequest& request, std::string_view text) {
  return IsPagePut(request) &&
         StringAt(BodyOf(request), {"spec", "entries"}).find(text) != std::string::npos;
}

HttpResponse NoAnswer() {
  HttpResponse response;
  response.status = 504;
  response.content_type = "text/plain";
  response.body = "timeout";
  return response;
}

HttpResponse Created() {
  HttpResponse response;
  response.status = 201;
  response.body = R"({"kind":"Status","apiVersion":"v1","status":"Success","code":201})";
  return response;
}

HttpResponse Denial(int code, const std::string& message) {
  HttpResponse response;
  response.status = code;
  response.body = Dump({{"kind", "Status"},
                        {"apiVersion", "v1"},
                        {"status", "Failure"},
                        {"message", message},
                        {"code", code}});
  return response;
}

HttpResponse AsWritten(const HttpRequest& request) {
  HttpResponse response;
  response.status = 200;
  response.body = request.body;
  return response;
}

HttpResponse AsPatched(const HttpRequest& request) {
  Json pod = {{"kind", "Pod"}, {"apiVersion", "v1"}, {"metadata", BodyOf(request)["metadata"]}};
  pod["metadata"]["resourceVersion"] = "99999999";
  HttpResponse response;
  response.status = 200;
  response.body = Dump(pod);
  return response;
}

HttpResponse Changed(HttpResponse response, const std::function<void(Json&)>& edit) {
  Json object = Parse(response.body).value_or(Json::object());
  edit(object);
  response.body = Dump(object);
  return response;
}

Json BodyOf(const HttpRequest& request) {
  return Parse(request.body).value_or(Json::object());
}

HttpRequest WithBody(HttpRequest request, const Json& body) {
  request.body = Dump(body);
  return request;
}

}  // namespace muster::e2e
