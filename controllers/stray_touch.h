// After pages of the journal were lost: touches every pending pod of ours, so that a Binding that
// only a lost entry knows of is refused by its resourceVersion. Before the first Decide.
// Loop thread only.
//
//   touching (PATCH at the listed version) -- moved, 404, another uid --> done
//      ^  | 409, no answer
//      |  v
//      reading (GET) -- bound, gone, or at another version --> done
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "controllers/answer.h"
#include "controllers/ports/loop.h"
#include "controllers/writer.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

class StrayTouch {
 public:
  struct Pod {
    scheduler::Uid uid;
    std::string version;  // resourceVersion as listed.
  };
  struct World {
    Writer& writer;
    ports::Loop& loop;
    std::string holder;
    std::function<void()> done;
  };

  explicit StrayTouch(World world) : world_(std::move(world)) {}
  StrayTouch(const StrayTouch&) = delete;
  StrayTouch& operator=(const StrayTouch&) = delete;

  // Not before `done` of the one before, which is never called from within.
  void Start(const std::map<scheduler::Key, Pod>& pods);

 private:
  struct Open {
    Pod pod;
    std::int32_t attempt = 0;
  };
  using Answer = Result<ports::Response>;

  void Touch(const scheduler::Key& key);
  void OnTouched(const scheduler::Key& key, const Answer& answer);
  void Read(const scheduler::Key& key);
  void OnRead(const scheduler::Key& key, const Answer& answer);
  void Look(const scheduler::Key& key, const std::string& body);
  void Later(const scheduler::Key& key, void (StrayTouch::*step)(const scheduler::Key&));
  void Finish(const scheduler::Key& key);

  World world_;
  std::map<scheduler::Key, Open> open_;
};

}  // namespace muster::controllers
