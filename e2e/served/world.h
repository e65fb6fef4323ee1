// A served cluster for one test: muster-local without kubelets and muster, on free ports.
// Everything ends with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "e2e/harness/client.h"
#include "e2e/harness/servers.h"
#include "e2e/suites/stand.h"

namespace muster::e2e {

class ServedWorld {
 public:
  // `cluster`: a manifest.
  [[nodiscard]] static Result<std::unique_ptr<ServedWorld>> Start(const std::string& cluster);

  // An instance, ready or standing by.
  [[nodiscard]] Result<Server> Muster(const std::string& identity,
                                      const std::vector<std::string>& flags) const;
  // The port that an instance names in its log: "http", "metrics", "health", "grpc".
  [[nodiscard]] std::int32_t PortOf(const std::string& identity, const std::string& server) const;
  // muster with these flags, to its end.
  [[nodiscard]] Output RunMuster(std::vector<std::string> flags) const;
  [[nodiscard]] Client& api() { return *api_; }

 private:
  TempFolder folder_;  // First: it goes after the server that writes into it.
  Programs programs_;
  Server local_;
  std::unique_ptr<Client> api_;
};

// Two GPUs on one node; queue q with a quota of two, queue p with none. Gang g of q runs on both,
// gang w of p waits.
extern const char* const kStory;

// Asks until `holds`, at most 30 s; what was said last.
[[nodiscard]] std::string AwaitText(const std::function<std::string()>& ask,
                                    const std::function<bool(const std::string&)>& holds);

}  // namespace muster::e2e
