#include "e2e/apiserver/request_timeout.h"

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

TEST(RequestTimeout, IsADurationAsGoWritesIt) {
  struct Case {
    const char* text;
    std::int64_t ms;
  };
  for (const Case& one : std::vector<Case>{{"", 60'000},
                                           {"5s", 5'000},
                                           {"300ms", 300},
                                           {"1m", 60'000},
                                           {"100s", 60'000},
                                           {"1h30m", 60'000},
                                           {"0.5s", 500},
                                           {"1s500ms", 1'500},
                                           {"+1s", 1'000},
                                           {"10us", 0},
                                           {"1ns", 0},
                                           {"0", 60'000},
                                           {"0s", 60'000},
                                           {"-5s", 60'000}}) {
    const auto timeout = ParseTimeout(one.text);
    ASSERT_TRUE(timeout.ok()) << one.text;
    EXPECT_EQ(timeout.value().count(), one.ms) << one.text;
  }
}

TEST(RequestTimeout, SaysWhatIsWrongInTheWordsOfTheServer) {
  struct Case {
    const char* text;
    const char* error;
  };
  for (const Case& one : std::vector<Case>{{"5", "missing unit in duration \"5\""},
                                           {"1s5", "missing unit in duration \"1s5\""},
                                           {"5d", "unknown unit \"d\" in duration \"5d\""},
                                           {"s", "invalid duration \"s\""},
                                           {"-", "invalid duration \"-\""},
                                           {"1.2.3s", "invalid duration \"1.2.3s\""},
                                           {"soon", "invalid duration \"soon\""}}) {
    const auto timeout = ParseTimeout(one.text);
    ASSERT_FALSE(timeout.ok()) << one.text;
    EXPECT_EQ(timeout.error().message,
              std::string("invalid timeout specified in the request URL - time: ") + one.error);
  }
}

}  // namespace
}  // namespace muster::e2e
