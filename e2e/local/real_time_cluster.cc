#include "e2e/local/real_time_cluster.h"

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

RealTimeCluster::RealTimeCluster(HttpFront& front, const Options& options)
    : front_(front),
      kubelets_(options.kubelets,
                [this](const HttpRequest& request) { return front_.Handle(request); }),
      controllers_(options.controllers,
                   [this](const HttpRequest& request) { return front_.Handle(request); }) {}

RealTimeCluster::~RealTimeCluster() {
  Stop();
}

void RealTimeCluster::Start() {
  for (const std::string& path : WatchedPaths()) Watch(path);
  thread_ = std::thread([this] { Work(); });
}

void RealTimeCluster::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RealTimeCluster::SetStopped(const std::string& node, bool stopped) {
  {
    const std::lock_guard lock(mutex_);
    stops_.emplace_back(node, stopped);
  }
  changed_.notify_all();
}

void RealTimeCluster::Watch(const std::string& path) {
  // Called under the store's lock: the frame is only queued.
  const auto sink = [this, path](const std::string& frame) {
    {
      const std::lock_guard lock(mutex_);
      frames_.emplace_back(path, frame);
    }
    changed_.notify_all();
  };
  front_.Locked([&](ApiServer& server) { WatchAll(server, path, sink); });
}

void RealTimeCluster::Take(const std::deque<Frame>& frames, std::int64_t now_ms) {
  for (const auto& [path, frame] : frames) {
    if (path.ends_with("/pods")) kubelets_.OnPod(frame, now_ms);
    if (path.ends_with("/nodes")) kubelets_.OnNode(frame, now_ms);
    controllers_.OnFrame(frame, now_ms);
  }
}

std::int64_t RealTimeCluster::IdleMs() const {
  const std::int64_t now_ms = WallMs();
  const std::int64_t next_ms = std::min(kubelets_.next_ms().value_or(now_ms + kIdleMs),
                                        controllers_.next_ms().value_or(now_ms + kIdleMs));
  return std::clamp<std::int64_t>(next_ms - now_ms, 0, kIdleMs);
}

void RealTimeCluster::Work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const std::int64_t now_ms = WallMs();
    std::deque<Frame> frames;
    frames.swap(frames_);
    std::deque<std::pair<std::string, bool>> stops;
    stops.swap(stops_);
    lock.unlock();
    Take(frames, now_ms);
    for (const auto& [node, stopped] : stops) kubelets_.SetStopped(node, stopped);
    kubelets_.HoldEnds(ends_held_);
    kubelets_.Run(now_ms);
    controllers_.Run(now_ms);
    const std::int64_t idle_ms = IdleMs();
    lock.lock();
    changed_.wait_for(lock, std::chrono::milliseconds(idle_ms),
                      [this] { return stopping_ || !frames_.empty() || !stops_.empty(); });
  }
}

}  // namespace muster::e2e
