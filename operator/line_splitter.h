// Cuts a stream of bytes into lines, wherever the pieces of the network end. A watch sends one JSON
// document per line. Not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace muster::app {

class LineSplitter {
 public:
  // Far above the 3 MiB that the API server takes as one object.
  static constexpr std::size_t kMaxLine = std::size_t{16} << 20;

  explicit LineSplitter(std::size_t max_line = kMaxLine) : max_line_(max_line) {}

  // Calls `line` for each line that is complete now, without its end ("\n" or "\r\n"); empty lines
  // are skipped. False: a line got longer than allowed, or `line` returned false.
  using Line = std::function<bool(std::string_view line)>;
  [[nodiscard]] bool Add(std::string_view bytes, const Line& line);

 private:
  std::size_t max_line_;
  std::string rest_;  // The begin of a line whose end has not come.
};

}  // namespace muster::app
