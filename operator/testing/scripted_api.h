// An API server that answers request after request from a list, whatever connection they come on,
// and remembers what it was asked. After the list it holds every request unanswered.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "operator/testing/raw_server.h"

namespace muster::app {

class ScriptedApi {
 public:
  struct Step {
    std::string bytes;   // The whole answer, or as much of it as is sent.
    bool close = false;  // Then the connection is closed.
  };
  explicit ScriptedApi(std::vector<Step> steps, std::shared_ptr<const TlsAcceptor> tls = nullptr);
  ~ScriptedApi();
  ScriptedApi(const ScriptedApi&) = delete;
  ScriptedApi& operator=(const ScriptedApi&) = delete;

  [[nodiscard]] std::int32_t port() const;
  // The first lines of the requests so far: "GET /api/v1/pods?limit=500".
  [[nodiscard]] std::vector<std::string> asked() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A list body of objects that have a name and a resourceVersion: "a@5".
[[nodiscard]] std::string ListBody(const std::vector<std::string>& objects,
                                   const std::string& version, const std::string& next = "");
// A line of a watch, with its end: Frame("ADDED", "a@5").
[[nodiscard]] std::string Frame(const std::string& type, const std::string& object);
// The line with which a server ends a watch.
[[nodiscard]] std::string ErrorFrame(int code);

}  // namespace muster::app
