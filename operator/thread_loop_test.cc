#include "operator/thread_loop.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

using std::chrono::steady_clock;

std::int64_t MsSince(steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start).count();
}

TEST(ThreadLoop, RunsTasksInTheOrderInWhichTheyWerePosted) {
  ThreadLoop loop;
  std::string seen;
  loop.Post([&] { seen += 'a'; });
  EXPECT_TRUE(loop.PostWatch(1, [&] { seen += 'b'; }));
  loop.Post([&] {
    seen += 'c';
    loop.Post([&] {
      seen += 'e';
      loop.Stop();
    });
  });
  EXPECT_TRUE(loop.PostWatch(1, [&] { seen += 'd'; }));
  loop.Run();
  EXPECT_EQ(seen, "abcde");
}

TEST(ThreadLoop, TimersRunInOrderOfTimeAndNotEarly) {
  ThreadLoop loop;
  std::string seen;
  const auto start = steady_clock::now();
  std::int64_t first_after = -1;
  loop.After(30, [&] {
    seen += 'c';
    loop.Stop();
  });
  loop.After(15, [&] {
    first_after = MsSince(start);
    seen += 'a';
  });
  loop.After(15, [&] { seen += 'b'; });
  loop.Run();
  EXPECT_EQ(seen, "abc");
  EXPECT_GE(first_after, 15);
}

TEST(ThreadLoop, ACancelledTimerDoesNotRunAndASecondCancelIsNoError) {
  ThreadLoop loop;
  bool ran = false;
  const auto timer = loop.After(1, [&] { ran = true; });
  ports::Loop::TimerId spent{};
  spent = loop.After(2, [&] { loop.Cancel(spent); });
  loop.Cancel(timer);
  loop.Cancel(timer);
  loop.After(20, [&] { loop.Stop(); });
  loop.Run();
  EXPECT_FALSE(ran);
}

TEST(ThreadLoop, ATimerThatSetsItselfAgainDoesNotStarveTheQueue) {
  ThreadLoop loop;
  std::function<void()> again = [&] { loop.After(0, again); };
  loop.After(0, again);
  std::thread poster([&] { loop.Post([&] { loop.Stop(); }); });
  loop.Run();
  poster.join();
}

TEST(ThreadLoop, AFullQueueStallsWatchThreadsButNoCompletion) {
  ThreadLoop loop(2);
  std::atomic<int> accepted = 0;
  std::vector<std::string> seen;
  std::thread watch([&] {
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(loop.PostWatch(1, [&] { seen.emplace_back("watch"); }));
      ++accepted;
    }
    loop.Post([&] { loop.Stop(); });
  });
  while (accepted < 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(accepted, 2);  // The third waits for room.
  for (int i = 0; i < 100; ++i) loop.Post([&] { seen.emplace_back("done"); });  // None waits.
  loop.Run();
  watch.join();
  EXPECT_EQ(accepted, 4);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "watch"), 4);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "done"), 100);
}

TEST(ThreadLoop, ABatchLargerThanTheQueueGoesInAlone) {
  ThreadLoop loop(2);
  EXPECT_TRUE(loop.PostWatch(500, [&] { loop.Stop(); }));
  loop.Run();
}

TEST(ThreadLoop, StopReleasesAWatchThreadThatWaitsForRoom) {
  ThreadLoop loop(1);
  EXPECT_TRUE(loop.PostWatch(1, [] {}));
  std::atomic<bool> refused = false;
  std::thread watch([&] { refused = !loop.PostWatch(1, [] {}); });
  loop.Stop();
  watch.join();
  EXPECT_TRUE(refused);
  EXPECT_FALSE(loop.PostWatch(1, [] {}));
}

constexpr std::int64_t kHourMs = 3'600'000;

// With a rest that would outlast the test.
TEST(ThreadLoop, NeitherATimerNorWhatIsQueuedWaitsForTheRest) {
  ThreadLoop loop(16, kHourMs);
  std::string seen;
  loop.Post([&] {
    seen += 'a';
    loop.After(1, [&] {
      loop.Post([&] {
        seen += 'c';
        loop.After(1, [&] { loop.Stop(); });
      });
    });
    loop.Post([&] { seen += 'b'; });
  });
  loop.Run();
  EXPECT_EQ(seen, "abc");
}

TEST(ThreadLoop, StopEndsTheRest) {
  ThreadLoop loop(16, kHourMs);
  std::atomic<bool> ran = false;
  loop.Post([&] { ran = true; });
  std::thread stopper([&] {
    while (!ran) std::this_thread::yield();
    loop.Stop();
  });
  loop.Run();
  stopper.join();
}

TEST(ThreadLoop, WhatComesInTheRestRunsInItsOrder) {
  ThreadLoop loop(16, kHourMs);
  std::string seen;
  std::atomic<bool> ran = false;
  std::atomic<bool> sent = false;
  std::function<void()> look = [&] {
    if (sent) {
      loop.Post([&] { loop.Stop(); });
    } else {
      loop.After(1, look);
    }
  };
  loop.Post([&] {
    ran = true;
    loop.After(1, look);
  });
  std::thread sender([&] {
    while (!ran) std::this_thread::yield();
    for (const char c : {'a', 'b', 'c'}) loop.Post([&seen, c] { seen += c; });
    sent = true;
  });
  loop.Run();
  sender.join();
  EXPECT_EQ(seen, "abc");
}

TEST(ThreadLoop, WhatComesTooLateEndsWithTheRun) {
  ThreadLoop loop;
  auto asked = std::make_shared<int>(0);
  const auto task = [asked] { ++*asked; };
  loop.Post([&] {
    loop.Post(task);
    loop.Stop();
    loop.Post(task);
  });
  const auto others = asked.use_count();
  loop.Run();
  EXPECT_EQ(*asked, 0);
  EXPECT_EQ(asked.use_count(), others) << "A task is kept.";
}

TEST(ThreadLoop, TellsBothClocksAndRandomNumbersThatDiffer) {
  ThreadLoop loop;
  const Now first = loop.now();
  EXPECT_GT(first.wall.ms, 1'700'000'000'000);  // After 2023: ms, not s or us.
  EXPECT_LT(first.wall.ms, 17'000'000'000'000);
  EXPECT_GE(loop.now().mono, first.mono);
  EXPECT_NE(loop.Random(), loop.Random());
}

TEST(StopFlag, WakesASleeper) {
  StopFlag flag;
  EXPECT_FALSE(flag.WaitFor(1));
  const auto start = steady_clock::now();
  std::thread setter([&] { flag.Set(); });
  EXPECT_TRUE(flag.WaitFor(30'000));
  EXPECT_LT(MsSince(start), 10'000);
  EXPECT_TRUE(flag.IsSet());
  setter.join();
}

TEST(IoThread, RepeatsTheInterruptUntilTheBodyNoticesOne) {
  std::atomic<int> interrupts = 0;
  IoThread thread(
      [&](const StopFlag&) {
        while (interrupts < 3) std::this_thread::yield();  // Deaf to the first two.
      },
      [&] { ++interrupts; });
  thread.RequestStop();
  thread.Join();
  EXPECT_GE(interrupts, 3);
}

TEST(CallQueue, GivesJobsInOrderAndNothingAfterClose) {
  CallQueue queue;
  std::atomic<int> ran = 0;
  queue.Push([&](HttpConnection&) { ran = 1; });
  EXPECT_TRUE(queue.Pop().has_value());
  std::thread waiter([&] { EXPECT_FALSE(queue.Pop().has_value()); });
  queue.Close();
  waiter.join();
  queue.Push([&](HttpConnection&) { ran = 2; });
  EXPECT_FALSE(queue.Pop().has_value());
}

}  // namespace
}  // namespace muster::app
