// What Muster cannot have known when it decided: room that others took from under it, and pages
// that somebody took away. For a while the checkers count such a node as it was before, and such a
// page as if it were there. Kept by who plays the others.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "crds/binding_journal.h"
#include "e2e/sim/sim_loop.h"

namespace muster::e2e {

class Excuses {
 public:
  explicit Excuses(const SimLoop& loop) : loop_(loop) {}

  // How a queue is named among the nodes.
  [[nodiscard]] static std::string Queue(const std::string& name) { return "queue/" + name; }
  // So many milli-GPUs of the node were lost, or taken by a foreign binder, just now.
  void NoteTaken(const std::string& node, std::int64_t milli_gpus) {
    taken_[node].emplace_back(loop_.elapsed_ms() + kForgottenMs, milli_gpus);
  }
  [[nodiscard]] std::int64_t TakenOn(const std::string& node) const {
    const auto found = taken_.find(node);
    if (found == taken_.end()) return 0;
    std::int64_t sum = 0;
    for (const auto& [until_ms, amount] : found->second) {
      if (until_ms > loop_.elapsed_ms()) sum += amount;
    }
    return sum;
  }
  // The page is not there any more.
  void NoteLost(const crds::BindingJournal& page) {
    lost_.emplace_back(loop_.elapsed_ms() + kForgottenMs, page);
  }
  // The page is as this says from now on.
  void NoteStored(const crds::BindingJournal& page) {
    stored_.emplace_back(loop_.elapsed_ms(), page);
    while (stored_.front().first + kRestorableMs < loop_.elapsed_ms()) stored_.pop_front();
  }
  // The API server is as it was then. Whatever a page said since, even if it was settled and left
  // it, somebody who stood still meanwhile may yet act on.
  void NoteRestored(std::int64_t then_ms) {
    for (const auto& [at_ms, page] : stored_) {
      if (at_ms >= then_ms) NoteLost(page);
    }
  }
  [[nodiscard]] std::vector<crds::BindingJournal> LostPages() const {
    std::vector<crds::BindingJournal> pages;
    for (const auto& [until_ms, page] : lost_) {
      if (until_ms > loop_.elapsed_ms()) pages.push_back(page);
    }
    return pages;
  }

 private:
  // A request may be under way for 60 s, a watch be cut for 30 s, and what was decided is written
  // before it is sent.
  static constexpr std::int64_t kForgottenMs = 150'000;
  // No state is restored that is older.
  static constexpr std::int64_t kRestorableMs = 60'000;

  const SimLoop& loop_;
  std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> taken_;
  std::vector<std::pair<std::int64_t, crds::BindingJournal>> lost_;
  std::deque<std::pair<std::int64_t, crds::BindingJournal>> stored_;  // Oldest first.
};

}  // namespace muster::e2e
