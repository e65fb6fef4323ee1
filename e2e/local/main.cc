// muster-local: the simulated API server on loopback with kubelets and controllers in real time, a
// control plane for one machine. Ends at SIGTERM or SIGINT, keeps nothing.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "e2e/apiserver/http_front.h"
#include "e2e/cli/command_line.h"
#include "e2e/local/hooks.h"
#include "e2e/local/outage.h"
#include "e2e/local/real_time_cluster.h"
#include "e2e/paths/paths.h"
#include "operator/testing/certificates.h"
#include "operator/testing/tls_server.h"
#include "operator/tls.h"
#include "scheduler/base/result.h"

namespace muster::e2e {
namespace {

// A driver that tells a story in order: POST holds the ends of pods back, DELETE lets them come.
constexpr std::string_view kEnds = "/muster-local/held-ends";
// Followed by the name of a node: POST stops its kubelet, DELETE starts it again.
constexpr std::string_view kStops = "/muster-local/stopped-kubelets/";
// A person who deletes a pod of a Job does not want to wait 10 s for the next one.
constexpr std::int64_t kJobBackoffMs = 1'000;

// Over TLS the one that is let in.
constexpr const char* kToken = "muster-local";

struct Flags {
  std::vector<std::string> clusters;
  std::string crds = CrdsFolder();
  std::string install = SourceDir() + "/config/manager/install.yaml";
  std::string kubeconfig, token_file;
  std::int32_t port = 18080;
  std::optional<std::int32_t> side_port;
  bool tls = false;
  bool kubelets = true;
  std::int64_t write_ms = 0;
  Hooks::Plant plant = Hooks::Plant::kNone;
};

std::int64_t WallMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// `authority`: PEM; "" = the server speaks no TLS. "" = done, else what is wrong.
std::string WriteAccess(const Flags& flags, const std::string& server,
                        const std::string& authority) {
  if (!flags.token_file.empty() && !(std::ofstream(flags.token_file) << kToken << "\n").flush()) {
    return flags.token_file + ": cannot be written";
  }
  if (flags.kubeconfig.empty()) return {};
  std::ofstream out(flags.kubeconfig);
  out << "apiVersion: v1\nkind: Config\ncurrent-context: muster-local\n"
      << "clusters: [{name: muster-local, cluster: {server: '" << server << "'";
  if (!authority.empty()) {
    out << ", certificate-authority-data: " << app::EncodeBase64(authority);
  }
  std::string token = std::string("token: ") + kToken;
  if (!flags.token_file.empty()) {
    // As it stands it would be one beside the kubeconfig.
    token = "tokenFile: '" + std::filesystem::absolute(flags.token_file).string() + "'";
  }
  out << "}}]\nusers: [{name: muster-local, user: {" << token << "}}]\n"
      << "contexts: [{name: muster-local, context: {cluster: muster-local, user: muster-local}}]\n";
  return out.flush() ? "" : flags.kubeconfig + ": cannot be written";
}

// What the operator needs, then the cluster. "" = done, else what is wrong.
std::string Load(const Flags& flags, ApiServer& server) {
  if (std::string error = server.LoadObjects(flags.install); !error.empty()) return error;
  for (const std::string& file : flags.clusters) {
    if (std::string error = server.LoadObjects(file); !error.empty()) return error;
  }
  return {};
}

int Fail(const std::string& text) {
  std::fprintf(stderr, "muster-local: %s\n", text.c_str());
  return 1;
}

// What this program itself answers.
std::optional<HttpResponse> Control(RealTimeCluster& cluster, const HttpRequest& request) {
  if (request.path == kEnds) {
    cluster.HoldEnds(request.method == "POST");
  } else if (request.path.starts_with(kStops)) {
    cluster.SetStopped(request.path.substr(kStops.size()), request.method == "POST");
  } else {
    return std::nullopt;
  }
  return HttpResponse{.status = 200, .headers = {}, .body = "{}"};
}

// The threads inherit the mask, so the signal waits for sigwait.
sigset_t HoldEnding() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  return ending;
}

// The door that no outage concerns, by which outages are driven.
Result<std::int32_t> OpenSide(HttpFront& side, RealTimeCluster& cluster, Outage& outage,
                              Hooks& hooks) {
  side.SetGate([&](const HttpRequest& request, const HttpFront::Next& next) {
    if (const auto done = Control(cluster, request)) return *done;
    if (const auto done = outage.Control(request)) return *done;
    return hooks.Pass(request, next);
  });
  return side.Start();
}

int Run(const Flags& flags) {
  const sigset_t ending = HoldEnding();
  ApiServer server({}, WallMs);
  if (const std::string error = server.LoadCrds(flags.crds); !error.empty()) return Fail(error);
  HttpFront::Options options;
  options.port = flags.port;
  std::string authority;
  if (flags.tls) {
    const app::CertificateAuthority ca("muster-local authority");
    authority = ca.pem();
    options.tls =
        std::make_shared<app::TlsAcceptor>(ca.Issue("muster-local", "DNS:localhost,IP:127.0.0.1"));
  }
  HttpFront front(server, options);
  if (flags.tls) front.SetToken(kToken);
  RealTimeCluster cluster(front, {.controllers = {.jobs = {.backoff_ms = kJobBackoffMs}}});
  if (const std::string error = Load(flags, server); !error.empty()) return Fail(error);
  Hooks hooks(front, flags.plant);
  Outage outage(front);
  const std::chrono::milliseconds write_time(flags.write_ms);
  front.SetGate([&](const HttpRequest& request, const HttpFront::Next& next) {
    if (const auto done = Control(cluster, request)) return *done;
    if (request.method != "GET") std::this_thread::sleep_for(write_time);
    return outage.Pass(request, [&](const HttpRequest& one) { return hooks.Pass(one, next); });
  });
  front.SetWatchGate([&](const HttpRequest& request) { return outage.Watch(request); });
  const auto port = front.Start();
  if (!port.ok()) return Fail(port.error().message);
  HttpFront side(front, {.port = flags.side_port.value_or(0)});
  if (flags.side_port) {
    const auto opened = OpenSide(side, cluster, outage, hooks);
    if (!opened.ok()) return Fail(opened.error().message);
    std::printf("muster-local: side door on port %d\n", opened.value());
  }
  if (flags.kubelets) cluster.Start();
  const std::string address =
      (flags.tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port.value());
  if (const std::string error = WriteAccess(flags, address, authority); !error.empty()) {
    return Fail(error);
  }
  std::printf("muster-local: ready on %s\n", address.c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ending, &signal);
  side.Stop();
  cluster.Stop();
  front.Stop();
  return 0;
}

}  // namespace
}  // namespace muster::e2e

int main(int argc, char** argv) {
  using muster::e2e::Hooks;
  using Path = muster::e2e::FlagRule::Path;
  muster::e2e::Flags flags;
  muster::e2e::CommandLine line(
      "A simulated GPU cluster on this machine: API server and kubelets, loopback only.",
      "muster-local");
  line.Add("--cluster", flags.clusters, "Manifests to load at the start",
           {.type = "FILE", .path = Path::kFile});
  line.Add("--port", flags.port, "Port of 127.0.0.1; 0 takes a free one",
           {.type = "PORT", .min = 0, .max = 65535});
  line.Add("--side-port", flags.side_port,
           "A second port of it, for who drives its outages: http, and never out; 0 takes a free "
           "one",
           {.type = "PORT", .min = 0, .max = 65535});
  line.Add("--kubeconfig-out", flags.kubeconfig, "Where to write a kubeconfig for it",
           {.type = "FILE"});
  line.Add("--token-file", flags.token_file,
           "Where to write the token; the kubeconfig names the file then", {.type = "FILE"});
  line.Add("--crds", flags.crds, "Folder of the custom resource definitions",
           {.type = "FOLDER", .path = Path::kFolder});
  line.Add("--install", flags.install, "Manifest of what Muster needs, loaded first",
           {.type = "FILE", .path = Path::kFile});
  line.Add("--tls", flags.tls,
           "Serve https, with an authority made at the start, to who has the token of the "
           "kubeconfig");
  line.Add("--no-kubelets", flags.kubelets,
           "The API server alone: no bound pod ever starts, no Job makes pods");
  line.Add("--write-ms", flags.write_ms,
           "Milliseconds that storing takes before a write is answered",
           {.type = "MS", .min = 0, .max = 60'000});
  line.AddChoice<Hooks::Plant>("--plant", flags.plant,
                               {{"empty-pages", Hooks::Plant::kEmptyPages},
                                {"no-resource-version", Hooks::Plant::kNoResourceVersion},
                                {"delete-member", Hooks::Plant::kDeleteMember},
                                {"one-node", Hooks::Plant::kOneNode}},
                               "A fault planted for a test of the tests");
  if (const auto end = line.Parse(argc, argv)) return *end;
  return muster::e2e::Run(flags);
}
