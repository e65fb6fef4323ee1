// The tracked text files of the repository, read once.
#pragma once

#include <string>
#include <vector>

namespace muster::e2e {

struct SourceFile {
  std::string path;  // Relative to the root of the repository.
  std::string text;
};

// Every file under our own folders and at the top, sorted by path; no build output.
[[nodiscard]] const std::vector<SourceFile>& SourceTree();

}  // namespace muster::e2e
