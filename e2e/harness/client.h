// JSON over HTTP to loopback servers, for drivers and suites: requests, and one watch on a thread
// of its own. A Client is for one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "e2e/apiserver/json.h"
#include "scheduler/base/result.h"

namespace muster::e2e {

struct Answer {
  std::int32_t status = 0;  // 0 = no answer.
  Json body;                // Null when it is not JSON.
  std::string text;
};

class Client {
 public:
  explicit Client(std::int32_t port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // `path` with its query, encoded.
  [[nodiscard]] Answer Get(const std::string& path);
  [[nodiscard]] Answer Post(const std::string& path, const Json& body);
  [[nodiscard]] Answer Patch(const std::string& path, const Json& body,
                             const std::string& content_type);
  [[nodiscard]] Answer Delete(const std::string& path);
  // The items of a list. Anything but a list is an Error: it must not pass for an empty one.
  [[nodiscard]] Result<Json> List(const std::string& path);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Follows one watch until it is destroyed. A lost stream is not renewed: who takes silence for an
// answer asks `ended` too.
class WatchStream {
 public:
  // `sink` runs on the stream's thread, once per frame.
  WatchStream(std::int32_t port, const std::string& path,
              std::function<void(const Json& frame)> sink);
  ~WatchStream();
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  // Nothing comes any more, or it was never opened. From any thread.
  [[nodiscard]] bool ended() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  std::thread thread_;
};

}  // namespace muster::e2e
