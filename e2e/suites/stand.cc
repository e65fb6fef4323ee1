#include "e2e/suites/stand.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "e2e/paths/paths.h"
#include "e2e/suites/mask.h"

namespace muster::e2e {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kStandPatienceMs = 60'000;

}  // namespace

Result<TempFolder> TempFolder::Make(const std::string& name) {
  std::string path = BinaryDir() + "/run-" + name + "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return Error{Code::kUnavailable, "no folder like " + path};
  return TempFolder(std::move(path));
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<std::unique_ptr<Stand>> Stand::Start(const std::string& name, const std::string& cluster) {
  auto stand = std::make_unique<Stand>();
  MUSTER_ASSIGN(stand->folder_, TempFolder::Make(name));
  stand->programs_ = {.local = BinaryDir() + "/e2e/muster-local",
                      .muster = BinaryDir() + "/operator/muster",
                      .folder = stand->folder_.path()};
  const std::vector<std::string> flags = {"--cluster", SourceDir() + "/" + cluster, "--crds",
                                          CrdsFolder()};
  MUSTER_ASSIGN(stand->local_, StartLocal(stand->programs_, 0, flags));
  MUSTER_ASSIGN(stand->muster_, StartMuster(stand->programs_));
  return stand;
}

Output Stand::Kubectl(const std::string& kubectl, const std::vector<std::string>& arguments) const {
  Command command;
  command.argv = {kubectl};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.env = {"KUBECONFIG=" + programs_.kubeconfig(), "HOME=" + programs_.folder};
  command.cwd = SourceDir();
  return RunCommand(command, kStandPatienceMs);
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
  command.cwd = SourceDir();
  return RunCommand(command, kStandPatienceMs);
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
  std::string path = programs_.folder + "/" + name;
  std::ofstream(path) << text;
  return path;
}

std::vector<std::string> TestKubectls() {
  return {SourceDir() + "/build/tools/kubectl-trixie", SourceDir() + "/build/tools/kubectl-forky"};
}

std::string ReadText(const std::string& path) {
  std::ifstream file(SourceDir() + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace muster::e2e
