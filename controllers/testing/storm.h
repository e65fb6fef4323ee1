// A small world in which everything goes wrong, for tests of the whole Manager: requests that take
// effect late or never, answers that are lost, refusals that mean nothing, kills at any time, pods
// that are deleted, changed and made again under a new uid, nodes that are cordoned and made anew.
// From a seed; virtual time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controllers/manager.h"
#include "controllers/testing/fake_api.h"
#include "controllers/testing/manual_loop.h"
#include "controllers/testing/protocol_rig.h"

namespace muster::controllers::testing {

// Nodes of one slot each, a gang g of three and a single pod: they fill it exactly.
class Storm {
 public:
  explicit Storm(std::uint64_t seed);
  ~Storm();
  Storm(const Storm&) = delete;
  Storm& operator=(const Storm&) = delete;

  void Rage(std::int64_t ms);  // Faults, kills and deletions.
  void Calm(std::int64_t ms);  // Nothing new goes wrong; what is under way may still act late.

  [[nodiscard]] std::string problem() const { return problem_; }  // The first one; "" = none.
  [[nodiscard]] std::int64_t bound() const;
  [[nodiscard]] std::int64_t entries() const;
  [[nodiscard]] std::int64_t pods() const { return static_cast<std::int64_t>(names_.size()); }
  [[nodiscard]] FakeTelemetry& telemetry() { return telemetry_; }
  [[nodiscard]] std::int64_t late_refused() const { return late_refused_; }

 private:
  struct Node {
    bool cordoned = false;
    std::uint64_t made = 0, version = 0;
  };
  struct Life;
  class WildApi;

  [[nodiscard]] std::uint64_t Draw(std::uint64_t below);
  void Start();
  void Kill();
  void Disturb();
  void Cordon(std::uint64_t node);
  void ShowNode(std::uint64_t node);
  void DeletePod(const std::string& name);
  void MakePod(const std::string& name);
  void MakeAgainLater(const std::string& name);
  void Play(const ports::Request& request, const ports::Api::Done& done);
  [[nodiscard]] ports::Response Act(const ports::Request& request);
  void Show();
  void Check();
  [[nodiscard]] crds::Node NodeObject(std::uint64_t index);
  [[nodiscard]] std::vector<crds::Object> Listed(const std::string& plural);

  ManualLoop loop_;
  FakeApi api_{loop_};
  FakeTelemetry telemetry_;
  std::uint64_t state_ = 0;
  std::uint64_t weather_ = 0;  // Five of so many requests go wrong.
  bool raging_ = false;
  std::int64_t made_ = 0;
  std::int64_t late_refused_ = 0;
  std::map<std::uint64_t, Node> nodes_;
  std::vector<std::string> names_ = {"g-0", "g-1", "g-2", "lone"};
  std::map<std::string, std::pair<std::string, std::int64_t>> shown_;  // Uid, version.
  std::map<std::string, crds::Pod> shown_pods_;
  std::string problem_;
  std::unique_ptr<Life> life_;
};

}  // namespace muster::controllers::testing
