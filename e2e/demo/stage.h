// One sample's world: a fresh control plane, the operator, the watches on it, and kubectl. Says
// what it does in the words that users see. Of the main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "e2e/demo/timeline.h"
#include "e2e/harness/client.h"
#include "e2e/harness/servers.h"

namespace muster::e2e {

// A sample that must not end as stated: a driver that cannot fail proves nothing.
enum class Canary : std::uint8_t { kNone, kNoOperator, kWrongNode, kHalfGang };

struct StageOptions {
  Programs programs;
  std::string kubectl = "kubectl";
  std::int32_t port = 18080;
  Canary canary = Canary::kNone;
};

// What was stated, what was seen instead, and the command that shows it.
struct Mismatch {
  std::string expected, seen, command;
};
using Outcome = std::optional<Mismatch>;

class Stage {
 public:
  explicit Stage(StageOptions options) : options_(std::move(options)) {}

  // Ends what ran before. `announce`: prints the lines of the first start.
  [[nodiscard]] Outcome StartCluster(const std::string& sample_folder, bool announce);
  [[nodiscard]] Outcome StartOperator();
  void AnnounceOperator();
  // From the start of a sample on no pod ends, however slow this machine is, until this.
  void LetPodsEnd();
  void Stop();

  [[nodiscard]] Client& api() { return *api_; }
  [[nodiscard]] Timeline& timeline() { return *timeline_; }
  [[nodiscard]] Child& operator_process() { return operator_.child; }
  [[nodiscard]] const StageOptions& options() const { return options_; }
  [[nodiscard]] const std::string& sample_folder() const { return sample_folder_; }
  // The items of a list.
  [[nodiscard]] Json List(const std::string& path);
  // A list that was not answered or a watch that ended: until here it passed for "nothing there".
  [[nodiscard]] Outcome Unheard() const;
  // Of the last decision about the gang or the pod; null when there is none.
  [[nodiscard]] Json Explain(const std::string& what) const;

  // Prints the command and runs it.
  [[nodiscard]] Output Kubectl(const std::vector<std::string>& args) const;
  [[nodiscard]] Output KubectlSilently(const std::vector<std::string>& args,
                                       std::int64_t patience_ms = 30'000) const;
  // "  train-0   bound    node-a": the subject may be empty.
  static void Say(const std::string& subject, const std::string& verb, const std::string& text);
  [[nodiscard]] Answer BindByHand(const std::string& pod, const std::string& node);

  // The stretch between a kill of the operator and its recovery.
  Timeline::Window restart{};

 private:
  StageOptions options_;
  std::string sample_folder_;
  Server local_, operator_;
  std::unique_ptr<Client> api_;
  std::unique_ptr<Timeline> timeline_;
  std::vector<std::unique_ptr<WatchStream>> watches_;
  std::string unanswered_;  // The first list without an answer.
};

// "kubectl ..." as a user would type it.
[[nodiscard]] std::string Shown(const std::vector<std::string>& args);
[[nodiscard]] std::string PodPath(const std::string& name);

}  // namespace muster::e2e
