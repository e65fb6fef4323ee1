#include "operator/signals.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::app {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kForEver{3'600'000};

void Send(int signal) {
  (void)::kill(::getpid(), signal);
}

// Until the thread of Signals has it: two of one kind that wait are one.
void AwaitTaken(int signal) {
  sigset_t waiting{};
  do {
    std::this_thread::yield();
    (void)::sigpending(&waiting);
  } while (::sigismember(&waiting, signal) == 1);
}

constexpr int kOrderly = 7;

// Signals one after the other; `last` is to end the process.
void SendAll(milliseconds patience, const std::vector<int>& signals, std::optional<int> last) {
  std::atomic<int> calls = 0;
  {
    const Signals subject([&calls] { ++calls; }, patience);
    for (const int signal : signals) {
      Send(signal);
      AwaitTaken(signal);
      while (calls == 0) std::this_thread::yield();
    }
    if (last) {
      Send(*last);
      std::this_thread::sleep_for(milliseconds(30'000));
    }
  }
  std::_Exit(calls == 1 ? kOrderly : 8);
}

// A process of its own for each: the mask of this one stays as it is.
class SignalsDeathTest : public testing::Test {
 protected:
  SignalsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(SignalsDeathTest, TheFirstIsACallAndTheSecondChangesNothing) {
  EXPECT_EXIT(SendAll(kForEver, {SIGTERM}, {}), testing::ExitedWithCode(kOrderly), "");
  EXPECT_EXIT(SendAll(kForEver, {SIGTERM, SIGTERM}, {}), testing::ExitedWithCode(kOrderly), "");
  EXPECT_EXIT(SendAll(kForEver, {SIGINT, SIGTERM}, {}), testing::ExitedWithCode(kOrderly), "");
}

TEST_F(SignalsDeathTest, TheThirdEndsTheProcess) {
  EXPECT_EXIT(SendAll(kForEver, {SIGTERM, SIGINT}, SIGTERM), testing::ExitedWithCode(1), "");
}

TEST_F(SignalsDeathTest, TheSecondEndsItWhenTheOrderlyEndHasTakenTooLong) {
  EXPECT_EXIT(SendAll(milliseconds(0), {SIGTERM}, SIGINT), testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace muster::app
