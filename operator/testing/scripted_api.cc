#include "operator/testing/scripted_api.h"

#include <mutex>
#include <utility>

namespace muster::app {
namespace {

std::string ObjectText(const std::string& object) {
  const std::size_t at = object.find('@');
  return R"({"metadata":{"name":")" + object.substr(0, at) + R"(","uid":"u-)" +
         object.substr(0, at) + R"(","resourceVersion":")" + object.substr(at + 1) + "\"}}";
}

}  // namespace

struct ScriptedApi::State {
  explicit State(std::vector<Step> list) : steps(std::move(list)) {}

  void Serve(RawServer::Peer& peer);

  const std::vector<Step> steps;
  std::mutex mutex;
  std::vector<std::string> asked;
  std::unique_ptr<RawServer> server;  // Last: its threads use the rest.
};

void ScriptedApi::State::Serve(RawServer::Peer& peer) {
  for (std::string request = peer.Read(); !request.empty(); request = peer.Read()) {
    std::size_t number = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      number = asked.size();
      asked.push_back(request.substr(0, request.find(" HTTP/")));
    }
    if (number >= steps.size()) return peer.Hold();
    peer.Write(steps[number].bytes);
    if (steps[number].close) return;
  }
}

ScriptedApi::ScriptedApi(std::vector<Step> steps, std::shared_ptr<const TlsAcceptor> tls)
    : state_(std::make_unique<State>(std::move(steps))) {
  state_->server = std::make_unique<RawServer>(
      [state = state_.get()](RawServer::Peer& peer) { state->Serve(peer); }, std::move(tls));
}

ScriptedApi::~ScriptedApi() = default;

std::int32_t ScriptedApi::port() const {
  return state_->server->port();
}

std::vector<std::string> ScriptedApi::asked() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->asked;
}

std::string ListBody(const std::vector<std::string>& objects, const std::string& version,
                     const std::string& next) {
  std::string body = R"({"metadata":{"resourceVersion":")" + version + R"(","continue":")" + next +
                     R"("},"items":[)";
  for (const std::string& object : objects) {
    if (!body.ends_with('[')) body += ',';
    body += ObjectText(object);
  }
  return body + "]}";
}

std::string Frame(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + ObjectText(object) + "}\n";
}

std::string ErrorFrame(int code) {
  return R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","message":"too old",)"
         R"("code":)" +
         std::to_string(code) + "}}\n";
}

}  // namespace muster::app
