// What the controllers say to the API server: each write names the object that it is meant for, so
// that a successor of the same name refuses it. No state.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "e2e/apiserver/json.h"
#include "e2e/apiserver/server.h"

namespace muster::e2e {

struct Answered {
  int code = 0;
  Json body{};
  [[nodiscard]] bool ok() const { return code >= 200 && code < 300; }
};

class Requests {
 public:
  using Send = std::function<HttpResponse(const HttpRequest&)>;

  explicit Requests(Send send) : send_(std::move(send)) {}

  // Of kinds that the controllers watch. The namespace is that of `object`.
  [[nodiscard]] Answered Create(const Json& object) const;
  // `propagation`: Background, Foreground, Orphan.
  [[nodiscard]] Answered Delete(const Json& object, const std::string& propagation) const;
  // The whole status, if the object is still the same.
  [[nodiscard]] Answered SetStatus(const Json& object, Json status) const;
  // The same, if the object has not changed since.
  [[nodiscard]] Answered SetStatusOfVersion(const Json& object, Json status) const;
  // One field, if the object has not changed since; null takes it away.
  [[nodiscard]] Answered SetField(const Json& object, const std::string& pointer, Json value) const;
  [[nodiscard]] Answered PatchPodStatus(const Json& pod, Json status) const;
  // The object that an ownerReference of something in `ns` names: 404 when there is none; 0 when
  // its kind is not known, so that nobody can say.
  [[nodiscard]] Answered GetOwner(const Json& reference, const std::string& ns) const;

 private:
  [[nodiscard]] Answered Do(HttpRequest request) const;
  // `same`: the field of metadata that has to be as in `object`.
  [[nodiscard]] Answered PatchStatus(const Json& object, const std::string& same,
                                     Json status) const;
  Send send_;
};

// The collections that the controllers have to hear of.
[[nodiscard]] const std::vector<std::string>& WatchedPaths();

}  // namespace muster::e2e
