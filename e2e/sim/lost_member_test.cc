// A gang that ran and has lost a member: what is left of it runs on, and the member is replaced
// when there is room. A restart of the operator, before or after the loss, changes nothing of that.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/paths/paths.h"
#include "e2e/sim/scripted_cluster.h"

namespace muster::e2e {
namespace {

enum class Restart : std::uint8_t { kNone, kBeforeTheLoss, kAfterTheLoss };

class LostMember : public ::testing::TestWithParam<Restart> {
 protected:
  LostMember() : cluster_(CrdsFolder()) {
    for (const char* node : {"n1", "n2", "n3"}) cluster_.Node(node, 4);
    cluster_.Queue("q", 16);
    cluster_.StartOperator();
    cluster_.Gang("g", "q", 3, 4);
    cluster_.Run(20 * kSecond);
  }
  // The node of a member goes, and its owner makes the member again.
  void Lose() {
    if (GetParam() == Restart::kBeforeTheLoss) cluster_.KillOperator();
    cluster_.DeleteNode("n3");
    cluster_.Run(5 * kSecond);
    cluster_.Member("g", 2, 4);
    cluster_.Run(20 * kSecond);
    if (GetParam() == Restart::kAfterTheLoss) cluster_.KillOperator();
    cluster_.Run(5 * kSecond);
    if (GetParam() != Restart::kNone) cluster_.StartOperator();
  }
  [[nodiscard]] std::int64_t CountAnswered(const std::string& what, int status) const {
    std::int64_t count = 0;
    for (const ScriptedCluster::Answered& answered : cluster_.answered()) {
      if (answered.what == what && answered.status == status) ++count;
    }
    return count;
  }
  [[nodiscard]] std::string Nodes() {
    std::string nodes;
    for (const char* pod : {"g-0", "g-1", "g-2"}) nodes += "[" + cluster_.NodeOf(pod) + "]";
    return nodes;
  }

  ScriptedCluster cluster_;
};

INSTANTIATE_TEST_SUITE_P(, LostMember,
                         ::testing::Values(Restart::kNone, Restart::kBeforeTheLoss,
                                           Restart::kAfterTheLoss));

TEST_P(LostMember, IsReplacedAndTheRestIsNeverUndone) {
  ASSERT_EQ(Nodes(), "[n1][n2][n3]");
  Lose();
  cluster_.Run(20 * kMinute);  // Twice and more the time after which a half bound gang is undone.
  EXPECT_EQ(Nodes(), "[n1][n2][]");
  EXPECT_EQ(cluster_.Condition("g", "Scheduled"), "False Unschedulable");
  cluster_.Node("n4", 4);
  cluster_.Run(20 * kSecond);
  EXPECT_EQ(Nodes(), "[n1][n2][n4]");
  EXPECT_EQ(cluster_.Condition("g", "Scheduled"), "True Bound");
  for (const char* pod : {"g-0", "g-1", "g-2"}) {
    const std::string path = std::string("/api/v1/namespaces/default/pods/") + pod;
    EXPECT_EQ(CountAnswered("DELETE " + path, 200), 0) << pod;
    // The third was bound twice: the pod that was lost, and its successor.
    EXPECT_EQ(CountAnswered("POST " + path + "/binding", 201), pod[2] == '2' ? 2 : 1) << pod;
  }
  EXPECT_EQ(cluster_.complaint(), "");
}

}  // namespace
}  // namespace muster::e2e
