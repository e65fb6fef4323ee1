#include <nlohmann/json.hpp>

#include "crds/json_text.h"

namespace muster::crds {
namespace {

bool IsPlain(char c) {
  return c >= ' ' && c < 0x7f;
}

}  // namespace

// Names, uids and our own JSON are plain ASCII; for the rest the library knows the rules.
void AppendQuoted(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  out += '"';
  for (const char c : text) {
    if (!IsPlain(c)) {
      out.resize(before);
      out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      return;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace muster::crds
