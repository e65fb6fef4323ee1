#include "operator/watch_events.h"

#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "crds/decode.h"

namespace muster::app {
namespace {

using ports::WatchEvent;
using Type = WatchEvent::Type;

Result<crds::Object> DecodeGroup(std::string_view json) {
  MUSTER_ASSIGN(crds::PodGroup decoded, crds::DecodePodGroup(json));
  return crds::Object(std::move(decoded));
}

WatchEvent EventOf(const std::string& meta) {
  const auto line =
      ReadWatchLine(R"({"type":"ADDED","object":{"metadata":)" + meta + "}}", DecodeGroup);
  EXPECT_TRUE(line.ok());
  const auto* event = line.ok() ? std::get_if<WatchEvent>(&line.value()) : nullptr;
  return event != nullptr ? *event : WatchEvent();
}

TEST(WatchEvents, OfASoundObjectCarryItsName) {
  const WatchEvent event =
      EventOf(R"({"name":"a","namespace":"n","uid":"u","resourceVersion":"7"})");
  EXPECT_EQ(event.type, Type::kAdded);
  EXPECT_EQ(event.ns + "/" + event.name, "n/a");
  EXPECT_EQ(event.resource_version, "7");
}

// A uid is what tells two objects apart, and the version is where the next watch begins: without
// them an object is none, and the watch goes on from the version before.
TEST(WatchEvents, OfAnObjectWithoutUsableMetadataAreInvalidAndMoveNothing) {
  const struct {
    const char* meta;
    const char* error;
  } cases[] = {
      {R"({"name":"a","resourceVersion":"7"})", "a: metadata.uid: missing"},
      {R"({"name":"a","uid":"u"})", "a: metadata.resourceVersion: expected a decimal number"},
      {R"({"name":"a","uid":"u","resourceVersion":"99999999999999999999"})",
       "a: metadata.resourceVersion: expected a decimal number"},
      {R"({"name":"a/b","uid":"u","resourceVersion":"7"})",
       "an object without a readable name: metadata.name: expected a name"},
      {R"({"uid":"u","resourceVersion":"7"})",
       "an object without a readable name: metadata.name: missing"}};
  for (const auto& c : cases) {
    const WatchEvent event = EventOf(c.meta);
    EXPECT_EQ(event.type, Type::kInvalid) << c.meta;
    EXPECT_EQ(event.resource_version, "") << c.meta;
    EXPECT_EQ(event.error, c.error);
  }
}

}  // namespace
}  // namespace muster::app
