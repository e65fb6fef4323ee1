// A scenario is read line by line: what cannot be read becomes a line that says so, the rest goes
// on, and running what came out gives the same again.
#include <string>

#include "e2e/fuzz/fuzz.h"
#include "scheduler/base/check.h"
#include "scheduler/testing/scenario.h"

int muster::e2e::FuzzScenario(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const std::string_view text = e2e::TextOf(data, size);
  const std::string once = scheduler::testing::RunScenario(text);
  std::string twice = scheduler::testing::RunScenario(once);
  if (e2e::Planted() && text.find("node") != std::string_view::npos) twice += "  more\n";
  MUSTER_CHECK(once == twice);
  return 0;
}
