#include "operator/log_line.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::app {
namespace {

using ports::Level;
using ports::ObjectRef;
using Fields = ports::Telemetry::Fields;

constexpr std::int64_t kWallUs = 1'788'220'800'000'250;

TEST(LogLine, TextIsTheMessageAndItsFields) {
  struct Case {
    Fields fields;
    std::string line;
  };
  const std::vector<Case> cases = {
      {{}, "info synced"},
      {{{"nodes", 3}, {"kind", "pods"}}, "info synced nodes=3 kind=pods"},
      {{{"pod", ObjectRef{"ns", "a-0"}}}, "info synced pod=ns/a-0"},
      {{{"empty", ""}}, "info synced empty=\"\""},
      {{{"text", "two words"}}, "info synced text=\"two words\""},
      {{{"text", "a=b"}}, "info synced text=\"a=b\""},
      {{{"text", "say \"hi\" \\"}}, R"(info synced text="say \"hi\" \\")"},
      {{{"text", "one\ntwo\x01"}}, R"(info synced text="one\ntwo\u0001")"},
      {{{"text", "f\xc3\xbcr"}}, "info synced text=f\xc3\xbcr"},
  };
  for (const Case& c : cases) EXPECT_EQ(TextLine(Level::kInfo, "synced", c.fields), c.line);
  EXPECT_EQ(TextLine(Level::kWarning, "one\ntwo", {}), R"(warning "one\ntwo")");
}

TEST(LogLine, JsonHasTheKeysOfStructuredLogging) {
  EXPECT_EQ(JsonLine(kWallUs, Level::kInfo, "leading",
                     {{"lease", ObjectRef{"muster-system", "muster"}}, {"after_ms", 12}}),
            R"({"ts":1788220800.000250,"level":"info","v":0,"msg":"leading",)"
            R"("lease":{"name":"muster","namespace":"muster-system"},"after_ms":12})");
  EXPECT_EQ(JsonLine(kWallUs, Level::kError, "fatal", {{"err", "gone"}}),
            R"({"ts":1788220800.000250,"level":"error","msg":"fatal","err":"gone"})");
  EXPECT_EQ(JsonLine(kWallUs, Level::kDebug, "x", {}),
            R"({"ts":1788220800.000250,"level":"debug","v":4,"msg":"x"})");
  EXPECT_EQ(JsonLine(999'999, Level::kWarning, "x", {}),
            R"({"ts":0.999999,"level":"warning","v":0,"msg":"x"})");
}

// Whatever stands in a value or a message, the line is one, and a reader gets it back.
TEST(LogLine, JsonIsOneLineWhateverTheValueIs) {
  const std::vector<std::string> hostile = {"",
                                            "two\nlines\r\n",
                                            "\"",
                                            "\\",
                                            R"(","msg":"forged)",
                                            std::string("nul\0byte", 8),
                                            "\t\x01\x1f\x7f",
                                            "{}[]:,",
                                            "f\xc3\xbcr \xe6\xbc\xa2",
                                            std::string(100'000, '"')};
  for (const std::string& text : hostile) {
    const std::string line =
        JsonLine(kWallUs, Level::kInfo, text, {{"text", text}, {"pod", ObjectRef{text, text}}});
    EXPECT_EQ(line.find_first_of("\r\n"), std::string::npos) << line;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(json.is_object()) << line;
    EXPECT_EQ(json.size(), 6U) << line;
    EXPECT_EQ(json["msg"], text);
    EXPECT_EQ(json["text"], text);
    EXPECT_EQ(json["pod"]["name"], text);
    EXPECT_EQ(json["pod"]["namespace"], text);
  }
}

}  // namespace
}  // namespace muster::app
