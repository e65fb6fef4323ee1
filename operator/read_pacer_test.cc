#include "operator/read_pacer.h"

#include <gtest/gtest.h>

namespace muster::app {
namespace {

TEST(ReadPacer, HoldsAQuietStreamNeverBack) {
  ReadPacer pacer;
  for (std::int64_t us = 0; us < 100'000; us += 4'000) {
    EXPECT_FALSE(pacer.OnBytes(us)) << us;
    pacer.OnReadOn(us + 100);
  }
}

TEST(ReadPacer, RestsWhenItWasWokenTwiceWithinAMoment) {
  ReadPacer pacer;
  EXPECT_FALSE(pacer.OnBytes(10'000));
  pacer.OnReadOn(10'020);
  EXPECT_TRUE(pacer.OnBytes(10'120));
}

TEST(ReadPacer, TakesWhatIsThereWithoutARest) {
  ReadPacer pacer;
  EXPECT_FALSE(pacer.OnBytes(10'000));
  pacer.OnReadOn(10'020);
  EXPECT_FALSE(pacer.OnBytes(10'025));
  pacer.OnReadOn(10'050);
  EXPECT_FALSE(pacer.OnBytes(10'051));
}

TEST(ReadPacer, RestsAgainAndAgainWhileTheStreamIsBusy) {
  ReadPacer pacer;
  EXPECT_FALSE(pacer.OnBytes(0));
  pacer.OnReadOn(20);
  for (std::int64_t us = 100; us < 100'000; us += 1'200) {
    EXPECT_TRUE(pacer.OnBytes(us)) << us;
    pacer.OnReadOn(us + 1'100);
  }
}

}  // namespace
}  // namespace muster::app
