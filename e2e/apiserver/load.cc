#include "e2e/apiserver/load.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "e2e/apiserver/crd.h"
#include "e2e/apiserver/event_view.h"
#include "e2e/apiserver/verbs.h"
#include "e2e/apiserver/yaml.h"

namespace muster::e2e {
namespace {

Result<std::vector<std::string>> YamlFilesIn(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  if (error) return Error{Code::kNotFound, folder + ": " + error.message()};
  std::ranges::sort(files);
  return files;
}

Json Established(const std::string& now) {
  const auto condition = [&](const char* type, const char* reason, const char* message) {
    return Json{{"type", type},
                {"status", "True"},
                {"reason", reason},
                {"message", message},
                {"lastTransitionTime", now}};
  };
  return {condition("NamesAccepted", "NoConflicts", "no conflicts found"),
          condition("Established", "InitialNamesAccepted", "the initial names have been accepted")};
}

std::string StoreObject(Backend& backend, const Kind& kind, const std::string& ns, Json object) {
  Admission admission{
      .options = {.fields = WriteOptions::Fields::kStrict}, .keep_status = true, .warnings = {}};
  const Target target{.kind = &kind, .ns = ns};
  if (const Refusal refusal = CheckType(kind, object)) return refusal->message;
  const auto stored = StoreNew(backend, target, FromView(kind, std::move(object)), admission);
  return stored.ok() ? "" : stored.error().message;
}

std::string LoadObject(Backend& backend, Json object) {
  const Kind* kind = backend.kinds.Of(StringAt(object, {"apiVersion"}), StringAt(object, {"kind"}));
  if (kind == nullptr || kind->builtin == Builtin::kCrd) return "no such kind is served";
  std::string ns;
  if (kind->namespaced) {
    ns = StringAt(object, {"metadata", "namespace"});
    if (ns.empty()) ns = "default";
    const Kind& namespaces = backend.kinds.Get(Builtin::kNamespace);
    if (backend.Find(namespaces, "", ns) == nullptr) {
      std::string error = StoreObject(backend, namespaces, "", {{"metadata", {{"name", ns}}}});
      if (!error.empty()) return error;
    }
  }
  return StoreObject(backend, *kind, ns, std::move(object));
}

}  // namespace

std::string AddCrd(Backend& backend, Json definition) {
  auto kind = KindOfCrd(definition);
  if (!kind.ok()) return kind.error().message;
  const std::string version = kind.value().version;
  const Json names = definition["spec"]["names"];
  if (!backend.kinds.Add(std::move(kind).value())) return "its path is served already";
  definition["status"] = {{"acceptedNames", names},
                          {"conditions", Established(backend.Now())},
                          {"storedVersions", {version}}};
  return StoreObject(backend, backend.kinds.Get(Builtin::kCrd), "", std::move(definition));
}

std::string LoadCrds(Backend& backend, const std::string& folder) {
  const auto files = YamlFilesIn(folder);
  if (!files.ok()) return files.error().message;
  for (const std::string& file : files.value()) {
    auto documents = ReadYamlFile(file);
    if (!documents.ok()) return documents.error().message;
    for (Json& document : documents.value()) {
      std::string error = AddCrd(backend, std::move(document));
      if (!error.empty()) return error.insert(0, file + ": ");
    }
  }
  return files.value().empty() ? folder + ": holds no *.yaml" : "";
}

std::string LoadObjects(Backend& backend, const std::string& file) {
  auto documents = ReadYamlFile(file);
  if (!documents.ok()) return documents.error().message;
  for (Json& document : documents.value()) {
    const std::string kind = StringAt(document, {"kind"});
    const std::string name = StringAt(document, {"metadata", "name"});
    std::string what = file + ": " + kind;
    if (!name.empty()) what.append(" ").append(name);
    what += kind.empty() ? "a document without kind: " : ": ";
    std::string error = LoadObject(backend, std::move(document));
    if (!error.empty()) return error.insert(0, what);
  }
  return "";
}

}  // namespace muster::e2e
