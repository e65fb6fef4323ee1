// The start: lists the journal's pages, fences every one, creates those that are missing, and says
// what they hold. Only when all of that is answered may pods and nodes be listed: what the lists
// show is then newer than every request that a page does not name. Loop thread only.
//
//   listing pages --> fencing p-00 --> listing again --> fencing all others --> looking at p-00 -->
//   done
//      ^                                                                          | not as written
//      '--------------------------------------------------------------------------'
//
// Two lives that fence at the same time could else each end up with the last word on another page,
// and both promise one node. p-00 is the gate: who finds it still as he wrote it, after all others
// are fenced, was alone since. Whoever writes it later fences the others after that look.
// The two may use pages of other numbers: the list behind the gate shows all that one could make
// who has passed it, for he makes them before he looks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controllers/journal_parts.h"
#include "controllers/page_fence.h"

namespace muster::controllers {

class Recovery {
 public:
  struct Found {
    std::vector<crds::BindingJournal> pages;  // As stored by this holder; the usable ones first.
    std::size_t usable = 0;
    OpenEntries open;                  // What they say together.
    bool created = false;              // A page was missing, and with it perhaps entries.
    std::vector<std::string> missing;  // Which; all of them where Muster was never started.
    // No entry ever had this id or a greater one, on whatever page: those that are given now are
    // told from all before by a DELETE that looks at them (scheduling text 9, R3).
    std::uint64_t first_id = 1;
    std::uint64_t intact_from = 0;  // Entries with a lesser id may be lost; 0 = none are.
  };
  struct World {
    Writer& writer;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    std::string ns, holder;
    std::int32_t pages = 16;  // That take new entries: 1 to kPagesMax.
    std::function<void(const std::string& why)> unreadable;
    std::function<void(Found found)> done;
  };

  explicit Recovery(World world);
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  // If there are pages, they are fenced only after `wait_ms`: so long somebody may still believe
  // that he leads.
  void Start(std::int64_t wait_ms) {
    wait_ms_ = wait_ms;
    List();
  }
  [[nodiscard]] bool served() const { return served_; }  // The API server knows the kind.

 private:
  void List();
  void ListAfter(std::int64_t ms);
  void OnListed(const Result<ports::Response>& answer);
  void FenceGate();
  void FenceOthers();
  void StartFence(PageFence& fence, bool is_new);
  void OnFenced();
  void LookAtGate();
  void OnGate(const Result<ports::Response>& answer);
  void Tell();
  [[nodiscard]] std::string ReadIds(Found& found) const;  // "" = read.

  World world_;
  PageFence::World fence_world_;
  std::vector<std::unique_ptr<PageFence>> fences_;  // The usable pages first; p-00 is the first.
  std::vector<crds::BindingJournal> listed_;        // Before they were fenced.
  bool served_ = true;
  std::int32_t attempt_ = 0;
  std::int64_t wait_ms_ = 0;
};

}  // namespace muster::controllers
