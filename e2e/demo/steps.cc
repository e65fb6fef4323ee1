#include "e2e/demo/steps.h"

#include <array>
#include <utility>

namespace muster::e2e {
namespace {

constexpr std::array<std::pair<std::string_view, Step>, 9> kSteps{{
    {"nodes", ShowNodes},
    {"apply", ApplyFile},
    {"pod-bound", PodIsBound},
    {"pod-waits", PodWaits},
    {"pod-ends", PodEnds},
    {"gang-bound", GangIsBound},
    {"gang-waits", GangWaits},
    {"kill-at-binding", KillAtBinding},
    {"no-gang-rests", NoGangRests},
}};

constexpr std::int64_t kSettleMs = 8000;

// "pods/train-0", "podgroups.muster.dev/train-b", as kubectl takes them.
std::string ObjectPath(const std::string& object) {
  const std::size_t slash = object.find('/');
  const std::string type = object.substr(0, slash), name = object.substr(slash + 1);
  const std::size_t dot = type.find('.');
  if (dot == std::string::npos) return "/api/v1/namespaces/default/" + type + "/" + name;
  return "/apis/" + type.substr(dot + 1) + "/v1alpha1/namespaces/default/" + type.substr(0, dot) +
         "/" + name;
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
  const std::string& object = StringAt(expected, {"object"});
  const std::string& path = StringAt(expected, {"path"});
  const std::string stated = Plain(expected.value("value", Json(nullptr)));
  std::string seen;
  const bool equal = WaitFor(kSettleMs, [&] {
    const Json body = stage.api().Get(ObjectPath(object)).body;
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
