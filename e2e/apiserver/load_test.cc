#include "e2e/apiserver/load.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

std::string WriteFile(const std::string& text) {
  const auto path =
      std::filesystem::temp_directory_path() / ("load_test" + std::to_string(getpid()) + ".yaml");
  std::ofstream(path) << text;
  return path.string();
}

TEST(LoadObjects, TakesThemAsTheyStand) {
  TestClient client;
  const std::string file = WriteFile(R"(
apiVersion: v1
kind: Node
metadata: {name: node-a}
status:
  allocatable: {cpu: 64, nvidia.com/gpu: "8"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: v1
kind: Pod
metadata: {name: notebook, namespace: other}
spec:
  nodeName: node-a
  containers: [{name: m, image: "i:1", resources: {limits: {nvidia.com/gpu: 4}}}]
status: {phase: Running}
)");
  EXPECT_EQ(client.server.LoadObjects(file), "");
  const Json node = client.Get("/api/v1/nodes/node-a").body;
  EXPECT_EQ(node["status"]["allocatable"]["cpu"], "64");
  const Json pod = client.Get("/api/v1/namespaces/other/pods/notebook").body;
  EXPECT_EQ(pod["status"]["phase"], "Running");
  EXPECT_EQ(pod["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"], "4");
  EXPECT_EQ(client.server.LoadObjects(file),
            file + ": Node node-a: nodes \"node-a\" already exists");
  std::filesystem::remove(file);
}

TEST(LoadObjects, ErrorsNameFileAndObject) {
  struct Case {
    const char* text;
    const char* error;
  };
  for (const Case& one : std::vector<Case>{
           {"{apiVersion: v1, kind: Service, metadata: {name: s}}",
            "Service s: no such kind is served"},
           {"{apiVersion: v1, kind: Service}", ": Service: no such kind is served"},
           {"{a: b}", ": a document without kind: no such kind is served"},
           {"{apiVersion: v1, kind: Pod, metadata: {name: p}}", "spec.containers: Required value"},
           {"{apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {cpu: lots}}}",
            "Node n: quantities must match"}}) {
    TestClient client;
    const std::string file = WriteFile(one.text);
    const std::string error = client.server.LoadObjects(file);
    EXPECT_TRUE(error.starts_with(file + ": ")) << error;
    EXPECT_NE(error.find(one.error), std::string::npos) << error;
    std::filesystem::remove(file);
  }
  TestClient client;
  EXPECT_NE(client.server.LoadObjects("/nonexistent/cluster.yaml"), "");
}

}  // namespace
}  // namespace muster::e2e
