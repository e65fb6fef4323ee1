#include "e2e/apiserver/errors.h"

#include <cstdint>

namespace muster::e2e {
namespace {

Json Details(const std::string& name, const std::string& group, const std::string& kind) {
  Json details = {{"kind", kind}};
  if (!name.empty()) details["name"] = name;
  if (!group.empty()) details["group"] = group;
  return details;
}

std::string Quoted(const std::string& text) {
  return "\"" + text + "\"";
}

}  // namespace

FieldError InvalidValue(std::string field, const Json& value, const std::string& detail) {
  return {std::move(field), "FieldValueInvalid", "Invalid value: " + Dump(value) + ": " + detail};
}

FieldError RequiredValue(std::string field, const std::string& detail) {
  return {std::move(field), "FieldValueRequired",
          detail.empty() ? "Required value" : "Required value: " + detail};
}

FieldError ForbiddenField(std::string field, const std::string& detail) {
  return {std::move(field), "FieldValueForbidden", "Forbidden: " + detail};
}

FieldError UnsupportedValue(std::string field, const Json& value,
                            const std::vector<std::string>& allowed) {
  std::string text = "Unsupported value: " + Dump(value) + ": supported values: ";
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    text += (i == 0 ? "" : ", ") + Quoted(allowed[i]);
  }
  return {std::move(field), "FieldValueNotSupported", std::move(text)};
}

ApiError BadRequest(std::string message) {
  return {400, "BadRequest", std::move(message), nullptr};
}

ApiError NotFound(const Kind& kind, const std::string& name) {
  return {404, "NotFound", kind.resource() + " " + Quoted(name) + " not found",
          Details(name, kind.group, kind.plural)};
}

ApiError AlreadyExists(const Kind& kind, const std::string& name) {
  return {409, "AlreadyExists", kind.resource() + " " + Quoted(name) + " already exists",
          Details(name, kind.group, kind.plural)};
}

ApiError Conflict(const std::string& resource, const std::string& name, const std::string& text) {
  const std::size_t dot = resource.find('.');
  const std::string group = dot == std::string::npos ? "" : resource.substr(dot + 1);
  return {409, "Conflict",
          "Operation cannot be fulfilled on " + resource + " " + Quoted(name) + ": " + text,
          Details(name, group, resource.substr(0, dot))};
}

ApiError StaleObject(const Kind& kind, const std::string& name) {
  return Conflict(kind.resource(), name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

ApiError Forbidden(const std::string& resource, const std::string& name, const std::string& text) {
  const std::size_t dot = resource.find('.');
  const std::string group = dot == std::string::npos ? "" : resource.substr(dot + 1);
  return {403, "Forbidden", resource + " " + Quoted(name) + " is forbidden: " + text,
          Details(name, group, resource.substr(0, dot))};
}

ApiError Invalid(const Kind& kind, const std::string& name, const std::vector<FieldError>& errors) {
  MUSTER_CHECK(!errors.empty());
  Json causes = Json::array();
  std::string texts;
  for (const FieldError& error : errors) {
    causes.push_back({{"reason", error.type}, {"message", error.message}, {"field", error.field}});
    texts += (texts.empty() ? "" : ", ") + error.text();
  }
  if (errors.size() > 1) texts = "[" + texts + "]";
  const std::string qualified = kind.group.empty() ? kind.kind : kind.kind + "." + kind.group;
  Json details = Details(name, kind.group, kind.kind);
  details["causes"] = std::move(causes);
  return {422, "Invalid", qualified + " " + Quoted(name) + " is invalid: " + texts,
          std::move(details)};
}

ApiError Expired(std::string message) {
  return {410, "Expired", std::move(message), nullptr};
}

ApiError MethodNotAllowed(const std::string& text) {
  return {405, "MethodNotAllowed",
          text.empty() ? "the server does not allow this method on the requested resource" : text,
          nullptr};
}

ApiError UnsupportedMediaType(std::string message) {
  return {415, "UnsupportedMediaType", std::move(message), nullptr};
}

ApiError TooLargeVersion(std::int64_t asked, std::int64_t current) {
  const std::string text = "Too large resource version: " + std::to_string(asked) +
                           ", current: " + std::to_string(current);
  Json details = {
      {"causes",
       {{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}}},
      {"retryAfterSeconds", 1}};
  return {504, "Timeout", "Timeout: " + text, std::move(details)};
}

ApiError Plain(int code, std::string reason, std::string message) {
  return {code, std::move(reason), std::move(message), nullptr};
}

Json StatusObject(const ApiError& error) {
  Json status = {{"kind", "Status"},    {"apiVersion", "v1"},       {"metadata", Json::object()},
                 {"status", "Failure"}, {"message", error.message}, {"code", error.code}};
  if (!error.reason.empty()) status["reason"] = error.reason;
  if (!error.details.is_null()) status["details"] = error.details;
  return status;
}

HttpResponse ToResponse(const ApiError& error) {
  HttpResponse response = Answer(error.code, Dump(StatusObject(error)));
  if (!error.details.is_null()) {
    if (const auto seconds = IntAt(error.details, {"retryAfterSeconds"})) {
      response.headers.emplace_back("Retry-After", std::to_string(*seconds));
    }
  }
  return response;
}

HttpResponse Answer(int code, std::string body) {
  HttpResponse response;
  response.status = code;
  response.body = std::move(body);
  return response;
}

HttpResponse Success(int code, Json details) {
  Json status = {{"kind", "Status"},
                 {"apiVersion", "v1"},
                 {"metadata", Json::object()},
                 {"status", "Success"},
                 {"code", code}};
  if (!details.is_null()) {
    status["details"] = std::move(details);
    status.erase("code");
  }
  return Answer(code, Dump(status));
}

HttpResponse PageNotFound() {
  HttpResponse response = Answer(404, "404 page not found\n");
  response.content_type = "text/plain; charset=utf-8";
  return response;
}

}  // namespace muster::e2e
