#include "e2e/sim/excuses.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::e2e {
namespace {

crds::BindingJournal Page(const std::string& version) {
  crds::BindingJournal page;
  page.meta.name = "p-00";
  page.meta.resource_version = version;
  return page;
}

std::vector<std::string> Lost(const Excuses& excuses) {
  std::vector<std::string> versions;
  for (const crds::BindingJournal& page : excuses.LostPages()) {
    versions.push_back(page.meta.resource_version);
  }
  return versions;
}

void Wait(SimLoop& loop, std::int64_t ms) {
  loop.After(ms, [] {});
  (void)loop.Step(loop.elapsed_ms() + ms);
}

// Of seed 9676: a leader stood still before its Binding, the next one saw the gang's end and took
// the entry from the page, and then both the pod and the time before the entry came back.
TEST(Excuses, WhatAPageSaidSinceTheStateThatIsRestoredMayBeActedOn) {
  SimLoop loop;
  Excuses excuses(loop);
  excuses.NoteStored(Page("1"));
  Wait(loop, 10'000);
  excuses.NoteStored(Page("2"));
  Wait(loop, 10'000);
  excuses.NoteStored(Page("3"));
  EXPECT_EQ(Lost(excuses), std::vector<std::string>{});
  excuses.NoteRestored(10'000);
  EXPECT_EQ(Lost(excuses), (std::vector<std::string>{"2", "3"}));
  Wait(loop, 150'000);
  EXPECT_EQ(Lost(excuses), std::vector<std::string>{}) << "not for ever";
}

TEST(Excuses, APageThatIsTakenAwayIsOneOfThem) {
  SimLoop loop;
  Excuses excuses(loop);
  excuses.NoteStored(Page("1"));
  excuses.NoteLost(Page("1"));
  EXPECT_EQ(Lost(excuses), std::vector<std::string>{"1"});
}

}  // namespace
}  // namespace muster::e2e
