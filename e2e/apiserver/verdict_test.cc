// The simulated API server against kube-apiserver: of the same documents it says the same, to the
// character. What kube-apiserver says was asked of its own code (e2e/tools/crds.sh).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "e2e/apiserver/test_client.h"
#include "e2e/apiserver/yaml.h"
#include "e2e/paths/paths.h"

namespace muster::e2e {
namespace {

namespace fs = std::filesystem;

std::string TestData(const std::string& name) {
  return SourceDir() + "/e2e/apiserver/testdata/" + name;
}

// By "<file>: <kind> <name>", what is said of it, sorted: "accepted" or "refused", and each fault.
using Verdicts = std::map<std::string, std::vector<std::string>>;

Verdicts OfKubeApiserver() {
  Verdicts verdicts;
  std::ifstream file(TestData("verdicts.txt"));
  for (std::string line; std::getline(file, line);) {
    const std::size_t name = line.find(": ") + 2;
    const std::size_t end = line.find(": ", name);
    verdicts[line.substr(0, end)].push_back(line.substr(end + 2));
  }
  return verdicts;
}

bool IsDefinition(const std::string& document) {
  return document.find(": CustomResourceDefinition ") != std::string::npos;
}

std::string FileOf(const std::string& document) {
  return document.substr(0, document.find(": "));
}

// Those of the program that asks kube-apiserver: it has no text of its own for unknown fields.
std::string UnknownFields(std::string text) {
  std::string fields;
  while (true) {
    const std::size_t begin = text.find('"');
    if (begin == std::string::npos) return fields + ": Forbidden: unknown fields";
    const std::size_t end = text.find('"', begin + 1);
    fields += (fields.empty() ? "" : ", ") + text.substr(begin + 1, end - begin - 1);
    text.erase(0, end + 1);
  }
}

std::vector<std::string> Faults(const Reply& reply) {
  std::vector<std::string> faults = {"refused"};
  constexpr std::string_view kStrict = "strict decoding error: ";
  const std::string text = reply.message();
  if (const std::size_t at = text.find(kStrict); at != std::string::npos) {
    faults.push_back(UnknownFields(text.substr(at + kStrict.size())));
  }
  if (const Json* causes = Find(reply.body, {"details", "causes"})) {
    for (const Json& cause : *causes) {
      faults.push_back(StringAt(cause, {"field"}) + ": " + StringAt(cause, {"message"}));
    }
  }
  return faults;
}

class Judge {
 public:
  Judge() { EXPECT_EQ(client_.server.LoadCrds(CrdsFolder()), ""); }

  // Of each document of the kinds that are ours.
  void File(const std::string& path, Verdicts& verdicts) {
    auto documents = ReadYamlFile(SourceDir() + "/" + path);
    ASSERT_TRUE(documents.ok()) << documents.error().message;
    for (const Json& document : documents.value()) {
      if (StringAt(document, {"apiVersion"}) != "muster.dev/v1alpha1") continue;
      std::string name = path + ": ";
      name.append(StringAt(document, {"kind"})).append(" ");
      auto& said = verdicts[name + StringAt(document, {"metadata", "name"})];
      const std::vector<std::string> more = Document(document);
      said.insert(said.end(), more.begin(), more.end());
      std::ranges::sort(said);
    }
  }

 private:
  static std::string PathOf(const Json& object) {
    static const std::map<std::string, std::string> kPlurals = {
        {"PodGroup", "podgroups"}, {"Queue", "queues"}, {"BindingJournal", "bindingjournals"}};
    const std::string ns = StringAt(object, {"metadata", "namespace"});
    return "/apis/muster.dev/v1alpha1/" + (ns.empty() ? "" : "namespaces/" + ns + "/") +
           kPlurals.at(StringAt(object, {"kind"}));
  }

  std::vector<std::string> Document(const Json& object) {
    const std::string ns = StringAt(object, {"metadata", "namespace"});
    if (!ns.empty()) (void)client_.Post("/api/v1/namespaces", {{"metadata", {{"name", ns}}}});
    const std::string path = PathOf(object);
    const std::string one = path + "/" + StringAt(object, {"metadata", "name"});
    const Reply known = client_.Get(one);
    const std::string strict = "?fieldValidation=Strict";
    if (known.code == 200) {
      Json next = object;
      next["metadata"]["resourceVersion"] = known.body["metadata"]["resourceVersion"];
      const Reply changed = client_.Put(one + strict, next);
      if (changed.code == 200) return {"accepted"};
      return Faults(changed);
    }
    const Reply made = client_.Post(path + strict, object);
    if (made.code != 201) return Faults(made);
    // As the operator writes it.
    if (object.contains("status")) {
      EXPECT_EQ(client_.Patch("merge", one + "/status", {{"status", object["status"]}}).code, 200);
    }
    return {"accepted"};
  }

  TestClient client_;
};

TEST(Verdict, OfObjectsIsThatOfKubeApiserver) {
  Verdicts expected = OfKubeApiserver();
  std::erase_if(expected, [](const auto& one) { return IsDefinition(one.first); });
  Judge judge;
  Verdicts seen;
  std::string last;
  for (const auto& [document, said] : expected) {
    if (FileOf(document) != last) judge.File(FileOf(document), seen);
    last = FileOf(document);
  }
  std::size_t refused = 0;
  for (const auto& [document, said] : expected) {
    EXPECT_EQ(seen[document], said) << document;
    if (said.size() > 1) ++refused;
  }
  EXPECT_EQ(seen.size(), expected.size());
  // Both are there, so a list that is empty, or that was never judged, is found.
  EXPECT_GT(refused, 40U);
  EXPECT_GT(expected.size() - refused, 10U);
}

// What kube-apiserver refuses when a definition is made. The cost of a rule is not estimated here.
TEST(Verdict, OfDefinitionsIsRefusedWhereARuleIsNotUnderstood) {
  int definitions = 0;
  for (const auto& [document, said] : OfKubeApiserver()) {
    const std::string file = FileOf(document);
    if (!file.starts_with("e2e/apiserver/testdata/definitions/")) continue;
    ++definitions;
    const fs::path folder = fs::temp_directory_path() / ("verdict_test" + std::to_string(getpid()));
    fs::create_directories(folder);
    fs::copy_file(SourceDir() + "/" + file, folder / "crd.yaml");
    TestClient client;
    const std::string error = client.server.LoadCrds(folder.string());
    fs::remove_all(folder);
    const bool taken = said.front() == "accepted" || file.ends_with("/unbounded-string.yaml");
    EXPECT_EQ(error.empty(), taken) << file << ": " << error;
  }
  EXPECT_EQ(definitions, 5);
}

}  // namespace
}  // namespace muster::e2e
