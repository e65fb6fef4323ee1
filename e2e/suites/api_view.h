// What suites that meet faults ask the API server, and the objects that they make there, all in
// namespace default. For one thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "e2e/harness/client.h"

namespace muster::e2e {

inline constexpr const char* kHooks = "/muster-local/hooks";
inline constexpr const char* kPods = "/api/v1/namespaces/default/pods";
inline constexpr const char* kNodes = "/api/v1/nodes";
inline constexpr const char* kQueues = "/apis/muster.dev/v1alpha1/queues";
inline constexpr const char* kGroups = "/apis/muster.dev/v1alpha1/namespaces/default/podgroups";
inline constexpr const char* kPages =
    "/apis/muster.dev/v1alpha1/namespaces/muster-system/bindingjournals";

class ApiView {
 public:
  explicit ApiView(std::int32_t port) : client_(port) {}

  [[nodiscard]] Client& client() { return client_; }
  // "" = done, else what went wrong.
  [[nodiscard]] std::string Create(const std::string& path, const Json& object);
  [[nodiscard]] std::string Delete(const std::string& path);
  [[nodiscard]] Json Items(const std::string& path);  // Of a list.
  [[nodiscard]] Json Object(const std::string& path);
  // The first question that was not answered, or "": until then it passed for "nothing there".
  [[nodiscard]] const std::string& unanswered() const { return unanswered_; }
  void Unanswered(const std::string& what);

  // Codes of 201 for Bindings per pod's uid, and the nodes that were named with them.
  [[nodiscard]] std::map<std::string, std::multiset<std::string>> Accepted();
  // There are pages, and none has an entry.
  [[nodiscard]] bool PagesAreEmpty();
  [[nodiscard]] std::set<std::string> Nodes();

 private:
  Client client_;
  std::string unanswered_;
};

// Condition PodScheduled when it is False, else null.
[[nodiscard]] Json Unscheduled(const Json& pod);

[[nodiscard]] Json Meta(const std::string& name);
// A Queue for every namespace.
[[nodiscard]] Json QueueObject(const std::string& name);
inline constexpr int kNodeGpus = 8;
// `with_model`: model "m" is cached there.
[[nodiscard]] Json NodeObject(const std::string& name, bool with_model);
[[nodiscard]] Json PodGroupObject(const std::string& name, int min_member);
// `spec`: what is to stand beside scheduler and container.
[[nodiscard]] Json PodObject(Json metadata, Json spec, int gpus);
// Of pod `gang`-`number`. `with_model`: it asks for model "m".
[[nodiscard]] Json MemberMeta(const std::string& gang, int number, bool with_model);

}  // namespace muster::e2e
