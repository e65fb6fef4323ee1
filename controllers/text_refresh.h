// When waiting gangs are read anew. What a waiting gang is told depends on everything that runs, so
// its text grows old although nothing happens to the gang itself. After a change all of them are
// read again: 5 s later at the earliest, 100 in 5 s at most. While nothing changes nothing is
// planned. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "controllers/ports/loop.h"
#include "scheduler/model/event.h"

namespace muster::controllers {

class TextRefresh {
 public:
  using Read = std::function<void(const scheduler::Key& gang)>;

  TextRefresh(ports::Loop& loop, Read read) : loop_(loop), read_(std::move(read)) {}
  ~TextRefresh();
  TextRefresh(const TextRefresh&) = delete;
  TextRefresh& operator=(const TextRefresh&) = delete;

  void Changed();  // Something was decided or came in.
  // The gang was read just now: it waits, or it does not any more.
  void SetWaiting(const scheduler::Key& gang, bool waits);

 private:
  void Arm(std::int64_t delay_ms);
  void Turn();
  [[nodiscard]] scheduler::Key Next() const;

  ports::Loop& loop_;
  Read read_;
  std::set<scheduler::Key> waiting_;
  scheduler::Key last_;   // The one that was read last: the round goes on behind it.
  std::size_t left_ = 0;  // Of the round under way.
  bool changed_ = false;  // Since the round began.
  std::optional<ports::Loop::TimerId> timer_;
};

}  // namespace muster::controllers
