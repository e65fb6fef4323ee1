// The list and the watch of one kind under virtual time: pages of a consistent list, then frames in
// stream order, each with its latency; a dropped stream goes on from the last resourceVersion, a
// 410 begins a new list. What the wire said when it is ended before it arrives is never heard.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "controllers/ports/api.h"
#include "e2e/sim/sim_loop.h"
#include "e2e/sim/wire.h"

namespace muster::e2e {

class SimWatch {
 public:
  struct Source {
    ports::Resource resource;
    ports::Api::Decode decode;
    ports::Api::Sink sink;
  };

  SimWatch(SimLoop& loop, Wire& wire, Source source)
      : loop_(loop), wire_(wire), source_(std::move(source)) {}
  ~SimWatch();
  SimWatch(const SimWatch&) = delete;
  SimWatch& operator=(const SimWatch&) = delete;

  void Start() { ListPage(""); }

 private:
  static constexpr std::int64_t kRetryMs = 800;
  static constexpr std::int64_t kPatienceMs = 10'000;
  static constexpr int kPageLimit = 50;

  void ListPage(const std::string& token);
  void OnPage(const HttpResponse& response);
  void Watch();
  void OnWatchAnswer(const HttpRequest& request);
  void OnFrame(const std::string& frame);
  void Deliver(const std::string& frame);
  void Drop();  // Ends the stream; what is on its way is not heard.
  void Relist();
  void Emit(ports::WatchEvent event);
  [[nodiscard]] HttpRequest Get(std::vector<std::pair<std::string, std::string>> query) const;
  // Runs `task` unless this watch, or the stream that it belongs to, has ended by then.
  void Later(std::int64_t delay_ms, std::function<void()> task);

  SimLoop& loop_;
  Wire& wire_;
  Source source_;
  std::string resource_version_;
  bool listing_ = false;
  std::uint64_t subscription_ = 0;
  std::int64_t last_delivery_ms_ = 0;
  std::shared_ptr<bool> stream_ = std::make_shared<bool>(true);
};

}  // namespace muster::e2e
