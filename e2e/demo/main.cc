// muster-demo: plays the samples of config/samples against a simulated cluster on this machine,
// with the real kubectl, and says whether each ended as stated.

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "e2e/cli/command_line.h"
#include "e2e/demo/sample.h"
#include "e2e/paths/paths.h"

namespace muster::e2e {
namespace {

struct Flags {
  std::string root = SourceDir(), programs = BinaryDir(), kubectl = "kubectl";
  std::string folder = "build/run";  // For logs and kubeconfig; relative to the root.
  std::vector<int> samples;          // Empty = all.
  std::int32_t port = 18080;
  bool stay = false;
  Canary canary = Canary::kNone;
};

// Ends this process at SIGINT or SIGTERM; the kernel then ends its children.
class Interrupt {
 public:
  Interrupt() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::thread([this] {
      int signal = 0;
      sigwait(&signals_, &signal);
      std::printf("%s\n", staying ? "\nStopped; nothing keeps running."
                                  : "\nInterrupted; nothing keeps running. Start again: make demo");
      std::fflush(stdout);
      _exit(staying ? 0 : 128 + signal);
    }).detach();
  }
  std::atomic<bool> staying = false;

 private:
  sigset_t signals_{};
};

bool IsWanted(const Flags& flags, const std::string& folder) {
  const int number = std::atoi(std::filesystem::path(folder).filename().c_str());
  return flags.samples.empty() ||
         std::find(flags.samples.begin(), flags.samples.end(), number) != flags.samples.end();
}

// In the order in which they are played.
Result<std::vector<Sample>> ReadSamples(const Flags& flags) {
  std::vector<Sample> samples;
  for (const std::string& folder : SampleFolders("config/samples")) {
    if (!IsWanted(flags, folder)) continue;
    MUSTER_ASSIGN(Sample sample, ReadSample(folder));
    samples.push_back(std::move(sample));
  }
  if (samples.empty()) return Error{Code::kNotFound, "no such sample in config/samples"};
  if (flags.stay) std::ranges::stable_partition(samples, std::logical_not<>(), &Sample::stays);
  return samples;
}

void Stay(Interrupt& interrupt, const Sample& last) {
  std::printf(
      "\nThe cluster is still up. Try:\n"
      "  kubectl get podgroups.muster.dev -A -o wide\n"
      "  kubectl describe podgroups.muster.dev train-b\n"
      "  kubectl apply -f %s/gangs.yaml\n"
      "Ctrl-C stops it.\n",
      last.folder.c_str());
  std::fflush(stdout);
  interrupt.staying = true;
  while (true) pause();
}

int Run(const Flags& flags) {
  Interrupt interrupt;
  std::error_code error;
  std::filesystem::current_path(flags.root, error);
  std::filesystem::create_directories(flags.folder, error);
  const auto samples = ReadSamples(flags);
  if (error || !samples.ok()) {
    std::fprintf(stderr, "muster-demo: %s\n",
                 error ? error.message().c_str() : samples.error().message.c_str());
    return 1;
  }
  Stage stage({.programs = {.local = flags.programs + "/e2e/muster-local",
                            .muster = flags.programs + "/operator/muster",
                            .folder = flags.folder},
               .kubectl = flags.kubectl,
               .port = flags.port,
               .canary = flags.canary});
  std::vector<Verdict> verdicts;
  bool all = true;
  for (const Sample& sample : samples.value()) {
    verdicts.push_back(Play(stage, sample, verdicts.empty()));
    all = all && verdicts.back().as_stated;
  }
  PrintVerdicts(samples.value(), verdicts);
  if (flags.stay && all && isatty(STDIN_FILENO) != 0) Stay(interrupt, samples.value().back());
  stage.Stop();
  return all ? 0 : 1;
}

}  // namespace
}  // namespace muster::e2e

int main(int argc, char** argv) {
  using muster::e2e::Canary;
  using Path = muster::e2e::FlagRule::Path;
  muster::e2e::Flags flags;
  muster::e2e::CommandLine line(
      "Plays the samples of config/samples; exit 0 only if each ends as stated.", "muster-demo");
  line.Add("--root", flags.root, "The repository", {.type = "FOLDER", .path = Path::kFolder});
  line.Add("--programs", flags.programs, "The build folder with the binaries",
           {.type = "FOLDER", .path = Path::kFolder});
  line.Add("--folder", flags.folder, "For logs and kubeconfig", {.type = "FOLDER"});
  line.Add("--kubectl", flags.kubectl, "kubectl 1.32 or newer", {.type = "FILE"});
  line.Add("--sample", flags.samples, "Numbers of the samples; all without it", {.type = "NUMBER"});
  line.Add("--port", flags.port, "Port of the simulated API server; 0 = any free one",
           {.type = "PORT", .min = 0, .max = 65535});
  line.Add("--stay", flags.stay, "Keeps the cluster up until Ctrl-C, if stdin is a terminal");
  line.AddChoice<Canary>("--canary", flags.canary,
                         {{"no-operator", Canary::kNoOperator},
                          {"wrong-node", Canary::kWrongNode},
                          {"half-gang", Canary::kHalfGang}},
                         "A fault with which the demo must fail");
  if (const auto end = line.Parse(argc, argv)) return *end;
  return muster::e2e::Run(flags);
}
