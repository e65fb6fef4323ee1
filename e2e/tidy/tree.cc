#include "e2e/tidy/tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "e2e/paths/paths.h"

namespace muster::e2e {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void Add(const fs::path& root, const fs::path& path, std::vector<SourceFile>& files) {
  files.push_back({fs::relative(path, root).string(), ReadFile(path)});
}

std::vector<SourceFile> Load() {
  const fs::path root = SourceDir();
  std::vector<SourceFile> files;
  for (const char* folder :
       {"scheduler", "crds", "controllers", "operator", "e2e", "config", ".ci"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file()) Add(root, entry.path(), files);
    }
  }
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.is_regular_file() && entry.path().filename() != ".git") {
      Add(root, entry.path(), files);
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace

bool IsTest(std::string_view path) {
  return path.ends_with("_test.cc");
}

bool BeginsWithOne(std::string_view text, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

const std::vector<SourceFile>& SourceTree() {
  static const std::vector<SourceFile> tree = Load();
  return tree;
}

}  // namespace muster::e2e
