#include "e2e/demo/steps.h"

#include <array>
#include <utility>

namespace muster::e2e {
namespace {

constexpr std::array<std::pair<std::string_view, Step>, 10> kSteps{{
    {"nodes", ShowNodes},
    {"apply", ApplyFile},
    {"pod-bound", PodIsBound},
    {"pod-waits", PodWaits},
    {"pod-ends", PodEnds},
    {"gang-bound", GangIsBound},
    {"gang-in-rack", GangIsInRack},
    {"gang-waits", GangWaits},
    {"kill-at-binding", KillAtBinding},
    {"no-gang-rests", NoGangRests},
}};

constexpr std::int64_t kSettleMs = 8000;

struct ObjectName {
  std::string type, collection, name;
};

// "pods/train-0", "podgroups.muster.dev/train-b", as kubectl takes them.
ObjectName Split(const std::string& object) {
  const std::size_t slash = object.find('/');
  ObjectName split{
      .type = object.substr(0, slash), .collection = {}, .name = object.substr(slash + 1)};
  const std::size_t dot = split.type.find('.');
  const std::string plural = split.type.substr(0, dot);
  std::string root = "/api/v1";
  if (dot != std::string::npos) {
    const std::string group = split.type.substr(dot + 1);
    root = "/apis/" + group + (group == "muster.dev" ? "/v1alpha1" : "/v1");
  }
  split.collection = root + "/namespaces/default/" + plural;
  return split;
}

// A name that ends in "*" is that of the one object whose name begins so: the pod of a Job's index.
// "" when there is none, or more than one.
std::string NameOf(Stage& stage, const ObjectName& object) {
  if (!object.name.ends_with('*')) return object.name;
  const std::string prefix = object.name.substr(0, object.name.size() - 1);
  std::string found;
  for (const Json& one : stage.List(object.collection)) {
    const std::string& name = StringAt(one, {"metadata", "name"});
    if (!name.starts_with(prefix)) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found;
}

std::string Plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : Dump(value);
}

}  // namespace

Step FindStep(std::string_view name) {
  for (const auto& [step_name, step] : kSteps) {
    if (step_name == name) return step;
  }
  return nullptr;
}

Outcome ObjectIs(Stage& stage, const Json& expected) {
  std::string object = StringAt(expected, {"object"});
  const ObjectName split = Split(object);
  const std::string& path = StringAt(expected, {"path"});
  const std::string stated = Plain(expected.value("value", Json(nullptr)));
  std::string seen;
  const bool equal = WaitFor(kSettleMs, [&] {
    const std::string name = NameOf(stage, split);
    if (!name.empty()) object = split.type + "/" + name;
    const Json body = stage.api().Get(split.collection + "/" + name).body;
    const Json* const value = Find(body, SplitDots(path));
    seen = value == nullptr ? "nothing" : Plain(*value);
    return seen == stated;
  });
  if (equal) return std::nullopt;
  return Mismatch{.expected = object + " " + path + ": " + stated,
                  .seen = object + " " + path + ": " + seen,
                  .command = "kubectl get " + object + " -o jsonpath={." + path + "}"};
}

}  // namespace muster::e2e
