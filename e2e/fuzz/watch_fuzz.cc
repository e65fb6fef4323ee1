// A list and a watch, cut where the network cut them: the same events come out wherever that was,
// and what is no JSON of the API server breaks the stream and nothing else.
#include <string>
#include <vector>

#include "crds/decode.h"
#include "e2e/fuzz/fuzz.h"
#include "operator/watch_cursor.h"
#include "scheduler/base/check.h"

namespace muster::e2e {
namespace {

Result<crds::Object> Decode(std::string_view json) {
  MUSTER_ASSIGN(crds::Pod pod, crds::DecodePod(json));
  return crds::Object(std::move(pod));
}

std::string Line(const ports::WatchEvent& event) {
  return std::to_string(static_cast<int>(event.type)) + " " + event.ns + "/" + event.name + " " +
         event.resource_version + " " + event.error;
}

// Reads the page, then the stream in pieces of `piece` bytes; every event, and whether it broke.
std::vector<std::string> Read(std::string_view page, std::string_view stream, std::size_t piece) {
  app::WatchCursor cursor({}, {.resource = {"", "v1", "pods"}, .decode = Decode}, 1,
                          [](std::string_view, const std::string&) {});
  (void)cursor.Next();
  app::HttpReply reply;
  reply.status = 200;
  reply.body = page;
  (void)cursor.OnPage(reply);
  if (cursor.watching()) {
    (void)cursor.Next();
    app::HttpReply head;
    head.status = 200;
    cursor.OnHead(head);
    while (!stream.empty()) {
      std::string_view bytes = stream.substr(0, piece);
      stream.remove_prefix(bytes.size());
      if (Planted() && piece > 1 && bytes.size() == piece) bytes.remove_suffix(1);
      if (!cursor.OnBytes(bytes)) break;
    }
    (void)cursor.OnEnd(Result<void>(), 1'000);
  }
  std::vector<std::string> lines;
  for (const ports::WatchEvent& event : cursor.Take()) lines.push_back(Line(event));
  return lines;
}

}  // namespace
}  // namespace muster::e2e

int muster::e2e::FuzzWatch(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  e2e::Bytes bytes(e2e::TextOf(data, size));
  const std::size_t piece = 2 + bytes.Below(60);
  std::string_view rest = bytes.Rest();
  const std::size_t end = rest.find('\n');
  const std::string_view page = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  const auto whole = e2e::Read(page, rest, 1);
  MUSTER_CHECK(whole == e2e::Read(page, rest, piece));
  return 0;
}
