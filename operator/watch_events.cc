#include "operator/watch_events.h"

#include <optional>
#include <utility>

#include "crds/decode.h"
#include "crds/list.h"

namespace muster::app {
namespace {

using ports::WatchEvent;
using Type = WatchEvent::Type;

// The event of an object that cannot be used: what can still be told of it.
WatchEvent Unusable(std::string_view text, const Error& error) {
  WatchEvent event;
  event.type = Type::kInvalid;
  std::string who = "an object without a readable name";
  Result<crds::ObjectMeta> meta = crds::DecodeMeta(text);
  const bool named = meta.ok() && crds::IsName(meta.value().name) &&
                     (meta.value().ns.empty() || crds::IsName(meta.value().ns));
  if (named) {
    // Only a whole one is a place to go on from.
    if (crds::CheckMeta(meta.value()).ok()) {
      event.resource_version = std::move(meta.value().resource_version);
    }
    event.ns = std::move(meta.value().ns);
    event.name = std::move(meta.value().name);
    who = event.ns.empty() ? event.name : event.ns + "/" + event.name;
  }
  event.error = who + ": " + error.message;
  return event;
}

// The name comes along although the object has it: an event that lost its object is told by it.
WatchEvent EventOf(Type type, std::string_view text, const ports::Api::Decode& decode) {
  Result<crds::Object> object = decode(text);
  if (!object.ok()) return Unusable(text, object.error());
  WatchEvent event;
  event.type = type;
  event.object = std::move(object).value();
  if (const crds::ObjectMeta* meta = crds::MetaOf(event.object); meta != nullptr) {
    // Paths, and the next watch, are made of it.
    if (const auto usable = crds::CheckMeta(*meta); !usable.ok()) {
      return Unusable(text, usable.error());
    }
    event.ns = meta->ns;
    event.name = meta->name;
    event.resource_version = meta->resource_version;
  }
  return event;
}

std::optional<Type> TypeOf(std::string_view text) {
  if (text == "ADDED") return Type::kAdded;
  if (text == "MODIFIED") return Type::kModified;
  if (text == "DELETED") return Type::kDeleted;
  return std::nullopt;
}

// An object of the kind with nothing in it but a resourceVersion.
Result<WatchLine> Bookmark(std::string_view text) {
  MUSTER_ASSIGN(crds::ObjectMeta meta, crds::DecodeMeta(text));
  WatchEvent event;
  event.type = Type::kBookmark;
  event.resource_version = std::move(meta.resource_version);
  return WatchLine(std::move(event));
}

// The object of an ERROR is a Status: 410 when the version is too old to watch from.
Result<WatchLine> Ended(std::string_view text) {
  MUSTER_ASSIGN(crds::ApiStatus status, crds::DecodeStatus(text));
  return WatchLine(WatchEnd{.code = status.code, .message = std::move(status.message)});
}

}  // namespace

Result<ListEvents> ReadListPage(std::string_view body, const ports::Api::Decode& decode) {
  MUSTER_ASSIGN(crds::ListPage list, crds::SplitList(body));
  ListEvents page{.events = {},
                  .resource_version = std::move(list.resource_version),
                  .next = std::move(list.continue_token)};
  page.events.reserve(list.items.size());
  for (const std::string_view item : list.items) {
    page.events.push_back(EventOf(Type::kListed, item, decode));
  }
  return page;
}

Result<WatchLine> ReadWatchLine(std::string_view line, const ports::Api::Decode& decode) {
  MUSTER_ASSIGN(const crds::WatchFrame frame, crds::SplitFrame(line));
  if (frame.type == "BOOKMARK") return Bookmark(frame.object);
  if (frame.type == "ERROR") return Ended(frame.object);
  const std::optional<Type> type = TypeOf(frame.type);
  if (!type.has_value()) {
    return Error{Code::kInternal, "a watch event of the unknown type \"" + frame.type + "\""};
  }
  WatchEvent event = EventOf(*type, frame.object, decode);
  // A deletion is complete with the name alone.
  if (*type == Type::kDeleted && event.type == Type::kInvalid) {
    if (event.name.empty()) return Error{Code::kInternal, "a deletion of " + event.error};
    event.type = Type::kDeleted;
  }
  return WatchLine(std::move(event));
}

// Something between us and the API server may answer with a page of its own: kept short.
std::string RefusalText(std::string_view body) {
  constexpr std::size_t kTextMax = 256;
  Result<crds::ApiStatus> status = crds::DecodeStatus(body);
  if (status.ok() && !status.value().message.empty()) return std::move(status.value().message);
  const std::size_t end = body.find_last_not_of(" \r\n\t");
  if (end == std::string_view::npos) return "no text";
  return std::string(body.substr(0, std::min(end + 1, kTextMax)));
}

// Tokens and versions are opaque: nothing is assumed of what they are made of.
std::string EncodeQuery(std::string_view value) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : value) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append("%").append(1, kDigits[byte / 16]).append(1, kDigits[byte % 16]);
    }
  }
  return out;
}

}  // namespace muster::app
