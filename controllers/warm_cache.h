// What a standby keeps of one kind: the stream of its list and watch, folded to the last state of
// each object. It feeds nobody. Once its instance leads and the journal's pages are fenced, it is
// as good as a list begun then, if its stream has passed the version of such a list (of one item)
// that the API server was asked for after the fence: versions of one kind are comparable
// (KEP-5504), and a watch shows changes in their order. A stream that does not show it soon proves
// nothing: a quiet kind has a bookmark about once a minute. Then the kind is listed anew. Loop
// thread only.
//
//   folding --Ask--> asked --answered, and passed--> settled, caught up --PassOn--> over
//                      '----- no list, or no time left --> settled: to be listed anew
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "controllers/event_recorder.h"
#include "controllers/ports/api.h"
#include "controllers/ports/loop.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

class WarmCache {
 public:
  struct World {
    ports::Loop& loop;
    Send send;
    ports::Resource resource;
    // Once, at Ask or later: whoever waits for it need wait no longer.
    std::function<void()> settled;
  };

  explicit WarmCache(World world) : world_(std::move(world)) {}
  WarmCache(const WarmCache&) = delete;
  WarmCache& operator=(const WarmCache&) = delete;

  // The sink of ports::Api::ListAndWatch, until PassOn.
  void On(ports::WatchEvent event);
  // After the fence, once. To wait for longer than a list would take gains nothing: `list_us`, for
  // each object, is how long that is about.
  void Ask(std::int64_t list_us);
  [[nodiscard]] bool settled() const { return settled_; }
  // All that was there at Ask is in it. A stream that is lost or cut has to be listed anew.
  [[nodiscard]] bool caught_up() const;
  // As a list of what it holds, whose watch goes on with the next event of the stream.
  void PassOn(const std::function<void(const ports::WatchEvent& event)>& sink);
  void Forget() { kept_.clear(); }  // What it holds is of no use any more.

 private:
  struct Kept {
    ports::WatchEvent event;  // kListed or kInvalid.
    std::uint64_t list = 0;   // Seen in this list, or since.
  };

  void Fold(ports::WatchEvent event);
  void Keep(ports::WatchEvent event);
  void Drop(const ports::WatchEvent& event);
  void EndList();
  void OnAnswer(const Result<ports::Response>& answer);
  void Settle();

  World world_;
  std::map<scheduler::Key, Kept> kept_;
  std::uint64_t list_ = 0;  // Counts the lists.
  bool whole_ = false;      // A list has come to its end, and its watch goes on.
  std::string version_;     // So far the stream has come.
  std::optional<std::string> target_;
  bool settled_ = false;
};

}  // namespace muster::controllers
