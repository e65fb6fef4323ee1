#include "e2e/harness/process.h"

#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::e2e {
namespace {

std::string TempFile(const std::string& name) {
  return (std::filesystem::temp_directory_path() / (name + "." + std::to_string(getpid())))
      .string();
}

TEST(RunCommand, CollectsBothStreamsAndTheCode) {
  const Output output =
      RunCommand({.argv = {"sh", "-c", "echo out; echo err >&2; echo $GREETING; pwd; exit 3"},
                  .env = {"GREETING=hello"},
                  .cwd = "/"},
                 10'000);
  EXPECT_EQ(output.code, 3);
  EXPECT_EQ(output.text, "out\nerr\nhello\n/\n");
}

TEST(RunCommand, KillsWhatTakesTooLong) {
  const std::int64_t begin = SteadyMs();
  EXPECT_EQ(RunCommand({.argv = {"sleep", "60"}, .env = {}, .cwd = {}}, 50).code, 128 + SIGKILL);
  EXPECT_LT(SteadyMs() - begin, 10'000);
}

TEST(RunCommand, SaysThatThereIsNoSuchProgram) {
  EXPECT_EQ(RunCommand({.argv = {"/no/such/program"}, .env = {}, .cwd = {}}, 5000).code, 127);
}

TEST(Child, EndsWithTheThreadThatStartedIt) {
  const std::string log = TempFile("child_test");
  Child orphan;
  std::thread([&] {
    auto started =
        Child::Start({.argv = {"sh", "-c", "echo up; exec sleep 60"}, .env = {}, .cwd = {}}, log);
    ASSERT_TRUE(started.ok());
    orphan = std::move(started).value();
    while (Tail(log, 1).empty()) SleepMs(1);
  }).join();
  EXPECT_TRUE(orphan.WaitEnd(10'000));
  std::filesystem::remove(log);
}

TEST(Child, IsStoppedByTermOrElseKilled) {
  const std::string log = TempFile("stop_test");
  auto stubborn =
      Child::Start({.argv = {"sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done"},
                    .env = {},
                    .cwd = {}},
                   log);
  ASSERT_TRUE(stubborn.ok());
  while (Tail(log, 1).empty()) SleepMs(5);
  Child child = std::move(stubborn).value();
  child.Stop(100);
  EXPECT_TRUE(child.ended());
  EXPECT_EQ(Tail(log, 5), std::vector<std::string>{"up"});
  std::filesystem::remove(log);
}

TEST(Child, IsStoppedUntilItMayGoOn) {
  auto started = Child::Start({.argv = {"sleep", "60"}, .env = {}, .cwd = {}}, "/dev/null");
  ASSERT_TRUE(started.ok());
  Child& child = started.value();
  EXPECT_FALSE(child.stopped());
  child.Signal(SIGSTOP);
  EXPECT_TRUE(WaitFor(10'000, [&] { return child.stopped(); }));
  EXPECT_FALSE(child.ended());
  child.Signal(SIGCONT);
  EXPECT_TRUE(WaitFor(10'000, [&] { return !child.stopped(); }));
  EXPECT_FALSE(Child().stopped());
}

}  // namespace
}  // namespace muster::e2e
