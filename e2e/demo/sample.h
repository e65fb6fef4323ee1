// Runs one sample folder on a stage and says how it ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/demo/stage.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

struct Sample {
  std::string folder, name;  // "config/samples/1-seed", "1-seed".
  std::string title, stated;
  bool stays = false;  // It is played last where the last cluster stays up.
  Json steps, expectations;
};
struct Verdict {
  bool as_stated = false;
  std::int64_t ms = 0;
};

[[nodiscard]] Result<Sample> ReadSample(const std::string& folder);
// Every sample folder, by its number.
[[nodiscard]] std::vector<std::string> SampleFolders(const std::string& parent);
// `first`: announces the control plane and the operator.
[[nodiscard]] Verdict Play(Stage& stage, const Sample& sample, bool first);
// The table at the end.
void PrintVerdicts(const std::vector<Sample>& samples, const std::vector<Verdict>& verdicts);

}  // namespace muster::e2e
