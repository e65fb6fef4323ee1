// The tracked text files of the repository, read once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::e2e {

struct SourceFile {
  std::string path;  // Relative to the root of the repository.
  std::string text;
};

// Questions about a path.
[[nodiscard]] bool IsTest(std::string_view path);
[[nodiscard]] bool BeginsWithOne(std::string_view text,
                                 const std::vector<std::string_view>& prefixes);

// Every file under our own folders and at the top, sorted by path; no build output.
[[nodiscard]] const std::vector<SourceFile>& SourceTree();

}  // namespace muster::e2e
