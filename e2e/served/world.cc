#include "e2e/served/world.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "e2e/paths/paths.h"

namespace muster::e2e {
namespace {

constexpr std::int64_t kEndMs = 20'000;

}  // namespace

Result<std::unique_ptr<ServedWorld>> ServedWorld::Start(const std::string& cluster) {
  auto world = std::make_unique<ServedWorld>();
  MUSTER_ASSIGN(world->folder_, TempFolder::Make("served"));
  world->programs_ = {.local = BinaryDir() + "/e2e/muster-local",
                      .muster = BinaryDir() + "/operator/muster",
                      .folder = world->folder_.path()};
  const std::string file = world->folder_.path() + "/cluster.yaml";
  std::ofstream(file) << cluster;
  MUSTER_ASSIGN(world->local_,
                StartLocal(world->programs_, 0,
                           {"--cluster", file, "--crds", CrdsFolder(), "--no-kubelets"}));
  world->api_ = std::make_unique<Client>(world->local_.port);
  return world;
}

Result<Server> ServedWorld::Muster(const std::string& identity,
                                   const std::vector<std::string>& flags) const {
  return StartMuster(programs_, {.identity = identity, .flags = flags});
}

std::int32_t ServedWorld::PortOf(const std::string& identity, const std::string& server) const {
  std::ifstream file(programs_.muster_log(identity), std::ios::binary);
  const std::string log{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t line = log.find(" serving ");
  const std::string mark = " " + server + "=127.0.0.1:";
  const std::size_t at = line == std::string::npos ? line : log.find(mark, line);
  return at == std::string::npos ? 0 : std::atoi(log.c_str() + at + mark.size());
}

Output ServedWorld::RunMuster(std::vector<std::string> flags) const {
  flags.insert(flags.begin(),
               {programs_.muster, "--kubeconfig", programs_.kubeconfig(), "--http-port", "0"});
  return RunCommand({.argv = std::move(flags), .env = {}, .cwd = ""}, kEndMs);
}

const char* const kStory = R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  allocatable: {cpu: '8', memory: 8Gi, pods: '110', nvidia.com/gpu: '2'}
  conditions: [{type: Ready, status: 'True'}]
---
apiVersion: muster.dev/v1alpha1
kind: Queue
metadata: {name: q}
spec: {namespaceSelector: {}, resources: [{name: nvidia.com/gpu, nominalQuota: 2}]}
---
apiVersion: muster.dev/v1alpha1
kind: Queue
metadata: {name: p}
spec:
  namespaceSelector: {}
  resources: [{name: nvidia.com/gpu, nominalQuota: 0, borrowingLimit: 0}]
---
apiVersion: muster.dev/v1alpha1
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {queue: q, minMember: 2}
---
apiVersion: muster.dev/v1alpha1
kind: PodGroup
metadata: {name: w, namespace: default}
spec: {queue: p, minMember: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: g-0, namespace: default, labels: {muster.dev/pod-group: g}}
spec:
  schedulerName: muster
  containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: '1'}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: g-1, namespace: default, labels: {muster.dev/pod-group: g}}
spec:
  schedulerName: muster
  containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: '1'}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: w-0, namespace: default, labels: {muster.dev/pod-group: w}}
spec:
  schedulerName: muster
  containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: '1'}}}]
)";

std::string AwaitText(const std::function<std::string()>& ask,
                      const std::function<bool(const std::string&)>& holds) {
  std::string said = ask();
  for (int i = 0; i < 600 && !holds(said); ++i) {
    SleepMs(50);
    said = ask();
  }
  return said;
}

}  // namespace muster::e2e
