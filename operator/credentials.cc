#include "operator/credentials.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "scheduler/base/check.h"

namespace muster::app {
namespace {

// No file of ours is larger by far.
constexpr std::size_t kMaxFile = std::size_t{4} << 20;

std::int64_t WallMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Opened anew each time: a projected volume puts new files in the place of the old.
Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return Error{Code::kNotFound, path + " cannot be read, or is empty"};
  }
  if (text.view().size() > kMaxFile) return Error{Code::kInvalidArgument, path + " is too large"};
  return std::move(text).str();
}

Result<std::string> ReadPem(const PemSource& source) {
  if (!source.text.empty() || source.file.empty()) return source.text;
  return ReadFile(source.file);
}

Result<std::string> ReadToken(const std::string& path) {
  constexpr std::string_view kSpace = " \t\r\n";
  MUSTER_ASSIGN(std::string token, ReadFile(path));
  token.erase(token.find_last_not_of(kSpace) + 1);
  token.erase(0, token.find_first_not_of(kSpace));
  if (token.empty()) return Error{Code::kInvalidArgument, path + " holds no token"};
  return token;
}

crds::ExecCluster ToldTo(const ClusterAccess& access, const std::string& ca) {
  return {.server = ServerText(access),
          .tls_server_name = access.server_name == access.host ? "" : access.server_name,
          .insecure_skip_tls_verify = !access.verify,
          .certificate_authority_data = EncodeBase64(ca)};
}

// In a header, nothing of it may be taken for the end of one.
Result<void> CheckToken(const std::string& token) {
  const bool safe = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; });
  if (!safe) return Error{Code::kInvalidArgument, "the token holds a space or line end"};
  return {};
}

}  // namespace

// What is read, and what was read last. One thread at a time.
class Credentials::Reader {
 public:
  Reader(ClusterAccess access, CredentialTimes times) : access_(std::move(access)), times_(times) {}

  // Null: as it was. `asked`: the last was refused.
  Result<std::shared_ptr<const Credential>> Read(bool asked, const StopFlag& stop);
  // Until the next look.
  [[nodiscard]] std::int64_t WaitMs() const;
  // Something may change.
  [[nodiscard]] bool needs_looks() const { return access_.exec.has_value() || has_files(); }

 private:
  [[nodiscard]] bool has_files() const {
    const auto read = [](const PemSource& pem) { return pem.text.empty() && !pem.file.empty(); };
    return !access_.token_file.empty() || read(access_.ca) || read(access_.certificate) ||
           read(access_.key);
  }
  [[nodiscard]] std::int64_t PluginDueMs() const;
  // If there is one, and it is time.
  Result<void> RunPlugin(bool asked, const std::string& ca, const StopFlag& stop);

  const ClusterAccess access_;
  const CredentialTimes times_;

  std::optional<crds::ExecStatus> plugin_;       // What it said last.
  std::optional<std::int64_t> plugin_ran_ms_{};  // Wall clock, as what it says.
  std::optional<TlsPems> pems_;
  Credential last_;
};

// Of the wall clock; far away: when it is refused.
std::int64_t Credentials::Reader::PluginDueMs() const {
  if (!plugin_.has_value()) return 0;
  if (!plugin_->expires_ms.has_value()) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t life_ms = std::max<std::int64_t>(*plugin_->expires_ms - *plugin_ran_ms_, 0);
  return *plugin_->expires_ms - std::min(times_.early_ms, life_ms / 2);
}

std::int64_t Credentials::Reader::WaitMs() const {
  if (!access_.exec.has_value()) return times_.look_ms;
  const std::int64_t due_ms = PluginDueMs();
  const std::int64_t until_ms = due_ms - std::min(due_ms, WallMs());
  return std::min(times_.look_ms, std::max(until_ms, times_.plugin_gap_ms));
}

Result<void> Credentials::Reader::RunPlugin(bool asked, const std::string& ca,
                                            const StopFlag& stop) {
  const std::int64_t now_ms = WallMs();
  if (!access_.exec.has_value() || (!asked && now_ms < PluginDueMs())) return {};
  // A clock that was set back makes no gap.
  const bool just_ran = plugin_ran_ms_.has_value() && now_ms >= *plugin_ran_ms_ &&
                        now_ms - *plugin_ran_ms_ < times_.plugin_gap_ms;
  if (just_ran) return {};
  plugin_ran_ms_ = now_ms;
  MUSTER_ASSIGN(plugin_, RunExecPlugin(*access_.exec, ToldTo(access_, ca), times_.plugin_ms, stop));
  return {};
}

Result<std::shared_ptr<const Credential>> Credentials::Reader::Read(bool asked,
                                                                    const StopFlag& stop) {
  Credential next{.token = access_.token, .tls = last_.tls};
  if (!access_.token_file.empty()) {
    MUSTER_ASSIGN(next.token, ReadToken(access_.token_file));
  }
  TlsPems pems;
  MUSTER_ASSIGN(pems.ca, ReadPem(access_.ca));
  MUSTER_ASSIGN(pems.certificate, ReadPem(access_.certificate));
  MUSTER_ASSIGN(pems.key, ReadPem(access_.key));
  MUSTER_TRY(RunPlugin(asked, pems.ca, stop));
  if (plugin_.has_value()) {
    next.token = plugin_->token;
    pems.certificate = plugin_->certificate;
    pems.key = plugin_->key;
  }
  MUSTER_TRY(CheckToken(next.token));
  if (access_.tls && pems != pems_) {
    MUSTER_ASSIGN(next.tls, TlsMaterial::Parse(pems));
    pems_ = std::move(pems);
  }
  const bool same = next.token == last_.token && next.tls == last_.tls;
  last_ = next;
  if (same) return std::shared_ptr<const Credential>();
  return std::make_shared<const Credential>(std::move(next));
}

Credentials::Credentials(std::string token)
    : Credentials(std::make_shared<const Credential>(Credential{.token = std::move(token)}),
                  nullptr) {}

Credentials::Credentials(std::shared_ptr<const Credential> first, std::unique_ptr<Reader> reader)
    : latest_(std::move(first)), reader_(std::move(reader)) {}

Credentials::~Credentials() {
  Stop();
}

Result<std::shared_ptr<Credentials>> Credentials::Open(const ClusterAccess& access,
                                                       CredentialTimes times) {
  auto reader = std::make_unique<Reader>(access, times);
  Result<std::shared_ptr<const Credential>> first = reader->Read(false, StopFlag());
  if (!first.ok()) return Error{first.error().code, access.origin + ": " + first.error().message};
  std::shared_ptr<const Credential> credential = std::move(first).value();
  if (credential == nullptr) credential = std::make_shared<const Credential>();
  if (!reader->needs_looks()) reader.reset();
  return std::shared_ptr<Credentials>(new Credentials(std::move(credential), std::move(reader)));
}

void Credentials::Keep(const Logger& logger) {
  if (reader_ == nullptr) return;
  MUSTER_CHECK(thread_ == nullptr);
  thread_ = std::make_unique<IoThread>([this, &logger](const StopFlag& stop) { Run(logger, stop); },
                                       [this] { latest_.Close(); });
}

void Credentials::Stop() {
  if (thread_ == nullptr) return;
  thread_->RequestStop();
  thread_->Join();
}

// What cannot be read keeps nobody from using what was read before.
void Credentials::Run(const Logger& logger, const StopFlag& stop) {
  while (const auto turn = latest_.WaitForTurn(reader_->WaitMs())) {
    Result<std::shared_ptr<const Credential>> next = reader_->Read(turn->asked, stop);
    if (!next.ok()) {
      logger.Log(ports::Level::kWarning, "credentials not renewed",
                 {{"err", next.error().message}});
      latest_.EndTurn(*turn, nullptr);
      continue;
    }
    if (next.value() != nullptr) logger.Log(ports::Level::kInfo, "credentials renewed");
    latest_.EndTurn(*turn, std::move(next).value());
  }
}

bool Credentials::Renew(const std::shared_ptr<const Credential>& used) {
  if (thread_ == nullptr) return false;
  if (latest_.Get() == used) latest_.AskForAnother();
  return latest_.Get() != used;
}

std::string ServerText(const ClusterAccess& access) {
  const bool v6 = access.host.find(':') != std::string::npos;
  return std::string(access.tls ? "https://" : "http://") +
         (v6 ? "[" + access.host + "]" : access.host) + ":" + std::to_string(access.port) +
         access.prefix;
}

Result<Endpoint> OpenEndpoint(const ClusterAccess& access, CredentialTimes times) {
  Endpoint to{.host = access.host, .port = access.port, .token = ""};
  to.prefix = access.prefix;
  if (access.tls) to.tls = Endpoint::Tls{.name = access.server_name, .verify = access.verify};
  MUSTER_ASSIGN(to.credentials, Credentials::Open(access, times));
  return to;
}

}  // namespace muster::app
