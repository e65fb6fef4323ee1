// What a Manager is told reaches the parts that act on it.
#include <gtest/gtest.h>

#include "controllers/manager.h"
#include "controllers/testing/manager_rig.h"

namespace muster::controllers {
namespace {

class ManagerOptionsTest : public ::testing::Test, protected testing::ManagerRig {};

TEST_F(ManagerOptionsTest, PodsAreToldAfterTheGrace) {
  options_.pod_grace_ms = 60'000;
  AddQueue("q", "8");
  AddPages({});
  Start();
  ShowPod("lone", "");
  loop_.Advance(60'000);  // It was looked at for the first time after a second of quiet.
  EXPECT_EQ(api_.Count("PATCH pods/lone/status"), 0);
  loop_.Advance(2'000);
  EXPECT_EQ(api_.Count("PATCH pods/lone/status"), 1);
}

}  // namespace
}  // namespace muster::controllers
