#include "e2e/suites/stand.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "e2e/suites/mask.h"

namespace muster::e2e {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = MUSTER_SOURCE_DIR;
const std::string kBuild = MUSTER_BINARY_DIR;
constexpr std::int64_t kPatienceMs = 60'000;

}  // namespace

Result<std::unique_ptr<Stand>> Stand::Start(const std::string& name, const std::string& cluster) {
  auto stand = std::make_unique<Stand>();
  stand->programs_ = {.local = kBuild + "/e2e/muster-local",
                      .muster = kBuild + "/operator/muster",
                      .folder = kBuild + "/run-" + name};
  fs::remove_all(stand->programs_.folder);
  fs::create_directories(stand->programs_.folder);
  const std::vector<std::string> flags = {"--cluster", kRoot + "/" + cluster, "--crds",
                                          kRoot + "/crds"};
  MUSTER_ASSIGN(stand->local_, StartLocal(stand->programs_, 0, flags));
  MUSTER_ASSIGN(stand->muster_, StartMuster(stand->programs_));
  return stand;
}

Output Stand::Kubectl(const std::string& kubectl, const std::vector<std::string>& arguments) const {
  Command command;
  command.argv = {kubectl};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.env = {"KUBECONFIG=" + programs_.kubeconfig(), "HOME=" + programs_.folder};
  command.cwd = kRoot;
  return RunCommand(command, kPatienceMs);
}

Output Stand::Script(const std::string& kubectl, const std::string& script) const {
  const std::string bin = programs_.folder + "/bin";
  fs::create_directories(bin);
  std::error_code ignored;
  fs::remove(bin + "/kubectl", ignored);
  fs::create_symlink(kubectl, bin + "/kubectl");
  Command command;
  command.argv = {"bash", "-euo", "pipefail", "-c", "PATH=" + bin + ":$PATH\n" + script};
  command.env = {"KUBECONFIG=" + programs_.kubeconfig(), "HOME=" + programs_.folder};
  command.cwd = kRoot;
  return RunCommand(command, kPatienceMs);
}

std::string Stand::WaitFor(const std::string& kubectl, const std::vector<std::string>& arguments,
                           const std::string& text) const {
  std::string seen;
  for (int i = 0; i < 300; ++i) {
    seen = Kubectl(kubectl, arguments).text;
    if (Mask(seen).find(text) != std::string::npos) break;
    SleepMs(100);
  }
  return seen;
}

std::string Stand::Write(const std::string& name, const std::string& text) const {
  const std::string path = programs_.folder + "/" + name;
  std::ofstream(path) << text;
  return path;
}

std::vector<std::string> TestKubectls() {
  return {kRoot + "/build/tools/kubectl-trixie", kRoot + "/build/tools/kubectl-forky"};
}

std::string ReadText(const std::string& path) {
  std::ifstream file(kRoot + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace muster::e2e
