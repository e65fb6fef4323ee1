// Fences one page at the start: writes it with the own holder, a raised sequence and unchanged
// entries, so that a PUT of a former life that is still under way is refused. A PUT that changes
// nothing would leave the resourceVersion, and fence nobody. Loop thread only.
//
//                 404             201
//   reading (GET) -----> creating ----> fenced (the page was missing)
//      ^    |              | 409, no answer: reading
//      |    v 200          v
//      '-- putting ----------- 200, or read back as written ----> fenced
//          409, no answer, 404: reading
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "controllers/answer.h"
#include "controllers/ports/loop.h"
#include "controllers/ports/telemetry.h"
#include "controllers/writer.h"
#include "crds/binding_journal.h"

namespace muster::controllers {

// An annotation of a page that was created over one that may have been lost. It stays through every
// fence until the pending pods are touched: without it a life that begins after a crash in between
// would take the empty page for the whole truth, and Bindings that only the lost page named could
// still act.
inline constexpr const char* kUntouchedMark = "muster.dev/untouched";
// What the mark becomes when they are: an id. Entries with a lesser one may have stood on the page
// that was lost. It stays.
inline constexpr const char* kIntactFrom = "muster.dev/intact-from";
// On p-00: how many pages there have been, those that are not used any more among them. It is
// raised before any of them is made, so a page with a number from there on never was, and is not
// lost.
inline constexpr const char* kPagesMark = "muster.dev/pages";
inline constexpr std::int32_t kPagesDefault = 16, kPagesMax = 64;

class PageFence {
 public:
  struct World {
    Writer& writer;
    ports::Loop& loop;
    ports::Telemetry& telemetry;
    std::string ns, holder;
    std::function<void(const std::string& why)> unreadable;
    std::function<void()> fenced;
  };

  PageFence(const World& world, std::string name) : world_(world), name_(std::move(name)) {}

  void Start();                             // Nothing is known of the page.
  void Start(crds::BindingJournal listed);  // As a list showed it.
  void StartNew();                          // There never was one, as far as is known.
  // Before the start: it is p-00, and says from now on that there are at least so many pages.
  void SetPages(std::int32_t pages) { pages_ = pages; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool done() const { return done_; }
  // It was missing, as far as we know, and the pods that a lost page may have named are not all
  // touched yet: by this life, or by one before that ended too early.
  [[nodiscard]] bool created() const {
    return created_ || page_.meta.annotations.contains(kUntouchedMark);
  }
  [[nodiscard]] const crds::BindingJournal& page() const { return page_; }
  // How many pages it said there are before it was fenced; nullopt: it said nothing.
  [[nodiscard]] std::optional<std::int32_t> pages_before() const { return pages_before_; }

 private:
  using Answer = Result<ports::Response>;

  void Read();
  void OnRead(const Answer& answer);
  void OnSeen(crds::BindingJournal seen);
  void Create();
  [[nodiscard]] bool NotePages();  // False: what it says is no number.
  void Put(crds::BindingJournal seen);
  void OnWritten(const Answer& answer);
  void Finish(const crds::BindingJournal& stored);
  void ReadLater(const Verdict& verdict);

  const World& world_;
  std::string name_;
  crds::BindingJournal page_;  // As last written.
  bool written_ = false;       // page_ may be stored.
  bool created_ = false;
  bool new_ = false;
  std::int32_t pages_ = 0;  // 0: it is not p-00.
  std::optional<std::int32_t> pages_before_;
  bool done_ = false;
  std::int32_t attempt_ = 0;
};

}  // namespace muster::controllers
