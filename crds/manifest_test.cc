// The schemas in crds/*.yaml and the structs that this folder decodes to are two descriptions of
// one thing: here they are held against each other.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "crds/decode.h"

namespace muster::crds {
namespace {

using Names = std::vector<std::string>;

YAML::Node Crd(const std::string& plural) {
  return YAML::LoadFile(std::string(MUSTER_SOURCE_DIR) + "/crds/" + plural + ".yaml");
}

YAML::Node Version(const std::string& plural) {
  return Crd(plural)["spec"]["versions"][0];
}

YAML::Node Schema(const std::string& plural) {
  return Version(plural)["schema"]["openAPIV3Schema"];
}

struct Property {
  std::string path;
  YAML::Node schema;
};

// Every property below the root, the inner ones included; without a work list this would recurse.
std::vector<Property> Properties(const std::string& plural) {
  std::vector<Property> out;
  std::vector<Property> open = {{"", Schema(plural)}};
  while (!open.empty()) {
    const Property at = open.back();
    open.pop_back();
    const YAML::Node properties = at.schema["properties"];
    for (const auto& item : properties) {
      const auto name = item.first.as<std::string>();
      const std::string path = at.path.empty() ? name : at.path + "." + name;
      out.push_back({path, item.second});
      const YAML::Node items = item.second["items"];
      open.push_back(items ? Property{path + "[]", items} : out.back());
    }
  }
  return out;
}

// What the API server, not the schema, describes.
bool IsOfEveryObject(const std::string& path) {
  return path == "apiVersion" || path == "kind" || path == "metadata" ||
         path.starts_with("metadata.");
}

std::set<std::string> SchemaPaths(const std::string& plural) {
  std::set<std::string> out;
  for (const Property& property : Properties(plural)) {
    if (!IsOfEveryObject(property.path)) out.insert(property.path);
  }
  return out;
}

std::set<std::string> DecodedPaths(const Names& paths) {
  std::set<std::string> out;
  for (const std::string& path : paths) {
    if (!IsOfEveryObject(path)) out.insert(path);
  }
  return out;
}

TEST(Manifest, EveryPropertyIsDecodedAndEveryDecodedFieldIsAProperty) {
  EXPECT_EQ(SchemaPaths("podgroups"), DecodedPaths(PodGroupPaths()));
  EXPECT_EQ(SchemaPaths("queues"), DecodedPaths(QueuePaths()));
  EXPECT_EQ(SchemaPaths("bindingjournals"), DecodedPaths(BindingJournalPaths()));
}

TEST(Manifest, DefaultsAreThoseOfTheStructs) {
  std::set<std::string> seen;
  for (const Property& property : Properties("podgroups")) {
    if (property.schema["default"]) {
      seen.insert(property.path + "=" + property.schema["default"].as<std::string>());
    }
  }
  for (const Property& property : Properties("queues")) {
    if (property.schema["default"]) {
      seen.insert(property.path + "=" + property.schema["default"].as<std::string>());
    }
  }
  const PodGroup group;
  const std::set<std::string> expected = {
      "spec.minMember=" + std::to_string(group.min_member),
      "spec.scheduleTimeoutSeconds=" + std::to_string(group.schedule_timeout_seconds),
      "spec.stopPolicy=" + Queue().stop_policy};
  EXPECT_EQ(seen, expected);
}

bool IsBounded(const YAML::Node& schema) {
  const auto has = [&](const char* key) { return static_cast<bool>(schema[key]); };
  const std::string type = has("type") ? schema["type"].as<std::string>() : "int-or-string";
  if (type == "string") return has("maxLength") || has("enum");
  if (type == "array") return has("maxItems") && has("x-kubernetes-list-type");
  if (type == "object") return has("properties") || has("maxProperties");
  if (type == "integer") {
    return has("minimum") && (schema["format"].as<std::string>() == "int64" || has("maximum"));
  }
  return has("maxLength") && has("pattern") && has("x-kubernetes-int-or-string");
}

// The cost that the API server reckons for CEL rules, and the size of an object, are bounded only
// where every part is.
TEST(Manifest, EverythingHasABound) {
  for (const char* plural : {"podgroups", "queues", "bindingjournals"}) {
    for (const Property& property : Properties(plural)) {
      if (IsOfEveryObject(property.path)) continue;
      EXPECT_TRUE(IsBounded(property.schema)) << plural << ": " << property.path;
    }
  }
}

TEST(Manifest, EveryFieldThatUsersWriteIsDescribed) {
  for (const char* plural : {"podgroups", "queues", "bindingjournals"}) {
    for (const Property& property : Properties(plural)) {
      const auto dots = std::ranges::count(property.path, '.');
      if (!property.path.starts_with("spec") || dots > 2 ||
          property.path.starts_with("spec.namespaceSelector.")) {
        continue;
      }
      EXPECT_TRUE(property.schema["description"]) << plural << ": " << property.path;
    }
  }
}

TEST(Manifest, ColumnsAreWhatUsersSee) {
  const auto columns = [](const char* plural, int priority) {
    Names out;
    for (const YAML::Node& column : Version(plural)["additionalPrinterColumns"]) {
      const int own = column["priority"] ? column["priority"].as<int>() : 0;
      if (own == priority) out.push_back(column["name"].as<std::string>());
    }
    return out;
  };
  EXPECT_EQ(columns("podgroups", 0),
            (Names{"Queue", "Priority", "Min", "Members", "Phase", "Reason", "Age"}));
  EXPECT_EQ(columns("podgroups", 1), (Names{"Message"}));
  EXPECT_EQ(columns("queues", 0), (Names{"Usage", "Pending", "Admitted", "Active", "Age"}));
  EXPECT_EQ(columns("bindingjournals", 0), (Names{"Holder", "Sequence", "Age"}));
}

TEST(Manifest, NamesAreShortAndOurOwn) {
  const struct {
    const char* plural;
    const char* short_name;
    const char* scope;
    bool category, status;
  } cases[] = {{"podgroups", "mpg", "Namespaced", true, true},
               {"queues", "mq", "Cluster", true, true},
               {"bindingjournals", "mbj", "Namespaced", false, false}};
  for (const auto& c : cases) {
    const YAML::Node crd = Crd(c.plural);
    EXPECT_EQ(crd["metadata"]["name"].as<std::string>(), std::string(c.plural) + ".muster.dev");
    EXPECT_EQ(crd["spec"]["group"].as<std::string>(), "muster.dev");
    EXPECT_EQ(crd["spec"]["scope"].as<std::string>(), c.scope);
    EXPECT_EQ(crd["spec"]["names"]["shortNames"].as<Names>(), Names{c.short_name});
    EXPECT_EQ(static_cast<bool>(crd["spec"]["names"]["categories"]), c.category) << c.plural;
    EXPECT_EQ(static_cast<bool>(Version(c.plural)["subresources"]["status"]), c.status) << c.plural;
  }
}

// Every path that an object sets, without those of metadata.
std::set<std::string> PathsSet(const YAML::Node& object) {
  std::set<std::string> out;
  std::vector<Property> open = {{"", object}};
  while (!open.empty()) {
    const Property at = open.back();
    open.pop_back();
    if (at.schema.IsSequence()) {
      for (const YAML::Node& item : at.schema) open.push_back({at.path + "[]", item});
    }
    if (!at.schema.IsMap()) continue;
    for (const auto& item : at.schema) {
      const auto name = item.first.as<std::string>();
      const std::string path = at.path.empty() ? name : at.path + "." + name;
      if (IsOfEveryObject(path)) continue;
      out.insert(path);
      // The keys of a map are the user's own.
      if (name != "matchLabels") open.push_back({path, item.second});
    }
  }
  return out;
}

TEST(Manifest, SamplesSetWhatTheSchemasKnow) {
  const std::map<std::string, std::set<std::string>> known = {
      {"PodGroup", SchemaPaths("podgroups")}, {"Queue", SchemaPaths("queues")}};
  std::map<std::string, int> seen;
  const std::filesystem::path samples =
      std::filesystem::path(MUSTER_SOURCE_DIR) / "config" / "samples";
  for (const auto& file : std::filesystem::recursive_directory_iterator(samples)) {
    if (file.path().extension() != ".yaml") continue;
    for (const YAML::Node& object : YAML::LoadAllFromFile(file.path())) {
      if (!object.IsMap() || !object["apiVersion"] ||
          object["apiVersion"].as<std::string>() != "muster.dev/v1alpha1") {
        continue;
      }
      const auto kind = object["kind"].as<std::string>();
      ++seen[kind];
      for (const std::string& path : PathsSet(object)) {
        EXPECT_TRUE(known.at(kind).contains(path)) << file.path() << ": " << path;
      }
    }
  }
  EXPECT_GT(seen["PodGroup"], 0);
  EXPECT_GT(seen["Queue"], 0);
}

}  // namespace
}  // namespace muster::crds
