#include "e2e/apiserver/yaml.h"

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

using nlohmann::json;

TEST(Yaml, TypesPlainScalarsAndLeavesQuotedOnesAlone) {
  const auto read = ReadYaml(
      "whole: 8\nreal: 1.5\nyes: true\nno: false\nnothing: null\nempty:\nquoted: '8'\n"
      "quantity: 500m\nbig: 1Gi\nlist: [1, \"1\", {a: b}]\nnested: {x: {y: z}}\nnan: nan\n");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), 1U);
  EXPECT_EQ(read.value()[0], json::parse(R"({"whole":8,"real":1.5,"yes":true,"no":false,
    "nothing":null,"empty":null,"quoted":"8","quantity":"500m","big":"1Gi",
    "list":[1,"1",{"a":"b"}],"nested":{"x":{"y":"z"}},"nan":"nan"})"));
}

TEST(Yaml, ReadsEveryDocumentAndSkipsEmptyOnes) {
  const auto read = ReadYaml("---\n# nothing\n---\na: 1\n---\n- b\n");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value(), (std::vector<json>{json{{"a", 1}}, json::array({"b"})}));
}

TEST(Yaml, SaysWhereAFileIsBroken) {
  const auto read = ReadYaml("a: 1\nb: [1, 2\n");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("line 3"), std::string::npos) << read.error().message;
  EXPECT_FALSE(ReadYaml("a: &x 1\nb: *x\n").ok());
  EXPECT_FALSE(ReadYamlFile("/nowhere.yaml").ok());
}

}  // namespace
}  // namespace muster::e2e
