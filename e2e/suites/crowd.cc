#include "e2e/suites/crowd.h"

#include "e2e/harness/process.h"

namespace muster::e2e {
namespace {

constexpr const char* kCrowdPods = "/api/v1/namespaces/default/pods";
constexpr std::int64_t kCrowdTurnMs = 10;

Json PodOfCrowd(int number) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", "crowd-" + std::to_string(number)}, {"namespace", "default"}}},
          {"spec",
           {{"schedulerName", "another"},
            {"containers", Json::array({{{"name", "c"}, {"image", "i"}}})}}}};
}

}  // namespace

Crowd::~Crowd() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
}

std::string Crowd::Gather(int pods) {
  for (int i = 0; i < pods; ++i) {
    const Answer made = client_.Post(kCrowdPods, PodOfCrowd(i));
    if (made.status != 201) return std::string(kCrowdPods) + ": " + made.text;
  }
  thread_ = std::thread([this] {
    for (int turn = 0; !over_; ++turn) {
      const Json note = {{"metadata", {{"annotations", {{"turn", std::to_string(turn)}}}}}};
      (void)client_.Patch(std::string(kCrowdPods) + "/crowd-0", note,
                          "application/merge-patch+json");
      SleepMs(kCrowdTurnMs);
    }
  });
  return {};
}

}  // namespace muster::e2e
