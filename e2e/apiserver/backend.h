// What the verbs work on: kinds, objects, the clock and the source of UIDs. One per server.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "e2e/apiserver/kinds.h"
#include "e2e/apiserver/store.h"
#include "e2e/apiserver/time_text.h"

namespace muster::e2e {

class Backend {
 public:
  Backend(std::int64_t watch_history, std::uint64_t uid_seed, std::function<std::int64_t()> now_ms);

  KindTable kinds;
  Store store;

  [[nodiscard]] std::int64_t now_ms() const { return now_ms_(); }
  [[nodiscard]] std::string Now() const { return TimeText(now_ms_()); }
  // From a counter and the seed: the same in every run.
  [[nodiscard]] std::string NewUid();
  // Five letters or digits for metadata.generateName, from the same counter.
  [[nodiscard]] std::string NewSuffix();

  [[nodiscard]] VersionPtr Find(const Kind& kind, const std::string& ns,
                                const std::string& name) const {
    return store.Get(kind.storage, KeyOf(ns, name));
  }

 private:
  std::uint64_t Draw();

  std::function<std::int64_t()> now_ms_;
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
};

}  // namespace muster::e2e
