#include "controllers/recovery.h"

#include <algorithm>
#include <utility>

#include "controllers/api_calls.h"
#include "controllers/backoff.h"
#include "controllers/numbers.h"
#include "crds/decode.h"
#include "crds/list.h"
#include "scheduler/base/check.h"

namespace muster::controllers {
namespace {

Result<std::vector<crds::BindingJournal>> PagesOf(const std::string& body) {
  MUSTER_ASSIGN(const crds::ListPage list, crds::SplitList(body));
  std::vector<crds::BindingJournal> pages;
  for (const std::string_view item : list.items) {
    MUSTER_ASSIGN(crds::BindingJournal page, crds::DecodeBindingJournal(item));
    if (!crds::IsName(page.meta.name)) {  // No request could be made for it.
      return Error{Code::kInvalidArgument, "metadata.name: expected a name"};
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

// Ids travel as JSON numbers, which are exact below 2^53.
constexpr std::uint64_t kVersionMax = (std::uint64_t{1} << 43U) - 1;

}  // namespace

Recovery::Recovery(World world)
    : world_(std::move(world)),
      fence_world_{.writer = world_.writer,
                   .loop = world_.loop,
                   .telemetry = world_.telemetry,
                   .ns = world_.ns,
                   .holder = world_.holder,
                   .unreadable = world_.unreadable,
                   .fenced = [this] { OnFenced(); }} {
  MUSTER_CHECK(world_.pages >= 1 && world_.pages <= kPagesMax);
}

void Recovery::List() {
  world_.writer.Submit(ListPages(world_.ns),
                       [this](const Result<ports::Response>& answer) { OnListed(answer); });
}

void Recovery::ListAfter(std::int64_t ms) {
  world_.loop.After(ms, [this] { List(); });
}

// A plain 404 means that the kind is not served (yet): wait, and take nothing for empty.
void Recovery::OnListed(const Result<ports::Response>& answer) {
  const Verdict verdict = Judge(answer);
  if (verdict.outcome == Outcome::kDone) {
    auto pages = PagesOf(answer.value().body);
    if (!pages.ok()) return world_.unreadable("a page: " + pages.error().message);
    served_ = true;
    const std::int64_t wait_ms = std::exchange(wait_ms_, 0);
    if (wait_ms > 0 && !pages.value().empty()) return ListAfter(wait_ms);
    listed_ = std::move(pages).value();
    return fences_.empty() ? FenceGate() : FenceOthers();
  }
  served_ = verdict.outcome != Outcome::kNotServed;
  world_.telemetry.Log(ports::Level::kWarning, "the journal cannot be listed",
                       {{"namespace", world_.ns}, {"answer", verdict.text}});
  ListAfter(BackoffMs(world_.loop, attempt_++));
}

void Recovery::FenceGate() {
  fences_.push_back(std::make_unique<PageFence>(fence_world_, PageName(0)));
  fences_.front()->SetPages(world_.pages);
  StartFence(*fences_.front(), false);
}

// What p-00 said before tells pages that are lost from such as are new; without it none is new.
void Recovery::FenceOthers() {
  const PageFence& gate = *fences_.front();
  const std::int32_t before = gate.pages_before().value_or(kPagesMax);
  std::vector<std::string> names;
  const std::int32_t numbered = std::max(world_.pages, gate.pages_before().value_or(0));
  names.reserve(static_cast<std::size_t>(numbered) + listed_.size());
  for (std::int32_t i = 0; i < numbered; ++i) names.push_back(PageName(i));
  for (const crds::BindingJournal& page : listed_) {
    if (std::ranges::find(names, page.meta.name) == names.end()) names.push_back(page.meta.name);
  }
  for (std::size_t i = 1; i < names.size(); ++i) {
    fences_.push_back(std::make_unique<PageFence>(fence_world_, names[i]));
  }
  if (fences_.size() == 1) return LookAtGate();
  for (std::int32_t i = 1; i < std::ssize(fences_); ++i) {
    StartFence(*fences_[static_cast<std::size_t>(i)], before <= i && i < world_.pages);
  }
}

// As the list showed the page, if it was there.
void Recovery::StartFence(PageFence& fence, bool is_new) {
  const auto page = std::ranges::find_if(
      listed_, [&](const crds::BindingJournal& known) { return known.meta.name == fence.name(); });
  if (page != listed_.end()) return fence.Start(std::move(*page));
  if (is_new) return fence.StartNew();
  fence.Start();
}

// Every page was just written, so the greatest of their versions is above that of each PUT before.
// A PUT stores at most 256 entries, so ids that begin at a multiple of the version are above all
// that were stored since the version before; the rest of the factor is for those that never were.
// resourceVersions are comparable integers (KEP-5504).
std::string Recovery::ReadIds(Found& found) const {
  constexpr std::uint64_t kIdsPerVersion = 1024;
  for (const crds::BindingJournal& page : found.pages) {
    const auto version = NumberIn<std::uint64_t>(page.meta.resource_version);
    if (!version || *version > kVersionMax) {
      return "page " + page.meta.name + ": metadata.resourceVersion \"" +
             page.meta.resource_version + "\" is no number below 2^43";
    }
    found.first_id = std::max(found.first_id, *version * kIdsPerVersion);
    for (const crds::JournalEntry& entry : page.entries) {
      found.first_id = std::max(found.first_id, entry.id + 1);
    }
    const auto intact = page.meta.annotations.find(kIntactFrom);
    if (intact == page.meta.annotations.end()) continue;
    const auto id = NumberIn<std::uint64_t>(intact->second);
    if (!id) return "page " + page.meta.name + ": annotation " + kIntactFrom + " is no number";
    found.intact_from = std::max(found.intact_from, *id);
  }
  if (found.created) found.intact_from = found.first_id;
  return "";
}

void Recovery::OnFenced() {
  const auto done = std::ranges::count_if(fences_, [](const auto& fence) { return fence->done(); });
  const auto all = std::ssize(fences_);
  if (all == 1) return List();
  if (done == all) LookAtGate();
}

void Recovery::LookAtGate() {
  world_.writer.Submit(GetPage(world_.ns, fences_.front()->name()),
                       [this](const Result<ports::Response>& answer) { OnGate(answer); });
}

void Recovery::OnGate(const Result<ports::Response>& answer) {
  const Verdict verdict = Judge(answer);
  const bool read = verdict.outcome == Outcome::kDone;
  const bool told = read || verdict.outcome == Outcome::kGone;
  if (!told) {
    world_.loop.After(BackoffMs(world_.loop, attempt_++), [this] { LookAtGate(); });
    return;
  }
  const auto gate = read ? crds::DecodeBindingJournal(answer.value().body)
                         : Result<crds::BindingJournal>(crds::BindingJournal());
  const auto& written = fences_.front()->page().meta.resource_version;
  if (gate.ok() && gate.value().meta.resource_version == written) return Tell();
  world_.telemetry.Log(ports::Level::kWarning,
                       "another has fenced the journal at the same time, beginning anew",
                       {{"page", fences_.front()->name()}});
  fences_.clear();
  ListAfter(BackoffMs(world_.loop, attempt_++));
}

void Recovery::Tell() {
  Found found;
  found.usable = static_cast<std::size_t>(world_.pages);
  for (const auto& fence : fences_) {
    found.pages.push_back(fence->page());
    found.created = found.created || fence->created();
    if (fence->created()) found.missing.push_back(fence->page().meta.name);
  }
  found.open = ReadPages(found.pages);
  if (found.open.problem.empty()) found.open.problem = ReadIds(found);
  if (!found.open.problem.empty()) return world_.unreadable(found.open.problem);
  world_.done(std::move(found));
}

}  // namespace muster::controllers
