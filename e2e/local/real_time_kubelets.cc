#include "e2e/local/real_time_kubelets.h"

#include <algorithm>
#include <chrono>

#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kIdleMs = 1000;

std::int64_t WallMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

RealTimeKubelets::RealTimeKubelets(HttpFront& front, Kubelets::Options options)
    : front_(front),
      kubelets_(options, [this](const HttpRequest& request) { return front_.Handle(request); }) {}

RealTimeKubelets::~RealTimeKubelets() {
  Stop();
}

void RealTimeKubelets::Start() {
  Watch(Kind::kNode, "/api/v1/nodes");
  Watch(Kind::kPod, "/api/v1/pods");
  thread_ = std::thread([this] { Work(); });
}

void RealTimeKubelets::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RealTimeKubelets::Watch(Kind kind, const std::string& path) {
  // Called under the store's lock: the frame is only queued.
  const auto sink = [this, kind](const std::string& frame) {
    {
      const std::lock_guard lock(mutex_);
      frames_.emplace_back(kind, frame);
    }
    changed_.notify_all();
  };
  front_.Locked([&](ApiServer& server) {
    const auto subscription = server.Subscribe({.method = "GET",
                                                .path = path,
                                                .query = {{"watch", "1"}},
                                                .content_type = {},
                                                .accept = "application/json",
                                                .body = {}},
                                               sink, [] {});
    MUSTER_CHECK(subscription.id != 0);
  });
}

void RealTimeKubelets::Work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const std::int64_t now_ms = WallMs();
    std::deque<std::pair<Kind, std::string>> frames;
    frames.swap(frames_);
    lock.unlock();
    for (const auto& [kind, frame] : frames) {
      kind == Kind::kPod ? kubelets_.OnPod(frame, now_ms) : kubelets_.OnNode(frame, now_ms);
    }
    kubelets_.HoldEnds(ends_held_);
    kubelets_.Run(now_ms);
    const std::int64_t idle_ms = std::clamp<std::int64_t>(
        kubelets_.next_ms().value_or(now_ms + kIdleMs) - WallMs(), 0, kIdleMs);
    lock.lock();
    changed_.wait_for(lock, std::chrono::milliseconds(idle_ms),
                      [this] { return stopping_ || !frames_.empty(); });
  }
}

}  // namespace muster::e2e
