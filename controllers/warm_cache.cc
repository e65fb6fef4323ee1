#include "controllers/warm_cache.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "controllers/answer.h"
#include "controllers/api_calls.h"
#include "controllers/numbers.h"
#include "crds/list.h"

namespace muster::controllers {
namespace {

using ports::WatchEvent;

// Nobody waits for longer, however large the kind.
constexpr std::int64_t kPatienceMaxMs = 1'000;
// What is listed within this time is listed at once.
constexpr std::int64_t kWorthAskingMs = 50;
constexpr std::int64_t kUsPerMs = 1'000;

scheduler::Key KeyOf(const WatchEvent& event) {
  const crds::ObjectMeta* meta = crds::MetaOf(event.object);
  return meta != nullptr ? scheduler::Key{meta->ns, meta->name}
                         : scheduler::Key{event.ns, event.name};
}

}  // namespace

void WarmCache::On(WatchEvent event) {
  Fold(std::move(event));
  if (caught_up()) Settle();
}

void WarmCache::Fold(WatchEvent event) {
  using Type = WatchEvent::Type;
  // Items come in the order of their names; what does not decode may be one.
  const bool in_order = event.type != Type::kListed && event.type != Type::kInvalid;
  if (in_order && !event.resource_version.empty()) version_ = event.resource_version;
  switch (event.type) {
    case Type::kListed:
    case Type::kAdded:
    case Type::kModified:
      event.type = Type::kListed;
      [[fallthrough]];
    case Type::kInvalid:
      Keep(std::move(event));
      break;
    case Type::kDeleted:
      Drop(event);
      break;
    case Type::kListEnd:
      EndList();
      whole_ = true;
      break;
    case Type::kBookmark:
      whole_ = true;  // After a cut; a lost stream has none before the end of its new list.
      break;
    case Type::kLost:
      ++list_;
      whole_ = false;
      break;
    case Type::kCut:
      whole_ = false;
      break;
  }
}

void WarmCache::Keep(WatchEvent event) {
  scheduler::Key key = KeyOf(event);
  kept_[std::move(key)] = {.event = std::move(event), .list = list_};
}

void WarmCache::Drop(const WatchEvent& event) {
  const auto known = kept_.find(KeyOf(event));
  if (known == kept_.end()) return;
  const crds::ObjectMeta* gone = crds::MetaOf(event.object);
  const crds::ObjectMeta* kept = crds::MetaOf(known->second.event.object);
  // The end of an object of which the successor is known already.
  if (gone != nullptr && kept != nullptr && gone->uid != kept->uid) return;
  kept_.erase(known);
}

// As the informer does it: with an object that has no readable name in the list, nobody can be
// called gone by its absence.
void WarmCache::EndList() {
  const auto nameless = kept_.find(scheduler::Key{});
  if (nameless != kept_.end() && nameless->second.list == list_) return;
  std::erase_if(kept_, [this](const auto& known) { return known.second.list != list_; });
}

void WarmCache::Ask(std::int64_t list_us) {
  const std::int64_t list_ms = std::ssize(kept_) * list_us / kUsPerMs;
  if (!whole_ || list_ms < kWorthAskingMs) return Settle();
  world_.send(ListOne(world_.resource),
              [this](const Result<ports::Response>& answer) { OnAnswer(answer); });
  world_.loop.After(std::min(list_ms, kPatienceMaxMs), [this] { Settle(); });
}

// What goes wrong here need not be repeated: the new list is, until it comes.
void WarmCache::OnAnswer(const Result<ports::Response>& answer) {
  if (Judge(answer).outcome != Outcome::kDone) return Settle();
  const auto list = crds::SplitList(answer.value().body);
  if (!list.ok()) return Settle();
  target_ = list.value().resource_version;
  if (caught_up()) Settle();
}

bool WarmCache::caught_up() const {
  return whole_ && target_.has_value() && std::is_gteq(CompareVersions(version_, *target_));
}

void WarmCache::Settle() {
  if (!std::exchange(settled_, true)) world_.settled();
}

void WarmCache::PassOn(const std::function<void(const WatchEvent& event)>& sink) {
  const std::map<scheduler::Key, Kept> kept = std::exchange(kept_, {});
  for (const auto& [key, known] : kept) sink(known.event);
  WatchEvent end;
  end.type = WatchEvent::Type::kListEnd;
  end.resource_version = version_;
  sink(end);
}

}  // namespace muster::controllers
