#include "operator/line_splitter.h"

#include <algorithm>

namespace muster::app {
namespace {

bool Give(std::string_view text, const LineSplitter::Line& line) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text.empty() || line(text);
}

}  // namespace

bool LineSplitter::Add(std::string_view bytes, const Line& line) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    if (rest_.size() + std::min(end, bytes.size()) > max_line_) return false;
    if (end == std::string_view::npos) break;
    const std::string_view head = bytes.substr(0, end);
    if (rest_.empty()) {  // The common case: no copy.
      if (!Give(head, line)) return false;
    } else {
      rest_.append(head);
      const bool go_on = Give(rest_, line);
      rest_.clear();
      if (!go_on) return false;
    }
    bytes.remove_prefix(end + 1);
  }
  rest_.append(bytes);
  return true;
}

}  // namespace muster::app
