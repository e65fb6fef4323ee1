// The simulated kubelets in real time: one thread that takes the frames of two watches and the
// clock to them. Start and Stop from one thread.
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
#include "e2e/sim/kubelet.h"

namespace muster::e2e {

class RealTimeKubelets {
 public:
  RealTimeKubelets(HttpFront& front, Kubelets::Options options);
  ~RealTimeKubelets();
  RealTimeKubelets(const RealTimeKubelets&) = delete;
  RealTimeKubelets& operator=(const RealTimeKubelets&) = delete;

  void Start();
  void Stop();
  // From any thread; Kubelets says what it does.
  void HoldEnds(bool held) { ends_held_ = held; }

 private:
  enum class Kind : std::uint8_t { kPod, kNode };
  void Watch(Kind kind, const std::string& path);
  void Work();

  HttpFront& front_;
  Kubelets kubelets_;  // Of the thread alone.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Kind, std::string>> frames_;
  bool stopping_ = false;
  std::atomic<bool> ends_held_ = false;
  std::thread thread_;
};

}  // namespace muster::e2e
