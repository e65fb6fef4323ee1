// What the fuzz targets share. They are one program, for each by itself would link most of Muster
// again; MUSTER_FUZZ in the environment names the target that it plays. Each checks a property of
// one reader of outside input, or of the core's undo; a broken one aborts, and libFuzzer keeps the
// input. Run by e2e/tools/fuzz.sh, by count, from one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace muster::e2e {

// The canary: with MUSTER_FUZZ_PLANT in the environment each target plants a fault in what it
// tests, which the run has to find.
[[nodiscard]] inline bool Planted() {
  static const bool planted = std::getenv("MUSTER_FUZZ_PLANT") != nullptr;
  return planted;
}

[[nodiscard]] inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Takes small numbers off the front of the input; 0 when there is nothing left.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : text_(text) {}
  [[nodiscard]] bool empty() const { return text_.empty(); }
  std::size_t Below(std::size_t count) {
    if (text_.empty()) return 0;
    const auto value = static_cast<unsigned char>(text_.front());
    text_.remove_prefix(1);
    return value % count;
  }
  std::string_view Rest() { return text_; }
  std::string_view Take(std::size_t count) {
    const std::string_view taken = text_.substr(0, count);
    text_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view text_;
};

// The targets, as libFuzzer calls them: any bytes; 0. targets.cc names them.
int FuzzConfig(const std::uint8_t* data, std::size_t size);
int FuzzExecCredential(const std::uint8_t* data, std::size_t size);
int FuzzJournalPage(const std::uint8_t* data, std::size_t size);
int FuzzKubeconfig(const std::uint8_t* data, std::size_t size);
int FuzzPatch(const std::uint8_t* data, std::size_t size);
int FuzzProtobuf(const std::uint8_t* data, std::size_t size);
int FuzzQuantity(const std::uint8_t* data, std::size_t size);
int FuzzScenario(const std::uint8_t* data, std::size_t size);
int FuzzTransaction(const std::uint8_t* data, std::size_t size);
int FuzzWatch(const std::uint8_t* data, std::size_t size);

}  // namespace muster::e2e
