// A configuration is options that are each in their range, or one line that names the file.
#include <string>

#include "controllers/leader_election.h"
#include "e2e/fuzz/fuzz.h"
#include "operator/configuration.h"
#include "operator/names.h"
#include "scheduler/base/check.h"

int muster::e2e::FuzzConfig(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  app::CliOptions options;
  const auto read =
      app::ReadConfiguration(std::string(e2e::TextOf(data, size)), "muster.yaml", options);
  if (!read.ok()) {
    const std::string& text = read.error().message;
    MUSTER_CHECK(text.starts_with("muster.yaml:"));
    MUSTER_CHECK(text.find('\n') == std::string::npos);
    return 0;
  }
  if (e2e::Planted()) options.client.bind_connections = 0;
  MUSTER_CHECK(app::ProblemOfSubdomain(options.scheduler_name).empty());
  MUSTER_CHECK(app::ProblemOfLabel(options.election.ns).empty());
  MUSTER_CHECK(controllers::ProblemOf(options.election).empty());
  MUSTER_CHECK(options.client.bind_connections >= 1 && options.client.bind_connections <= 256);
  MUSTER_CHECK(options.client.http.read_ms >= 1'000);
  MUSTER_CHECK(options.pod_grace_ms >= 0);
  MUSTER_CHECK(options.queue.backoff.first_ms <= options.queue.backoff.max_ms);
  return 0;
}
