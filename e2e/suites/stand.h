// A stand for tests of what users see: muster-local with a cluster file, muster, and a kubectl, on
// free ports, in a folder of its own that no other stand shares. Everything ends with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "e2e/harness/process.h"
#include "e2e/harness/servers.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

// A folder that nobody else has, in the build folder; removed with its content at the end.
class TempFolder {
 public:
  [[nodiscard]] static Result<TempFolder> Make(const std::string& name);

  TempFolder() = default;  // None.
  ~TempFolder();
  TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempFolder& operator=(TempFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TempFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

class Stand {
 public:
  // `name` begins the folder's name; `cluster` is a cluster file, relative to the repository.
  [[nodiscard]] static Result<std::unique_ptr<Stand>> Start(const std::string& name,
                                                            const std::string& cluster);
  // The processes, and their ports: of the API server, and of /explain.
  [[nodiscard]] Server& local() { return local_; }
  [[nodiscard]] Server& muster() { return muster_; }
  // kubectl with these arguments.
  [[nodiscard]] Output Kubectl(const std::string& kubectl,
                               const std::vector<std::string>& arguments) const;
  // A bash script in which `kubectl` is this one.
  [[nodiscard]] Output Script(const std::string& kubectl, const std::string& script) const;
  // Runs kubectl until its output, masked, holds `text`, at most 30 s; returns the last output.
  [[nodiscard]] std::string WaitFor(const std::string& kubectl,
                                    const std::vector<std::string>& arguments,
                                    const std::string& text) const;
  // Writes a file into the stand's folder and returns its path.
  [[nodiscard]] std::string Write(const std::string& name, const std::string& text) const;

 private:
  TempFolder folder_;  // First: it goes after the servers that write into it.
  Programs programs_;
  Server local_, muster_;
};

// Both kubectl that the tests run with: the oldest that is supported and a newer one of Debian.
[[nodiscard]] std::vector<std::string> TestKubectls();

[[nodiscard]] std::string ReadText(const std::string& path);  // Relative to the repository.

}  // namespace muster::e2e
