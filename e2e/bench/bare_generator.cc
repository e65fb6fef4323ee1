#include "e2e/bench/bare_generator.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string_view>
#include <thread>
#include <utility>

#include "controllers/api_calls.h"
#include "operator/api_target.h"
#include "operator/thread_loop.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

app::HttpCall CallFor(const BindCluster::Pod& pod, int gang) {
  crds::Binding binding;
  binding.ns = "default";
  binding.pod = pod.name;
  binding.uid = pod.uid;
  binding.resource_version = pod.resource_version;
  binding.node = BindCluster::NodeName(gang);
  binding.annotations = {{"muster.dev/admitted-queue", "default"},
                         {"muster.dev/admitted-group-uid", pod.gang_uid},
                         {"muster.dev/journal", "p-00/" + std::to_string(gang + 1)}};
  Result<app::HttpCall> call = app::CallOf(controllers::BindPod(binding));
  MUSTER_CHECK(call.ok());
  return std::move(call).value();
}

// Reads a watch until it is destroyed.
class OpenWatch {
 public:
  explicit OpenWatch(const app::Endpoint& endpoint)
      : connection_(endpoint, {}),
        thread_([this](const app::StopFlag& stop) { Read(stop); },
                [this] { connection_.Interrupt(); }) {
    while (!open_ && !ended_) std::this_thread::yield();
  }

 private:
  void Read(const app::StopFlag& stop) {
    (void)connection_.Stream(
        "/api/v1/pods?watch=1&resourceVersion=0",
        [this](const app::HttpReply& head) { return open_ = head.status == 200; },
        [&stop](std::string_view /*bytes*/) { return !stop.IsSet(); });
    ended_ = true;
  }

  std::atomic<bool> open_ = false, ended_ = false;
  app::HttpConnection connection_;
  app::IoThread thread_;
};

}  // namespace

Result<std::vector<app::HttpCall>> BareBindings(const BindCluster& cluster, int skip) {
  MUSTER_ASSIGN(const std::vector<BindCluster::Pod> pods, cluster.List());
  std::vector<app::HttpCall> calls;
  int at = 0;
  for (const BindCluster::Pod& pod : pods) calls.push_back(CallFor(pod, at++ / kGangSize));
  calls.resize(calls.size() - std::min(calls.size(), static_cast<std::size_t>(skip)));
  return calls;
}

void SendBare(const BindCluster& cluster, const std::vector<app::HttpCall>& calls,
              std::int32_t connections) {
  const OpenWatch watch(cluster.endpoint());
  std::atomic<std::size_t> next = 0;
  const auto send = [&] {
    app::HttpConnection connection(cluster.endpoint(), {});
    for (std::size_t call = next++; call < calls.size(); call = next++) {
      (void)connection.Send(calls[call]);
    }
  };
  std::vector<std::thread> workers(static_cast<std::size_t>(connections));
  for (std::thread& worker : workers) worker = std::thread(send);
  for (std::thread& worker : workers) worker.join();
}

}  // namespace muster::e2e
