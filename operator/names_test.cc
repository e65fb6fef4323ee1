#include "operator/names.h"

#include <gtest/gtest.h>

namespace muster::app {
namespace {

TEST(Names, ThoseThatTheApiServerTakes) {
  for (const std::string& name :
       {std::string("a"), std::string("0"), std::string("muster-system"), std::string(63, 'a')}) {
    EXPECT_EQ(ProblemOfLabel(name), "") << name;
    EXPECT_EQ(ProblemOfSubdomain(name), "") << name;
  }
  for (const std::string& name : {std::string("a.b-c.d"), std::string(253, 'a')}) {
    EXPECT_EQ(ProblemOfSubdomain(name), "") << name;
    EXPECT_NE(ProblemOfLabel(name), "") << name;
  }
}

TEST(Names, ThoseThatItRefuses) {
  for (const std::string& name :
       {std::string(), std::string("A"), std::string("a_b"), std::string("-a"), std::string("a-"),
        std::string("a b"), std::string("a/b"), std::string("\xC3\xA4"), std::string(254, 'a')}) {
    EXPECT_NE(ProblemOfLabel(name), "") << name;
    EXPECT_NE(ProblemOfSubdomain(name), "") << name;
  }
  for (const char* name : {".", "a.", ".a", "a..b", "a.-b"}) {
    EXPECT_NE(ProblemOfSubdomain(name), "") << name;
  }
  EXPECT_EQ(ProblemOfLabel("Team_A"),
            "\"Team_A\" is no name: lower case letters, digits and '-', with a letter or digit "
            "first and last (RFC 1123 label), at most 63 characters");
  EXPECT_EQ(ProblemOfLabel(""), "a name is needed");
}

TEST(Names, KeysOfLabels) {
  for (const char* key : {"rack", "Rack_1.a", "topology.kubernetes.io/zone", "a/b"}) {
    EXPECT_EQ(ProblemOfLabelKey(key), "") << key;
  }
  const std::string long_name(64, 'a');
  for (const std::string& key :
       {std::string(), std::string("/a"), std::string("a/"), std::string("a/b/c"),
        std::string("A.com/a"), std::string("-a"), std::string("a b"), long_name}) {
    EXPECT_NE(ProblemOfLabelKey(key), "") << key;
  }
}

}  // namespace
}  // namespace muster::app
