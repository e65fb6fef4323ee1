// What the fuzz targets share. Each checks a property of one reader of outside input, or of the
// core's undo; a broken one aborts, and libFuzzer keeps the input. Run by e2e/tools/fuzz.sh, by
// count, from one seed.
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

}  // namespace muster::e2e

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
