// The gRPC server over questions that the test answers, asked by a client of the library.
#include "operator/rpc/explain_service.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "operator/rpc/explain.grpc.pb.h"

namespace muster::app {
namespace {

namespace api = muster::v1alpha1;

const BindAddress kAnyPort{"127.0.0.1", 0};

grpc::ByteBuffer BytesOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::string TextOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

// A field of protobuf's wire format that is a string of less than 128 bytes.
std::string StringField(int number, const std::string& value) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(value.size())) + value;
}

class RpcServerTest : public testing::Test {
 protected:
  RpcServerTest() {
    const Result<std::int32_t> port = server_.Start(kAnyPort, "--grpc-bind-address");
    EXPECT_TRUE(port.ok());
    if (port.ok()) port_ = port.value();
    channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(port_),
                                   grpc::InsecureChannelCredentials());
  }
  // The answer to one call of a method whose messages are not compiled here.
  [[nodiscard]] std::pair<grpc::Status, std::string> Call(const std::string& method,
                                                          const std::string& request) {
    grpc::GenericStub stub(channel_);
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    const auto call = stub.PrepareCall(&context, method, &queue);
    int tag = 0;
    const auto next = [&queue] {
      void* done = nullptr;
      bool ok = false;
      return queue.Next(&done, &ok) && ok;
    };
    call->StartCall(&tag);
    EXPECT_TRUE(next());
    call->WriteLast(BytesOf(request), {}, &tag);
    EXPECT_TRUE(next());
    grpc::ByteBuffer answer;
    call->Read(&answer, &tag);
    const bool answered = next();
    grpc::Status status;
    call->Finish(&status, &tag);
    EXPECT_TRUE(next());
    return {status, answered ? TextOf(answer) : ""};
  }
  // grpc.health.v1.HealthCheckResponse.ServingStatus: 1 = SERVING, 2 = NOT_SERVING; -1 = no answer.
  [[nodiscard]] int Health(const std::string& service) {
    const std::string request = service.empty() ? "" : StringField(1, service);
    const auto [status, answer] = Call("/grpc.health.v1.Health/Check", request);
    return status.ok() && answer.size() == 2 && answer[0] == 8 ? answer[1] : -1;
  }
  [[nodiscard]] bool AwaitHealth(const std::string& service, int wanted) {
    for (int i = 0; i < 2'000; ++i) {
      if (Health(service) == wanted) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  [[nodiscard]] std::pair<grpc::Status, std::string> Explain(const api::ExplainRequest& request) {
    const auto stub = api::Explainer::NewStub(channel_);
    grpc::ClientContext context;
    api::ExplainResponse response;
    const grpc::Status status = stub->Explain(&context, request, &response);
    return {status, response.json()};
  }
  [[nodiscard]] static HttpAnswer Page(bool good) {
    return {.status = good ? 200 : 503, .body = ""};
  }
  [[nodiscard]] static api::ExplainRequest OfGroup(const std::string& name) {
    api::ExplainRequest request;
    request.set_namespace_("default");
    request.set_pod_group(name);
    return request;
  }

  std::atomic<bool> live_ = true, ready_ = false;
  std::vector<std::string> asked_;
  HttpAnswer answer_{.body = "{\"gang\":\"default/train\"}\n"};
  RpcServer server_{{.live = [this] { return Page(live_); },
                     .ready = [this] { return Page(ready_); },
                     .explain =
                         [this](const std::vector<std::string>& parts) {
                           asked_ = parts;
                           return answer_;
                         }},
                    {.health_ms = 5}};
  std::int32_t port_ = 0;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(RpcServerTest, AnswersAsThePageByteForByte) {
  const auto [status, json] = Explain(OfGroup("train"));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(json, answer_.body);
  EXPECT_EQ(asked_, (std::vector<std::string>{"default", "podgroups", "train"}));
  api::ExplainRequest request;
  request.set_namespace_("n");
  request.set_pod("p");
  EXPECT_TRUE(Explain(request).first.ok());
  EXPECT_EQ(asked_, (std::vector<std::string>{"n", "pods", "p"}));
}

TEST_F(RpcServerTest, ErrorsOfThePageAreCodes) {
  const struct {
    std::int32_t status;
    grpc::StatusCode code;
  } cases[] = {{404, grpc::StatusCode::NOT_FOUND},
               {503, grpc::StatusCode::UNAVAILABLE},
               {500, grpc::StatusCode::INTERNAL}};
  for (const auto& [status, code] : cases) {
    answer_ = {.status = status, .body = "why not\n"};
    const auto [got, json] = Explain(OfGroup("train"));
    EXPECT_EQ(got.error_code(), code);
    EXPECT_EQ(got.error_message(), "why not");
    EXPECT_EQ(json, "");
  }
}

TEST_F(RpcServerTest, ARequestThatNamesNothingIsRefused) {
  api::ExplainRequest no_object, no_namespace;
  no_object.set_namespace_("default");
  no_namespace.set_pod("p");
  for (const api::ExplainRequest& request : {api::ExplainRequest(), no_object, no_namespace}) {
    EXPECT_EQ(Explain(request).first.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  EXPECT_EQ(asked_, std::vector<std::string>{});
}

TEST_F(RpcServerTest, HealthFollowsThePages) {
  EXPECT_TRUE(AwaitHealth("liveness", 1));
  EXPECT_TRUE(AwaitHealth("", 2));
  ready_ = true;
  EXPECT_TRUE(AwaitHealth("", 1));
  ready_ = false;
  live_ = false;
  EXPECT_TRUE(AwaitHealth("", 2));
  EXPECT_TRUE(AwaitHealth("liveness", 2));
  EXPECT_EQ(Call("/grpc.health.v1.Health/Check", StringField(1, "none")).first.error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(RpcServerTest, ReflectionListsTheServiceAndItsFile) {
  const std::string method = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  const auto [listed, services] = Call(method, StringField(7, ""));
  EXPECT_TRUE(listed.ok()) << listed.error_message();
  EXPECT_NE(services.find("muster.v1alpha1.Explainer"), std::string::npos);
  const auto [found, file] = Call(method, StringField(4, "muster.v1alpha1.Explainer"));
  EXPECT_TRUE(found.ok()) << found.error_message();
  EXPECT_NE(file.find("pod_group"), std::string::npos);
}

TEST_F(RpcServerTest, ATakenPortIsAnErrorThatNamesIt) {
  RpcServer second({}, {});
  const Result<std::int32_t> port = second.Start({"127.0.0.1", port_}, "--grpc-bind-address");
  ASSERT_FALSE(port.ok());
  EXPECT_EQ(port.error().message, "port " + std::to_string(port_) +
                                      " on 127.0.0.1 is taken or not allowed; choose another with "
                                      "--grpc-bind-address (port 0 = any free one)");
}

// 192.0.2.0/24 is for documentation (RFC 5737): nobody has it.
TEST_F(RpcServerTest, AnAddressOfAnotherMachineIsAnErrorThatSaysSo) {
  RpcServer second({}, {});
  const Result<std::int32_t> port = second.Start({"192.0.2.1", 9090}, "--grpc-bind-address");
  ASSERT_FALSE(port.ok());
  EXPECT_EQ(port.error().message,
            "port 9090 on 192.0.2.1 is taken or not allowed, or the address is none of this "
            "machine's; choose another with --grpc-bind-address (port 0 = any free one)");
}

TEST_F(RpcServerTest, StopEndsWhatIsUnderWay) {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  int tag = 0;
  void* done = nullptr;
  bool ok = false;
  const auto watch = stub.PrepareCall(&context, "/grpc.health.v1.Health/Watch", &queue);
  watch->StartCall(&tag);
  EXPECT_TRUE(queue.Next(&done, &ok) && ok);
  watch->WriteLast(BytesOf(""), {}, &tag);
  EXPECT_TRUE(queue.Next(&done, &ok) && ok);
  server_.Stop();
  // The end is told behind what was said before it.
  grpc::ByteBuffer health;
  do {
    watch->Read(&health, &tag);
  } while (queue.Next(&done, &ok) && ok);
  grpc::Status status;
  watch->Finish(&status, &tag);
  EXPECT_TRUE(queue.Next(&done, &ok));
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(Explain(OfGroup("train")).first.error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace muster::app
