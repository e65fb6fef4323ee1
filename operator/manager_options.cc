#include "operator/manager_options.h"

#include <utility>

#include "scheduler/base/check.h"

namespace muster::app {

controllers::ManagerOptions ManagerOptionsOf(const CliOptions& options, std::string holder) {
  controllers::ManagerOptions out;
  out.scheduler_name = options.scheduler_name;
  out.ns = options.ns;
  if (options.leader_elect) {
    out.election = options.election;
    out.election->identity = holder;
  }
  out.holder = std::move(holder);
  // As many again wait behind the connections: one that has its answer finds the next request there
  // and need not wait for the loop.
  out.bind_in_flight = 2 * options.client.bind_connections;
  out.pages = options.journal_pages;
  out.pod_grace_ms = options.pod_grace_ms;
  // The file's were asked whether they can be.
  MUSTER_CHECK(out.policy.SetLevels(options.levels).ok());
  MUSTER_CHECK(out.policy.SetPlugins(options.plugins).ok());
  out.policy.SetTimes(options.queue);
  out.policy.SetAutoscaleSurplus(options.autoscale_surplus);
  return out;
}

}  // namespace muster::app
