// The open watches: what each of them has to hear of a change. Selectors turn a change into ADDED,
// MODIFIED, DELETED or nothing. Frames go to the sink at once, inside the write; a sink may close
// its own watch but not call the server. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "e2e/apiserver/request.h"
#include "e2e/apiserver/selectors.h"
#include "e2e/apiserver/server.h"
#include "e2e/apiserver/store.h"

namespace muster::e2e {

struct Watch {
  Target target;
  Selector selector;
  ListOptions options;
  ApiServer::Sink sink;
  std::function<void()> end;
};

class WatchHub {
 public:
  // The object of a frame: as stored, in another API's view, or as a Table.
  using ObjectText = std::function<std::string(const Watch&, const Version&)>;
  // Likewise of a bookmark.
  using BookmarkText =
      std::function<std::string(const Watch&, std::int64_t rv, bool initial_events_end)>;

  WatchHub(const Store& store, ObjectText object_text, BookmarkText bookmark_text)
      : store_(store),
        object_text_(std::move(object_text)),
        bookmark_text_(std::move(bookmark_text)) {}

  // 410 or 504 when it cannot start where it asks to.
  [[nodiscard]] Refusal CanStart(const Watch& watch) const;
  // Sends what is there and returns the id.
  std::uint64_t Start(Watch watch);
  void Stop(std::uint64_t id);
  // Ends all of them: `end` is called.
  void EndAll();
  void Bookmark();
  void OnChange(std::size_t storage, const Change& change);

 private:
  struct Open {
    Watch watch;
    bool closed = false;
  };
  // Frames of one change that are the same for every watch without a view of its own.
  struct Shared {
    std::string added, modified, deleted;
  };
  void Tell(Open& open, const Change& change, Shared& shared);
  // `frame`: made by the first watch that needs it.
  void SendChange(Open& open, std::string_view type, const Change& change, std::string& frame);
  void Send(Open& open, std::string_view type, const std::string& object);
  void SendInitial(Open& open);
  void Sweep();

  const Store& store_;
  ObjectText object_text_;
  BookmarkText bookmark_text_;
  std::map<std::uint64_t, Open> open_;
  std::uint64_t last_id_ = 0;
  int sending_ = 0;  // Depth of sends under way: closed watches are erased after.
};

}  // namespace muster::e2e
