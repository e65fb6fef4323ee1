// Who we are and whom we trust, kept up to date: files and plugins are asked again before what they
// said is over, and at once when the API server refuses it. One thread does that; connections take
// what is there, and none of them waits for a file or a plugin unless it was refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "operator/cluster_access.h"
#include "operator/http_client.h"
#include "operator/logging.h"
#include "operator/thread_loop.h"
#include "operator/thread_loop_latest.h"
#include "operator/tls.h"
#include "scheduler/base/result.h"

namespace muster::app {

// Of one request. Never changes.
struct Credential {
  std::string token{};                       // "" = no Authorization header.
  std::shared_ptr<const TlsMaterial> tls{};  // Null: plain HTTP.
};

struct CredentialTimes {
  std::int64_t look_ms = 60'000;    // Files are read so often, as client-go reads token files.
  std::int64_t plugin_ms = 60'000;  // So long a plugin may take.
  // A plugin is run so long before the end of what it gave, at the latest at half of its time.
  std::int64_t early_ms = 60'000;
  std::int64_t plugin_gap_ms = 10'000;  // Between two runs, however often its token is refused.
};

class Credentials {
 public:
  // A token, or "", that is good for ever, over plain HTTP.
  explicit Credentials(std::string token);
  // Reads everything once. An Error is one line that begins with the origin.
  [[nodiscard]] static Result<std::shared_ptr<Credentials>> Open(const ClusterAccess& access,
                                                                 CredentialTimes times = {});
  ~Credentials();  // Stops.
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  // From any thread.
  [[nodiscard]] std::shared_ptr<const Credential> Now() const { return latest_.Get(); }
  // The API server answered 401 to a request with `used`: looks for another. True: there is one,
  // and the request is worth sending again.
  [[nodiscard]] bool Renew(const std::shared_ptr<const Credential>& used);

  // Renews from now on, at most once, until Stop. The logger has to outlive that.
  void Keep(const Logger& logger);
  // Ends a plugin that runs, and every wait.
  void Stop();

 private:
  class Reader;
  Credentials(std::shared_ptr<const Credential> first, std::unique_ptr<Reader> reader);
  void Run(const Logger& logger, const StopFlag& stop);

  Latest<Credential> latest_;
  std::unique_ptr<Reader> reader_;  // Null: nothing ever changes. The thread's, once it runs.
  std::unique_ptr<IoThread> thread_;
};

// Where to connect, with credentials that were read.
[[nodiscard]] Result<Endpoint> OpenEndpoint(const ClusterAccess& access,
                                            CredentialTimes times = {});

}  // namespace muster::app
