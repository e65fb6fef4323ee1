#include "e2e/demo/stage.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <utility>

namespace muster::e2e {
namespace {

constexpr const char* kEnds = "/muster-local/held-ends";

std::string Seconds(std::int64_t ms) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(ms) / 1000.0);
  return text.data();
}

// "NVIDIA-A100-SXM4-80GB" -> "A100".
std::string ShortProduct(const std::string& product) {
  const std::size_t begin = product.starts_with("NVIDIA-") ? 7 : 0;
  return product.substr(begin, product.find('-', begin) - begin);
}

// "3 nodes x 8 A100", from the nodes themselves; several kinds are joined by a comma.
std::string Describe(const Json& nodes) {
  std::map<std::string, int> kinds;
  for (const Json& node : nodes) {
    ++kinds[StringAt(node, {"status", "allocatable", "nvidia.com/gpu"}) + " " +
            ShortProduct(StringAt(node, {"metadata", "labels", "nvidia.com/gpu.product"}))];
  }
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " nodes x " + kind;
  }
  return text;
}

std::string Count(const Json& items, const std::string& noun) {
  return std::to_string(items.size()) + " " + noun + (items.size() == 1 ? "" : "s");
}

}  // namespace

Outcome Stage::StartCluster(const std::string& sample_folder, bool announce) {
  Stop();
  sample_folder_ = sample_folder;
  restart = {};
  unanswered_.clear();
  std::filesystem::remove(options_.programs.muster_log());
  auto local =
      StartLocal(options_.programs, options_.port, {"--cluster", sample_folder + "/cluster.yaml"});
  if (!local.ok()) {
    return Mismatch{.expected = "a simulated API server on port " + std::to_string(options_.port),
                    .seen = local.error().message,
                    .command = "ss -ltnp   (stop what holds the port, or pass PORT=<another>)"};
  }
  local_ = std::move(local).value();
  api_ = std::make_unique<Client>(local_.port);
  timeline_ = std::make_unique<Timeline>();
  if (const Answer held = api_->Post(kEnds, Json::object()); held.status != 200) {
    return Mismatch{.expected = "no pod ends before its step",
                    .seen = std::to_string(held.status) + " " + held.text,
                    .command = "less " + options_.programs.local_log()};
  }
  const std::array<std::pair<const char*, const char*>, 2> watched{
      {{"Pod", "/api/v1/pods?watch=1"}, {"Node", "/api/v1/nodes?watch=1"}}};
  for (const auto& [kind, path] : watched) {
    watches_.push_back(std::make_unique<WatchStream>(
        local_.port, path,
        [timeline = timeline_.get(), kind = std::string(kind)](const Json& frame) {
          timeline->Add(kind, frame, SteadyMs());
        }));
  }
  if (announce) {
    std::printf("[3/4] %-15s simulated API server on http://127.0.0.1:%d, %s, up in %s\n",
                "control plane", local_.port, Describe(List("/api/v1/nodes")).c_str(),
                Seconds(local_.start_ms).c_str());
  }
  return std::nullopt;
}

Outcome Stage::StartOperator() {
  if (options_.canary == Canary::kNoOperator) return std::nullopt;
  auto started = StartMuster(options_.programs);
  if (!started.ok()) {
    return Mismatch{.expected = "muster is ready",
                    .seen = started.error().message,
                    .command = "less " + options_.programs.muster_log()};
  }
  operator_ = std::move(started).value();
  return std::nullopt;
}

void Stage::AnnounceOperator() {
  if (operator_.child.ended()) return;
  std::printf("[4/4] %-15s pid %d, synced %s, %s, %s in %s; log: %s\n\n", "muster",
              operator_.child.pid(), Count(List("/api/v1/nodes"), "node").c_str(),
              Count(List("/api/v1/pods"), "pod").c_str(),
              Count(List("/apis/muster.dev/v1alpha1/queues"), "queue").c_str(),
              Seconds(operator_.start_ms).c_str(), options_.programs.muster_log().c_str());
  std::printf("      export KUBECONFIG=%s        (a second terminal can use it now)\n\n",
              std::filesystem::absolute(options_.programs.kubeconfig()).c_str());
}

void Stage::LetPodsEnd() {
  (void)api_->Delete(kEnds);
}

void Stage::Stop() {
  operator_.child.Stop(5000);
  watches_.clear();
  local_.child.Stop(5000);
}

Json Stage::List(const std::string& path) {
  Result<Json> items = api_->List(path);
  if (items.ok()) return std::move(items).value();
  if (unanswered_.empty()) unanswered_ = items.error().message;
  return Json::array();
}

Outcome Stage::Unheard() const {
  const bool lost = std::any_of(watches_.begin(), watches_.end(),
                                [](const auto& watch) { return watch->ended(); });
  if (unanswered_.empty() && !lost) return std::nullopt;
  return Mismatch{.expected = "every list is answered and no watch ends",
                  .seen = lost ? "a watch has ended" : unanswered_,
                  .command = "less " + options_.programs.local_log()};
}

Json Stage::Explain(const std::string& what) const {
  Client client(operator_.port);
  return client.Get("/explain/default/" + what).body;
}

Output Stage::Kubectl(const std::vector<std::string>& args) const {
  std::printf("  $ %s\n", Shown(args).c_str());
  std::fflush(stdout);
  return KubectlSilently(args);
}

Output Stage::KubectlSilently(const std::vector<std::string>& args,
                              std::int64_t patience_ms) const {
  Command command{.argv = {options_.kubectl},
                  .env = {"KUBECONFIG=" + options_.programs.kubeconfig(),
                          "KUBECACHEDIR=" + options_.programs.folder + "/kubectl-cache"},
                  .cwd = {}};
  command.argv.insert(command.argv.end(), args.begin(), args.end());
  return RunCommand(command, patience_ms);
}

void Stage::Say(const std::string& subject, const std::string& verb, const std::string& text) {
  std::printf("  %-9s %-8s %s\n", subject.c_str(), verb.c_str(), text.c_str());
  std::fflush(stdout);
}

Answer Stage::BindByHand(const std::string& pod, const std::string& node) {
  const std::string uid = StringAt(api_->Get(PodPath(pod)).body, {"metadata", "uid"});
  return api_->Post(PodPath(pod) + "/binding",
                    {{"apiVersion", "v1"},
                     {"kind", "Binding"},
                     {"metadata", {{"name", pod}, {"namespace", "default"}, {"uid", uid}}},
                     {"target", {{"kind", "Node"}, {"name", node}}}});
}

std::string Shown(const std::vector<std::string>& args) {
  std::string text = "kubectl";
  for (const std::string& arg : args) text += " " + arg;
  return text;
}

std::string PodPath(const std::string& name) {
  return "/api/v1/namespaces/default/pods/" + name;
}

}  // namespace muster::e2e
