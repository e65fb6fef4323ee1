// From the bytes of lists and watches to ports::WatchEvent. An object that does not decode becomes
// an event of its own and stops nothing. Pure: it runs on the watch thread, so decoding costs the
// loop nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "controllers/ports/api.h"
#include "scheduler/base/result.h"

namespace muster::app {

struct ListEvents {
  std::vector<ports::WatchEvent> events;  // kListed and kInvalid, in the order of the page.
  std::string resource_version;           // Of the collection.
  std::string next;                       // The token of the next page; "" = this was the last.
};
[[nodiscard]] Result<ListEvents> ReadListPage(std::string_view body,
                                              const ports::Api::Decode& decode);

// What a line of a watch says: an event, or the Status with which the server ends it.
struct WatchEnd {
  std::int32_t code = 0;
  std::string message;
};
using WatchLine = std::variant<ports::WatchEvent, WatchEnd>;
// An Error if the line is no frame, or if it deletes an object that cannot be told: only a new list
// can heal that.
[[nodiscard]] Result<WatchLine> ReadWatchLine(std::string_view line,
                                              const ports::Api::Decode& decode);

// The text of a refusal: the message of its Status, else its body, cut.
[[nodiscard]] std::string RefusalText(std::string_view body);

// For the value of a query parameter.
[[nodiscard]] std::string EncodeQuery(std::string_view value);

}  // namespace muster::app
