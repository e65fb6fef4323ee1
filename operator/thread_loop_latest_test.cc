#include "operator/thread_loop_latest.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

std::shared_ptr<const int> Number(int value) {
  return std::make_shared<const int>(value);
}

TEST(ThreadLoopLatest, ATurnWithoutAQuestionComesAfterItsTime) {
  Latest<int> latest(Number(1));
  const auto turn = latest.WaitForTurn(1);
  ASSERT_TRUE(turn.has_value());
  EXPECT_FALSE(turn->asked);
  latest.EndTurn(*turn, nullptr);
  EXPECT_EQ(*latest.Get(), 1);
  latest.EndTurn(*turn, Number(2));
  EXPECT_EQ(*latest.Get(), 2);
}

// What a renewal that was under way at the question has read may be older than the question.
TEST(ThreadLoopLatest, AQuestionIsAnsweredByARenewalThatBeganAfterIt) {
  Latest<int> latest(Number(1));
  const auto under_way = latest.WaitForTurn(1);
  std::atomic<bool> answered = false;
  std::thread asker([&] {
    latest.AskForAnother();
    answered = true;
  });
  std::optional<LatestAny::Turn> next;
  do {
    latest.EndTurn(*under_way, Number(2));
    next = latest.WaitForTurn(1);
  } while (!next->asked);
  EXPECT_FALSE(answered);
  latest.EndTurn(*next, Number(3));
  asker.join();
  EXPECT_EQ(*latest.Get(), 3);
}

TEST(ThreadLoopLatest, ManyQuestionsAreOneTurnAndACloseEndsAllWaits) {
  Latest<int> latest(Number(1));
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i) askers.emplace_back([&] { latest.AskForAnother(); });
  const auto turn = latest.WaitForTurn(600'000);  // Ended by a question.
  ASSERT_TRUE(turn.has_value());
  EXPECT_TRUE(turn->asked);
  latest.Close();
  for (std::thread& asker : askers) asker.join();
  EXPECT_FALSE(latest.WaitForTurn(600'000).has_value());
}

}  // namespace
}  // namespace muster::app
