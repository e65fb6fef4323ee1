// A LIST body and a watch frame, taken apart without decoding the objects in them: each is a view
// into the text that was given. Pure, from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/result.h"

namespace muster::crds {

struct ListPage {
  std::string resource_version;  // Of the collection.
  std::string continue_token;    // "" = this is the last page.
  std::vector<std::string_view> items;
};
// {"metadata":{"resourceVersion","continue"},"items":[..]}. A body that carries no resourceVersion
// is no list: an Error, never an empty one.
[[nodiscard]] Result<ListPage> SplitList(std::string_view body);

struct WatchFrame {
  std::string type;  // ADDED MODIFIED DELETED BOOKMARK ERROR.
  std::string_view object;
};
// {"type","object"}: one line of a watch.
[[nodiscard]] Result<WatchFrame> SplitFrame(std::string_view line);

}  // namespace muster::crds
