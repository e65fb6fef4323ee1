#include "e2e/apiserver/watch.h"

#include <utility>

#include "e2e/apiserver/event_view.h"

namespace muster::e2e {
namespace {

std::string Frame(std::string_view type, const std::string& object) {
  std::string frame;
  frame.reserve(object.size() + 32);
  frame.append(R"({"type":")").append(type).append(R"(","object":)").append(object).append("}");
  return frame;
}

bool InScope(const Watch& watch, std::string_view key) {
  const std::string& ns = watch.target.ns;
  if (ns.empty()) return true;
  return key.size() > ns.size() && key.starts_with(ns) && key[ns.size()] == '/';
}

// An object that leaves the selection is reported as it last was, under the change's version.
Version Left(const Change& change) {
  Version version;
  version.rv = change.rv();
  version.object = change.before->object;
  version.object["metadata"]["resourceVersion"] = std::to_string(version.rv);
  version.text = Dump(version.object);
  return version;
}

bool SendsWholeObjects(const Watch& watch) {
  return !watch.options.table && !HasOwnView(*watch.target.kind);
}

}  // namespace

Refusal WatchHub::CanStart(const Watch& watch) const {
  if (!watch.options.version) return std::nullopt;
  const std::int64_t asked = *watch.options.version;
  if (asked > store_.rv()) return TooLargeVersion(asked, store_.rv());
  const std::int64_t oldest = store_.Oldest(watch.target.kind->storage);
  if (watch.options.initial_events || asked >= oldest) return std::nullopt;
  return Expired("too old resource version: " + std::to_string(asked) + " (" +
                 std::to_string(oldest) + ")");
}

std::uint64_t WatchHub::Start(Watch watch) {
  const std::uint64_t id = ++last_id_;
  Open& open = open_.emplace(id, Open{.watch = std::move(watch)}).first->second;
  ++sending_;
  SendInitial(open);
  --sending_;
  Sweep();
  return id;
}

void WatchHub::SendInitial(Open& open) {
  const Watch& watch = open.watch;
  const std::size_t storage = watch.target.kind->storage;
  if (watch.options.version && !watch.options.initial_events) {
    for (const Change& change : store_.Past(storage).changes) {
      Shared shared;
      if (change.rv() > *watch.options.version) Tell(open, change, shared);
    }
    return;
  }
  for (const auto& [key, version] : store_.All(storage)) {
    if (!InScope(watch, key) || !watch.selector.Matches(version->object)) continue;
    Send(open, "ADDED", object_text_(watch, *version));
  }
  if (watch.options.initial_events) {
    Send(open, "BOOKMARK", bookmark_text_(watch, store_.rv(), true));
  }
}

void WatchHub::Stop(std::uint64_t id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  found->second.closed = true;
  Sweep();
}

void WatchHub::EndAll() {
  std::map<std::uint64_t, Open> ended;
  ended.swap(open_);
  for (auto& [id, open] : ended) {
    if (!open.closed && open.watch.end) open.watch.end();
  }
}

void WatchHub::Bookmark() {
  ++sending_;
  for (auto& [id, open] : open_) {
    if (open.closed || !open.watch.options.bookmarks) continue;
    Send(open, "BOOKMARK", bookmark_text_(open.watch, store_.rv(), false));
  }
  --sending_;
  Sweep();
}

void WatchHub::OnChange(std::size_t storage, const Change& change) {
  Shared shared;
  ++sending_;
  for (auto& [id, open] : open_) {
    if (!open.closed && open.watch.target.kind->storage == storage) Tell(open, change, shared);
  }
  --sending_;
  Sweep();
}

void WatchHub::Tell(Open& open, const Change& change, Shared& shared) {
  const Watch& watch = open.watch;
  if (open.closed || !InScope(watch, change.key)) return;
  const bool was = change.before != nullptr && watch.selector.Matches(change.before->object);
  const bool is = !change.deleted && watch.selector.Matches(change.after->object);
  if (was && is) {
    SendChange(open, "MODIFIED", change, shared.modified);
  } else if (is) {
    SendChange(open, "ADDED", change, shared.added);
  } else if (was && change.deleted) {
    SendChange(open, "DELETED", change, shared.deleted);
  } else if (was) {
    Send(open, "DELETED", object_text_(watch, Left(change)));
  }
}

void WatchHub::SendChange(Open& open, std::string_view type, const Change& change,
                          std::string& frame) {
  if (!SendsWholeObjects(open.watch)) {
    Send(open, type, object_text_(open.watch, *change.after));
    return;
  }
  if (frame.empty()) frame = Frame(type, change.after->text);
  open.watch.sink(frame);
}

void WatchHub::Send(Open& open, std::string_view type, const std::string& object) {
  if (!open.closed) open.watch.sink(Frame(type, object));
}

void WatchHub::Sweep() {
  if (sending_ > 0) return;
  std::erase_if(open_, [](const auto& entry) { return entry.second.closed; });
}

}  // namespace muster::e2e
