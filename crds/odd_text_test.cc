// Texts as no API server sends them: what is wrong with one object says nothing about the next.
#include <string>

#include <gtest/gtest.h>

#include "crds/decode.h"
#include "crds/list.h"

namespace muster::crds {
namespace {

std::string NodeText(const std::string& name, const std::string& label) {
  return R"({"metadata":{"name":")" + name + R"(","labels":{"a":")" + label + R"("}}})";
}

// No UTF-8, a surrogate, a control character.
const std::string kOddBytes[] = {"\xff", "\xed\xa0\x80", "\x01"};

TEST(OddText, StandsInOneItemOfAList) {
  for (const std::string& odd : kOddBytes) {
    const std::string body = R"({"metadata":{"resourceVersion":"7"},"items":[)" +
                             NodeText("a", "x") + "," + NodeText("b", odd) + "," +
                             NodeText("c", "\xc3\xa9") + "]}";
    const auto page = SplitList(body);
    ASSERT_TRUE(page.ok()) << page.error().message;
    ASSERT_EQ(page.value().items.size(), 3U);
    EXPECT_TRUE(DecodeNode(page.value().items[0]).ok());
    const auto broken = DecodeNode(page.value().items[1]);
    ASSERT_FALSE(broken.ok());
    EXPECT_EQ(broken.error().message, "not valid JSON");
    EXPECT_EQ(DecodeMeta(page.value().items[1]).value().name, "b");
    EXPECT_EQ(DecodeNode(page.value().items[2]).value().meta.labels.at("a"), "\xc3\xa9");
  }
}

TEST(OddText, StandsInOneFrameOfAWatch) {
  const std::string object = NodeText("b", "\xff");
  const std::string line = R"({"type":"ADDED","object":)" + object + "}";
  const auto frame = SplitFrame(line);  // Views into it.
  ASSERT_TRUE(frame.ok()) << frame.error().message;
  EXPECT_EQ(frame.value().object, object);
}

TEST(OddText, OfAFieldThatIsThereTwiceTheLastCounts) {
  const auto node =
      DecodeNode(R"({"status":{"allocatable":{"pods":"1","cpu":"9","cpu":"2","cpu":"3"}}})");
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(node.value().allocatable, (ResourceList{{"cpu", 3'000}, {"pods", 1}}));
}

ObjectMeta Sound() {
  ObjectMeta meta;
  meta.name = "train-0";
  meta.ns = "team-a";
  meta.uid = "u";
  meta.resource_version = "17";
  return meta;
}

std::string Problem(const ObjectMeta& meta) {
  const auto checked = CheckMeta(meta);
  return checked.ok() ? "" : checked.error().message;
}

TEST(CheckMeta, NamesWhatIsMissing) {
  EXPECT_EQ(Problem(Sound()), "");
  ObjectMeta meta = Sound();
  meta.ns = "";
  EXPECT_EQ(Problem(meta), "");
  meta.uid = "";
  EXPECT_EQ(Problem(meta), "metadata.uid: missing");
  meta.name = "";
  EXPECT_EQ(Problem(meta), "metadata.name: missing");
}

TEST(CheckMeta, RefusesWhatNoPathAndNoWatchCouldBeMadeOf) {
  for (const char* name : {"..", "a/b", "a?b", "%2e", "a b", "\xc3\xa9", "a\n"}) {
    ObjectMeta meta = Sound();
    meta.name = name;
    EXPECT_EQ(Problem(meta), "metadata.name: expected a name") << name;
    meta = Sound();
    meta.ns = name;
    EXPECT_EQ(Problem(meta), "metadata.namespace: expected a name") << name;
  }
  ObjectMeta meta = Sound();
  meta.name = std::string(254, 'a');
  EXPECT_EQ(Problem(meta), "metadata.name: expected a name");
  meta = Sound();
  meta.resource_version = "";
  EXPECT_EQ(Problem(meta), "metadata.resourceVersion: missing");
}

}  // namespace
}  // namespace muster::crds
