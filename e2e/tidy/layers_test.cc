// Every include points down. The rows are checked on strings first, then on the tree itself.
#include "e2e/tidy/layers.h"

#include <gtest/gtest.h>

#include "e2e/tidy/tree.h"

namespace muster::e2e {
namespace {

using Found = std::vector<std::string>;

TEST(Layers, FindsAnIncludeThatPointsUp) {
  EXPECT_EQ(IncludeViolations("scheduler/base/ids.h", "#include \"scheduler/model/event.h\"\n"),
            Found{"scheduler/base/ids.h:1: #include \"scheduler/model/event.h\""});
  EXPECT_EQ(IncludeViolations("crds/pod.cc", "\n#include \"controllers/informer.h\"\n").size(), 1U);
  EXPECT_EQ(IncludeViolations("controllers/a.cc", "#include \"operator/app.h\"\n").size(), 1U);
}

TEST(Layers, FindsAPluginThatIncludesAnother) {
  EXPECT_EQ(
      IncludeViolations("scheduler/plugins/a.cc", "#include \"scheduler/plugins/b.h\"\n").size(),
      1U);
}

TEST(Layers, FindsAThirdPartyHeaderOutsideItsFile) {
  EXPECT_EQ(IncludeViolations("operator/app.cc", "#include <httplib.h>\n").size(), 1U);
  EXPECT_EQ(IncludeViolations("controllers/a.cc", "#include <nlohmann/json.hpp>\n").size(), 1U);
  EXPECT_EQ(IncludeViolations("operator/app.cc", "#include <grpcpp/grpcpp.h>\n").size(), 1U);
  EXPECT_EQ(IncludeViolations("operator/app.cc", "#include <prometheus/gauge.h>\n").size(), 1U);
  EXPECT_EQ(IncludeViolations("scheduler/solve/a.cc", "#include <unistd.h>\n").size(), 1U);
  EXPECT_EQ(IncludeViolations("operator/configuration.cc", "#include <yaml-cpp/yaml.h>\n").size(),
            1U);
  EXPECT_TRUE(IncludeViolations("operator/config.cc", "#include <yaml-cpp/yaml.h>\n").empty());
  EXPECT_TRUE(IncludeViolations("operator/http_client.cc", "#include <httplib.h>\n").empty());
}

TEST(Layers, TakesIncludesThatPointDown) {
  EXPECT_TRUE(IncludeViolations("scheduler/solve/a.cc",
                                "#include <map>\n#include \"scheduler/model/event.h\"\n")
                  .empty());
  EXPECT_TRUE(IncludeViolations("scheduler/solve/a_test.cc", "#include \"scheduler/testing/b.h\"\n")
                  .empty());
}

TEST(Layers, HoldInTheTree) {
  Found found;
  int files = 0;
  for (const SourceFile& file : SourceTree()) {
    if (!file.path.ends_with(".h") && !file.path.ends_with(".cc")) continue;
    EXPECT_TRUE(HasLayer(file.path)) << file.path << " is in no layer";
    ++files;
    for (auto& violation : IncludeViolations(file.path, file.text)) found.push_back(violation);
  }
  EXPECT_GT(files, 20);
  EXPECT_EQ(found, Found{});
}

}  // namespace
}  // namespace muster::e2e
