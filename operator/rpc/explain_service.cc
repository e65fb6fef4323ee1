#include "operator/rpc/explain_service.h"

#include <chrono>
#include <optional>
#include <utility>

#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include "operator/rpc/explain.grpc.pb.h"
#include "operator/thread_loop.h"

namespace muster::app {
namespace {

namespace api = muster::v1alpha1;

constexpr int kMaxThreads = 8;
constexpr int kMaxRequestBytes = 64 << 10;
constexpr const char* kLiveness = "liveness";

// The text of a page without its line end.
std::string LineOf(const HttpAnswer& answer) {
  std::string text = answer.body;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// The one place that knows which code an answer of HTTP is.
grpc::StatusCode CodeOf(std::int32_t status) {
  switch (status) {
    case 200:
      return grpc::StatusCode::OK;
    case 404:
      return grpc::StatusCode::NOT_FOUND;
    case 503:
      return grpc::StatusCode::UNAVAILABLE;
    default:
      return grpc::StatusCode::INTERNAL;
  }
}

}  // namespace

class ExplainerService final : public api::Explainer::Service {
 public:
  explicit ExplainerService(const RpcServer::Questions& questions) : questions_(questions) {}

  grpc::Status Explain(grpc::ServerContext* /*context*/, const api::ExplainRequest* request,
                       api::ExplainResponse* response) override {
    const bool pod = request->object_case() == api::ExplainRequest::kPod;
    const std::string& name = pod ? request->pod() : request->pod_group();
    if (request->namespace_().empty() || name.empty()) {
      return {grpc::StatusCode::INVALID_ARGUMENT,
              "namespace, and pod_group or pod, are needed: the names of what to explain"};
    }
    const HttpAnswer answer =
        questions_.explain({request->namespace_(), pod ? "pods" : "podgroups", name});
    const grpc::StatusCode code = CodeOf(answer.status);
    if (code != grpc::StatusCode::OK) return {code, LineOf(answer)};
    response->set_json(answer.body);
    return grpc::Status::OK;
  }

 private:
  const RpcServer::Questions& questions_;
};

namespace {

// Process-wide switches of the library; to set them again changes nothing.
void SetUpLibrary() {
  // Its own lines on stderr tell of peers, or what Start says in our own words.
  gpr_set_log_function([](gpr_log_func_args* /*line*/) {});
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
}

}  // namespace

struct RpcServer::State {
  State(Questions asked, Options chosen)
      : questions(std::move(asked)), options(chosen), service(questions) {}

  void LookAtHealth() const;

  const Questions questions;
  const Options options;
  ExplainerService service;
  std::unique_ptr<grpc::Server> server;
  std::optional<IoThread> health;
};

// Asked for, not told: a loop that hangs can tell nobody.
void RpcServer::State::LookAtHealth() const {
  grpc::HealthCheckServiceInterface* const served = server->GetHealthCheckService();
  const auto good = [](const HttpAnswer& answer) { return answer.status == 200; };
  served->SetServingStatus(kLiveness, good(questions.live()));
  served->SetServingStatus("", good(questions.ready()));
}

RpcServer::RpcServer(Questions questions, Options options)
    : state_(std::make_unique<State>(std::move(questions), options)) {}

RpcServer::~RpcServer() {
  Stop();
}

Result<std::int32_t> RpcServer::Start(const BindAddress& at, const std::string& flag) {
  SetUpLibrary();
  int port = 0;
  grpc::ServerBuilder builder;
  // The library's default lets two servers share a port, both content.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetResourceQuota(grpc::ResourceQuota("askers").SetMaxThreads(kMaxThreads));
  builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
  builder.AddListeningPort(at.text(), grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&state_->service);
  state_->server = builder.BuildAndStart();
  if (state_->server == nullptr || port == 0) {
    return CannotServe(at, flag);
  }
  // Nobody shall read the library's first answer, which is that all is well.
  state_->server->GetHealthCheckService()->SetServingStatus(false);
  state_->health.emplace(
      [state = state_.get()](const StopFlag& stop) {
        do {
          state->LookAtHealth();
        } while (!stop.WaitFor(state->options.health_ms));
      },
      [] {});
  return port;
}

void RpcServer::Stop() {
  if (state_->server == nullptr) return;
  state_->health.reset();
  state_->server->Shutdown(std::chrono::system_clock::now());
  state_->server->Wait();
  state_->server = nullptr;
}

}  // namespace muster::app
