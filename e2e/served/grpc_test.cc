// gRPC of the real binary: Explain says what the page says, and a port that is taken ends the
// start.
#include <string>
#include <utility>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "e2e/served/world.h"
#include "operator/rpc/explain.grpc.pb.h"

namespace muster::e2e {
namespace {

std::pair<grpc::Status, std::string> ExplainGroup(std::int32_t port, const std::string& name) {
  const auto stub = muster::v1alpha1::Explainer::NewStub(
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  muster::v1alpha1::ExplainRequest request;
  request.set_namespace_("default");
  request.set_pod_group(name);
  muster::v1alpha1::ExplainResponse response;
  const grpc::Status status = stub->Explain(&context, request, &response);
  return {status, response.json()};
}

const char* const kAnyGrpc = "--grpc-bind-address=127.0.0.1:0";

TEST(ServedGrpc, ExplainIsThePageByteForByteAndErrorsAreCodes) {
  const auto started = ServedWorld::Start(kStory);
  ASSERT_TRUE(started.ok()) << started.error().message;
  const ServedWorld& world = *started.value();
  const auto muster = world.Muster("muster-0", {kAnyGrpc});
  ASSERT_TRUE(muster.ok()) << muster.error().message;
  const std::int32_t port = world.PortOf("muster-0", "grpc");
  Client http(muster.value().port);
  const auto page = [&http] { return http.Get("/explain/default/podgroups/w").text; };
  std::string rpc;
  // Between two pages that are the same.
  const std::string before = AwaitText(page, [&](const std::string& text) {
    rpc = ExplainGroup(port, "w").second;
    return text.find("\"phase\":\"Queued\"") != std::string::npos && page() == text;
  });
  EXPECT_NE(before.find("\"gang\":\"default/w\""), std::string::npos) << before;
  EXPECT_EQ(rpc, before);

  const grpc::Status none = ExplainGroup(port, "none").first;
  EXPECT_EQ(none.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(none.error_message(), "no such PodGroup");

  const auto standby = world.Muster("muster-1", {kAnyGrpc});
  ASSERT_TRUE(standby.ok()) << standby.error().message;
  const grpc::Status stands_by = ExplainGroup(world.PortOf("muster-1", "grpc"), "w").first;
  EXPECT_EQ(stands_by.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(stands_by.error_message(), "standing by: the lease is held by muster-0");
}

TEST(ServedGrpc, ATakenPortEndsTheStartWithOneLine) {
  const auto started = ServedWorld::Start(kStory);
  ASSERT_TRUE(started.ok()) << started.error().message;
  const ServedWorld& world = *started.value();
  const auto muster = world.Muster("muster-0", {kAnyGrpc, "--metrics-bind-address=127.0.0.1:0",
                                                "--health-probe-bind-address=127.0.0.1:0"});
  ASSERT_TRUE(muster.ok()) << muster.error().message;
  for (const auto& [server, flag] :
       {std::pair("grpc", "--grpc-bind-address"), std::pair("metrics", "--metrics-bind-address"),
        std::pair("health", "--health-probe-bind-address")}) {
    const std::string port = std::to_string(world.PortOf("muster-0", server));
    const Output output = world.RunMuster({flag, "127.0.0.1:" + port});
    EXPECT_EQ(output.code, 1) << flag;
    EXPECT_TRUE(output.text.starts_with("muster: port " + port +
                                        " on 127.0.0.1 is taken or not "
                                        "allowed; choose another with " +
                                        flag + " ("))
        << output.text;
    EXPECT_EQ(output.text.find('\n'), output.text.size() - 1) << output.text;
  }
}

}  // namespace
}  // namespace muster::e2e
