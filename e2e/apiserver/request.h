// From a path and a query to what is asked: which kind, object and subresource, and the options of
// list, watch and write requests. Pure; refuses what the API server refuses before it looks at
// objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "e2e/apiserver/errors.h"
#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/server.h"

namespace muster::e2e {

struct Target {
  const Kind* kind = nullptr;
  std::string ns{}, name{}, subresource{};  // "" = not in the path.
};

// Nothing: the path names no kind that is served (plain 404).
[[nodiscard]] std::optional<Target> Route(const KindTable& kinds, std::string_view path);

// "" when the query does not have it.
[[nodiscard]] const std::string& Param(const HttpRequest& request, std::string_view name);
[[nodiscard]] bool FlagParam(const HttpRequest& request, std::string_view name);

struct ListOptions {
  std::int64_t limit = 0;                 // 0 = all.
  std::string token{};                    // continue.
  std::optional<std::int64_t> version{};  // resourceVersion, when it is not "" or "0".
  bool exact = false;                     // resourceVersionMatch=Exact.
  bool watch = false, bookmarks = false;
  bool initial_events = false;   // sendInitialEvents=true.
  bool table = false;            // Accept asks for a Table.
  std::string include_object{};  // Of Tables: None, Metadata (default), Object.
};
[[nodiscard]] Outcome<ListOptions> ParseListOptions(const HttpRequest& request);

// Accept asks for JSON in a form that is served, else 406.
[[nodiscard]] Refusal CheckAccept(const HttpRequest& request);
[[nodiscard]] bool WantsTable(const HttpRequest& request);

struct WriteOptions {
  bool dry_run = false;
  enum class Fields : std::uint8_t { kIgnore, kWarn, kStrict } fields = Fields::kWarn;
};
[[nodiscard]] Outcome<WriteOptions> ParseWriteOptions(const HttpRequest& request);

// 413 for a body larger than any request may have.
[[nodiscard]] Refusal CheckBodySize(const HttpRequest& request);
// The body of a POST, PUT or DELETE as an object. An empty body is an error.
[[nodiscard]] Outcome<Json> ParseBody(const HttpRequest& request);

}  // namespace muster::e2e
