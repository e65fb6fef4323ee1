#include "e2e/apiserver/list.h"

#include <charconv>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>

#include "e2e/apiserver/event_view.h"

namespace muster::e2e {
namespace {

constexpr std::string_view kTooOld =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter.";

struct Position {
  std::int64_t rv = 0;
  std::string key;  // The first key of the page.
};

// Letters, digits and dots only, so that it needs no escaping in a query.
std::string EncodeToken(const Position& position) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token = std::to_string(position.rv) + ".";
  for (const char c : position.key) {
    const auto byte = static_cast<unsigned char>(c);
    token += kDigits[byte >> 4U];
    token += kDigits[byte & 15U];
  }
  return token;
}

std::optional<Position> DecodeToken(std::string_view token) {
  Position position;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), position.rv);
  if (error != std::errc()) return std::nullopt;
  token.remove_prefix(static_cast<std::size_t>(end - token.data()));
  if (token.size() % 2 == 0 || token.front() != '.') return std::nullopt;
  for (token.remove_prefix(1); !token.empty(); token.remove_prefix(2)) {
    int byte = 0;
    const auto [stop, bad] = std::from_chars(token.data(), token.data() + 2, byte, 16);
    if (bad != std::errc() || stop != token.data() + 2) return std::nullopt;
    position.key += static_cast<char>(byte);
  }
  return position;
}

// What differs at `rv` from now: by key, the version of that time (null = not there).
Objects Differences(const History& past, std::int64_t rv) {
  Objects then;
  for (const Change& change : std::views::reverse(past.changes)) {
    if (change.rv() <= rv) break;
    then.insert_or_assign(change.key, change.before);
  }
  return then;
}

// Walks the present objects and the differences side by side, in key order.
class Walk {
 public:
  Walk(const Objects& now, const Objects& then, const std::string& from)
      : now_(now), then_(then), a_(now.lower_bound(from)), b_(then.lower_bound(from)) {}
  // Null at the end. Skips what was not there.
  const std::pair<const std::string, VersionPtr>* Next() {
    while (a_ != now_.end() || b_ != then_.end()) {
      const bool from_then = b_ != then_.end() && (a_ == now_.end() || b_->first <= a_->first);
      if (!from_then) return &*a_++;
      if (a_ != now_.end() && a_->first == b_->first) ++a_;
      const auto* found = &*b_++;
      if (found->second != nullptr) return found;
    }
    return nullptr;
  }

 private:
  const Objects& now_;
  const Objects& then_;
  Objects::const_iterator a_;
  Objects::const_iterator b_;
};

// Where the page starts, and in which state of the store.
Outcome<Position> StartOf(const Store& store, const ListOptions& options,
                          const std::string& prefix) {
  Position position{.rv = store.rv(), .key = prefix};
  if (!options.token.empty()) {
    auto decoded = DecodeToken(options.token);
    if (!decoded || !decoded->key.starts_with(prefix)) {
      return BadRequest("continue key is not valid: " + options.token);
    }
    return *std::move(decoded);
  }
  const std::int64_t asked = options.version.value_or(0);
  if (asked > store.rv()) return TooLargeVersion(asked, store.rv());
  if (options.exact) position.rv = asked;
  return position;
}

}  // namespace

Outcome<Page> ListPage(const Store& store, const Target& target, const Selector& selector,
                       const ListOptions& options) {
  const std::size_t storage = target.kind->storage;
  const std::string prefix = target.ns.empty() ? "" : target.ns + "/";
  auto start = StartOf(store, options, prefix);
  if (!start.ok()) return start.error();
  const Position& position = start.value();
  if (position.rv < store.Oldest(storage) || position.rv > store.rv()) {
    return Expired(options.token.empty() ? "The resourceVersion for the provided list is too old."
                                         : std::string(kTooOld));
  }
  const Objects then = Differences(store.Past(storage), position.rv);
  Page page{.rv = position.rv};
  Walk walk(store.All(storage), then, position.key);
  for (const auto* entry = walk.Next(); entry != nullptr; entry = walk.Next()) {
    if (!entry->first.starts_with(prefix)) break;
    if (!selector.Matches(entry->second->object)) continue;
    if (options.limit > 0 && std::ssize(page.items) == options.limit) {
      page.token = EncodeToken({page.rv, entry->first});
      break;
    }
    page.items.push_back(entry->second);
  }
  return page;
}

std::string ListText(const Kind& kind, const Page& page) {
  std::size_t bytes = 200;
  for (const VersionPtr& item : page.items) bytes += item->text.size() + 1;
  std::string text;
  text.reserve(bytes);
  text += R"({"apiVersion":")" + kind.api_version() + R"(","items":[)";
  const bool own_view = HasOwnView(kind);
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    if (i > 0) text += ',';
    if (own_view) {
      text += TextOf(kind, *page.items[i]);
    } else {
      text += page.items[i]->text;
    }
  }
  text += R"(],"kind":")" + kind.kind + R"(List","metadata":{)";
  if (!page.token.empty()) text += R"("continue":")" + page.token + R"(",)";
  text += R"("resourceVersion":")" + std::to_string(page.rv) + "\"}}";
  return text;
}

}  // namespace muster::e2e
