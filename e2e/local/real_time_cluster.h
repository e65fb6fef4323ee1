// What runs in a simulated cluster beside its API server, in real time: the kubelets and the
// controllers, on one thread that takes the frames of watches and the clock to them. Start and Stop
// from one thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "e2e/apiserver/http_front.h"
#include "e2e/owners/controllers.h"
#include "e2e/sim/kubelet.h"

namespace muster::e2e {

class RealTimeCluster {
 public:
  struct Options {
    Kubelets::Options kubelets{.lease_ms = 10'000};
    ClusterControllers::Options controllers{};
  };

  RealTimeCluster(HttpFront& front, const Options& options);
  ~RealTimeCluster();
  RealTimeCluster(const RealTimeCluster&) = delete;
  RealTimeCluster& operator=(const RealTimeCluster&) = delete;

  void Start();
  void Stop();
  // From any thread; Kubelets says what they do.
  void HoldEnds(bool held) { ends_held_ = held; }
  void SetStopped(const std::string& node, bool stopped);

 private:
  using Frame = std::pair<std::string, std::string>;  // The path of the watch, the frame.
  void Watch(const std::string& path);
  void Work();
  void Take(const std::deque<Frame>& frames, std::int64_t now_ms);
  [[nodiscard]] std::int64_t IdleMs() const;

  HttpFront& front_;
  Kubelets kubelets_;  // Of the thread alone, as the next.
  ClusterControllers controllers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  std::deque<std::pair<std::string, bool>> stops_;  // Nodes: their kubelet stops, or starts.
  bool stopping_ = false;
  std::atomic<bool> ends_held_ = false;
  std::thread thread_;
};

}  // namespace muster::e2e
