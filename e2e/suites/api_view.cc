#include "e2e/suites/api_view.h"

#include <algorithm>
#include <utility>

#include "crds/binding_journal.h"

namespace muster::e2e {

std::string ApiView::Create(const std::string& path, const Json& object) {
  const Answer made = client_.Post(path, object);
  return made.status == 201 ? "" : path + ": " + made.text;
}

std::string ApiView::Delete(const std::string& path) {
  const Answer deleted = client_.Delete(path);
  return deleted.status == 200 ? "" : path + ": " + deleted.text;
}

Json ApiView::Items(const std::string& path) {
  Result<Json> items = client_.List(path);
  if (items.ok()) return std::move(items).value();
  Unanswered(items.error().message);
  return Json::array();
}

Json ApiView::Object(const std::string& path) {
  Answer answer = client_.Get(path);
  if (answer.status != 200) Unanswered("GET " + path + ": " + answer.text);
  return std::move(answer.body);
}

void ApiView::Unanswered(const std::string& what) {
  if (unanswered_.empty()) unanswered_ = what;
}

std::map<std::string, std::multiset<std::string>> ApiView::Accepted() {
  std::map<std::string, std::multiset<std::string>> accepted;
  const Json report = Object(kHooks);
  const Json* const bindings = Find(report, {"bindings"});
  if (bindings == nullptr) return accepted;
  for (const Json& binding : *bindings) {
    if (IntAt(binding, {"code"}) != 201) continue;
    accepted[StringAt(binding, {"uid"})].insert(StringAt(binding, {"node"}));
  }
  return accepted;
}

bool ApiView::PagesAreEmpty() {
  const Json pages = Items(kPages);
  return !pages.empty() && std::all_of(pages.begin(), pages.end(), [](const Json& page) {
    const auto entries = crds::DecodeEntries(StringAt(page, {"spec", "entries"}));
    return entries.ok() && entries.value().empty();
  });
}

std::set<std::string> ApiView::Nodes() {
  std::set<std::string> names;
  for (const Json& node : Items(kNodes)) names.insert(StringAt(node, {"metadata", "name"}));
  return names;
}

Json Unscheduled(const Json& pod) {
  const Json* const conditions = Find(pod, {"status", "conditions"});
  if (conditions == nullptr) return nullptr;
  for (const Json& condition : *conditions) {
    const bool is_it = StringAt(condition, {"type"}) == "PodScheduled";
    if (is_it && StringAt(condition, {"status"}) == "False") return condition;
  }
  return nullptr;
}

Json Meta(const std::string& name) {
  return {{"name", name}, {"namespace", "default"}};
}

Json QueueObject(const std::string& name) {
  return {{"apiVersion", "muster.dev/v1alpha1"},
          {"kind", "Queue"},
          {"metadata", {{"name", name}}},
          {"spec", {{"namespaceSelector", Json::object()}}}};
}

Json NodeObject(const std::string& name, bool with_model) {
  Json metadata = {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}};
  if (with_model) metadata["annotations"] = {{"muster.dev/cached-models", "m"}};
  const Json amounts = {
      {"cpu", "64"}, {"pods", "110"}, {"nvidia.com/gpu", std::to_string(kNodeGpus)}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", std::move(metadata)},
          {"status",
           {{"capacity", amounts},
            {"allocatable", amounts},
            {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

Json PodGroupObject(const std::string& name, int min_member) {
  return {{"apiVersion", "muster.dev/v1alpha1"},
          {"kind", "PodGroup"},
          {"metadata", Meta(name)},
          {"spec", {{"queue", "default"}, {"minMember", min_member}}}};
}

Json PodObject(Json metadata, Json spec, int gpus) {
  const Json limits = {{"nvidia.com/gpu", std::to_string(gpus)}};
  spec["schedulerName"] = "muster";
  spec["containers"] = Json::array(
      {{{"name", "c"}, {"image", "i"}, {"resources", {{"limits", limits}, {"requests", limits}}}}});
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)}};
}

Json MemberMeta(const std::string& gang, int number, bool with_model) {
  Json metadata = Meta(gang + "-" + std::to_string(number));
  metadata["labels"] = {{"muster.dev/pod-group", gang}};
  if (with_model) metadata["annotations"] = {{"muster.dev/model", "m"}};
  return metadata;
}

}  // namespace muster::e2e
