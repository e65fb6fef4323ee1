#include "scheduler/model/snapshot.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/model/cluster.h"
#include "scheduler/model/records.h"
#include "scheduler/testing/builders_cluster.h"

namespace muster::scheduler {
namespace {

using testing::ApplyAll;
using testing::Bound;
using testing::Gpus;
using testing::MakeGang;
using testing::MakeMember;
using testing::MakeNode;
using testing::MakeQueue;

RC_GTEST_PROP(TextCodec, AnyTextSurvives, ()) {
  const auto text = *rc::gen::string<std::string>();
  TextWriter out;
  out.Line("x", text, std::string("next"));
  const std::string line = out.Take();
  RC_ASSERT(line.back() == '\n');
  RC_ASSERT(line.find('\n') == line.size() - 1);
  TextReader in(std::string_view(line).substr(0, line.size() - 1));
  std::string back;
  std::string next;
  in(back, next);
  RC_ASSERT(in.Done());
  RC_ASSERT(back == text);
  RC_ASSERT(next == "next");
}

TEST(Snapshot, DoesNotDependOnTheOrderOfFacts) {
  const std::vector<Event> events = {MakeNode("n1", Gpus("8")),
                                     MakeNode("n2", Gpus("8")),
                                     MakeQueue("q", Gpus("16")),
                                     MakeGang("g", "q", 2),
                                     Bound(MakeMember("g", 0, Gpus("2")), "n2", "q"),
                                     MakeMember("g", 1, Gpus("2")),
                                     NamespaceSeen{"default", {{"team", "a"}}}};
  Cluster forward;
  Cluster backward;
  for (const Event& event : events) forward.Apply(event);
  for (auto it = events.rbegin(); it != events.rend(); ++it) backward.Apply(*it);
  EXPECT_EQ(forward.Snapshot(), backward.Snapshot());
}

TEST(Snapshot, ReadsAsItIsWritten) {
  Cluster c;
  ApplyAll(c, MakeNode("n1", Gpus("8")), MakeQueue("q", {}),
           Bound(MakeMember("g", 0, Gpus("2")), "n1", "q"));
  EXPECT_EQ(c.Snapshot(),
            "global 1 0 0\n"
            "resource 'nvidia.com/gpu\n"
            "resource 'pods\n"
            "queue 'q 'uid-q 0 1 0 0 ' '\n"
            "node 'n1 'uid-n1 2 'nvidia.com/gpu 8000 'pods 110 1 0 0 0 0 0\n"
            "pod 'uid-g-0 'default 'g-0 1 'default 'g 0 3 'n1 ' 'q 0 1 1 ' 'q 'uid-group-g"
            " 0 0 0 0 ' 0 1 0 1 'nvidia.com/gpu 2000 0 0 0 0 0 ' 0 0 ' ' ' 0 0\n"
            "=used 'n1 2 'nvidia.com/gpu 2000 'pods 1\n"
            "=usage 'q 2 'nvidia.com/gpu 2000 'pods 1\n"
            "=gang 'default 'g 0 ' 0 'default 0 0 8 0 0 0 0 0 0 0 0 1 'uid-g-0\n");
}

TEST(Snapshot, ALineThatDoesNotReadIsAnError) {
  const std::vector<std::string> bad = {
      "global 1 0\n",
      "global 1 2 0\n",
      "global 1 0 0 0\n",
      "global 1 0 0",
      "nonsense\n",
      "\n",
      "gone uid\n",
      "gone 'a%2\n",
      "gone 'a%zz\n",
      "class 'c 99999999999\n",
      "class 'c 1x\n",
      "namespace 'n 99 'k 'v\n",
      "node 'n 'u 0 1 0 0 1 'k 'v 7 0 0\n",
  };
  for (const std::string& line : bad) {
    const Result<Cluster> read = Cluster::FromSnapshot("namespace 'a 0 '\n" + line);
    ASSERT_FALSE(read.ok()) << line;
    EXPECT_EQ(read.error().message, "line 2 does not read");
  }
  EXPECT_TRUE(Cluster::FromSnapshot("").ok());
}

}  // namespace
}  // namespace muster::scheduler
