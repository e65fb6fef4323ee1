#include "e2e/demo/sample.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "e2e/apiserver/yaml.h"
#include "e2e/demo/steps.h"

namespace muster::e2e {
namespace {

constexpr std::size_t kLogLines = 20;

Result<Json> ReadOne(const std::string& path) {
  MUSTER_ASSIGN(std::vector<Json> documents, ReadYamlFile(path));
  if (documents.size() != 1) return Error{Code::kInvalidArgument, path + ": not one document"};
  return std::move(documents[0]);
}

// The pod that must not stand where it is bound before the operator starts.
Outcome PlantWrongNode(Stage& stage, const Sample& sample) {
  for (const Json& step : sample.steps) {
    if (StringAt(step, {"step"}) != "apply") continue;
    if (Outcome failed = ApplyFile(stage, step)) return failed;
    break;
  }
  const Answer bound = stage.BindByHand("train-0", "node-c");
  if (bound.status == 201) return std::nullopt;
  return Mismatch{.expected = "train-0 bound to node-c by hand",
                  .seen = bound.text,
                  .command = "kubectl get pod train-0 -o wide"};
}

Outcome SetUp(Stage& stage, const Sample& sample, bool first) {
  if (Outcome failed = stage.StartCluster(sample.folder, first)) return failed;
  if (stage.options().canary == Canary::kWrongNode && first) {
    if (Outcome failed = PlantWrongNode(stage, sample)) return failed;
  }
  if (Outcome failed = stage.StartOperator()) return failed;
  if (first) stage.AnnounceOperator();
  return std::nullopt;
}

Outcome PlaySteps(Stage& stage, const Sample& sample) {
  for (const Json& item : sample.steps) {
    const Step step = FindStep(StringAt(item, {"step"}));
    if (step == nullptr) {
      return Mismatch{.expected = "a known step",
                      .seen = Dump(item),
                      .command = "less " + sample.folder + "/sample.yaml"};
    }
    if (Outcome failed = step(stage, item)) return failed;
  }
  for (const Json& expected : sample.expectations) {
    if (Outcome failed = ObjectIs(stage, expected)) return failed;
  }
  return stage.Unheard();
}

void Explain(const Stage& stage, const Mismatch& mismatch) {
  std::printf("\n  expected  %s\n  seen      %s\n", mismatch.expected.c_str(),
              mismatch.seen.c_str());
  std::printf("  the last lines of %s:\n", stage.options().programs.muster_log().c_str());
  for (const std::string& line : Tail(stage.options().programs.muster_log(), kLogLines)) {
    std::printf("    %s\n", line.c_str());
  }
  std::printf("  shown by  %s\n", mismatch.command.c_str());
}

}  // namespace

Result<Sample> ReadSample(const std::string& folder) {
  MUSTER_ASSIGN(Json story, ReadOne(folder + "/sample.yaml"));
  MUSTER_ASSIGN(Json expectations, ReadOne(folder + "/expect.yaml"));
  return Sample{.folder = folder,
                .name = std::filesystem::path(folder).filename(),
                .title = StringAt(story, {"title"}),
                .stated = StringAt(story, {"stated"}),
                .stays = BoolAt(story, {"stays"}),
                .steps = story.value("steps", Json::array()),
                .expectations = std::move(expectations)};
}

std::vector<std::string> SampleFolders(const std::string& parent) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

Verdict Play(Stage& stage, const Sample& sample, bool first) {
  const std::int64_t begin_ms = SteadyMs();
  Outcome failed = SetUp(stage, sample, first);
  std::printf("%s  %s\n", sample.name.substr(0, sample.name.find('-')).c_str(),
              sample.title.c_str());
  if (!failed) failed = PlaySteps(stage, sample);
  if (failed) Explain(stage, *failed);
  std::printf("\n");
  std::fflush(stdout);
  return {.as_stated = !failed, .ms = SteadyMs() - begin_ms};
}

void PrintVerdicts(const std::vector<Sample>& samples, const std::vector<Verdict>& verdicts) {
  std::size_t as_stated = 0;
  std::printf("  %-17s %-57s %-6s %s\n", "SAMPLE", "STATED", "SEEN", "TIME");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (verdicts[i].as_stated) ++as_stated;
    std::printf("  %-17s %-57s %-6s %.1f s\n", samples[i].name.c_str(), samples[i].stated.c_str(),
                verdicts[i].as_stated ? "yes" : "no", static_cast<double>(verdicts[i].ms) / 1000.0);
  }
  std::printf("  %zu of %zu samples ended as stated.\n", as_stated, samples.size());
}

}  // namespace muster::e2e
