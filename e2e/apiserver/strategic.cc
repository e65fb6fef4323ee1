#include "e2e/apiserver/strategic.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::e2e {
namespace {

// patchMergeKey of k8s.io/api/core/v1, by the name of the list. A list that is not here is replaced
// whole (tolerations, nodeSelectorTerms, matchExpressions).
struct MergeKey {
  std::string_view list, key;
};
constexpr std::array<MergeKey, 17> kMergeKeys = {{{"conditions", "type"},
                                                  {"taints", "key"},
                                                  {"containers", "name"},
                                                  {"initContainers", "name"},
                                                  {"ephemeralContainers", "name"},
                                                  {"env", "name"},
                                                  {"ports", "containerPort"},
                                                  {"volumes", "name"},
                                                  {"volumeMounts", "mountPath"},
                                                  {"volumeDevices", "devicePath"},
                                                  {"schedulingGates", "name"},
                                                  {"resourceClaims", "name"},
                                                  {"topologySpreadConstraints", "topologyKey"},
                                                  {"imagePullSecrets", "name"},
                                                  {"addresses", "type"},
                                                  {"hostAliases", "ip"},
                                                  {"ownerReferences", "uid"}}};
// Lists of scalars with the strategy "merge": united.
constexpr std::array<std::string_view, 2> kMergedScalars = {"finalizers", "podCIDRs"};

std::optional<std::string_view> KeyOfList(std::string_view list) {
  const auto found = std::ranges::find(kMergeKeys, list, &MergeKey::list);
  if (found == kMergeKeys.end()) return std::nullopt;
  return found->key;
}

bool IsDirective(std::string_view field) {
  return field.starts_with('$');
}

void DropDirectives(Json& object) {
  for (auto field = object.begin(); field != object.end();) {
    const bool drop = field->is_null() || IsDirective(field.key());
    field = drop ? object.erase(field) : std::next(field);
  }
}

// `value` as a new value: without directives, and without nulls in objects.
Json WithoutDirectives(Json value) {
  std::vector<Json*> open = {&value};
  while (!open.empty()) {
    Json& at = *open.back();
    open.pop_back();
    if (at.is_object()) DropDirectives(at);
    for (Json& child : at) {
      if (child.is_structured()) open.push_back(&child);
    }
  }
  return value;
}

struct Pair {
  Json* object = nullptr;
  const Json* patch = nullptr;
};

class Merge {
 public:
  std::string Run(Json& object, const Json& patch) {
    open_.push_back({&object, &patch});
    while (!open_.empty() && error_.empty()) {
      const Pair pair = open_.front();
      open_.pop_front();
      MergeObject(*pair.object, *pair.patch);
    }
    return error_;
  }

 private:
  void MergeObject(Json& object, const Json& patch) {
    if (StringAt(patch, {"$patch"}) == "replace") {
      object = WithoutDirectives(patch);
      return;
    }
    for (const auto& [field, value] : patch.items()) {
      if (IsDirective(field)) {
        TakeDirective(object, field, value);
        continue;
      }
      if (value.is_null()) {
        object.erase(field);
      } else if (value.is_object()) {
        MergeChild(object[field], value);
      } else if (value.is_array()) {
        MergeList(field, object[field], value);
      } else {
        object[field] = value;
      }
    }
  }

  void MergeChild(Json& child, const Json& value) {
    if (!child.is_object()) {
      child = WithoutDirectives(value);
    } else {
      open_.push_back({&child, &value});
    }
  }

  // "$deleteFromPrimitiveList/finalizers": [..]. The order directives ("$setElementOrder/..") and
  // "$retainKeys" only arrange, so nothing is lost by leaving them.
  static void TakeDirective(Json& object, std::string_view field, const Json& value) {
    constexpr std::string_view kDelete = "$deleteFromPrimitiveList/";
    if (!field.starts_with(kDelete) || !value.is_array()) return;
    Json& list = ArrayAt(object, field.substr(kDelete.size()));
    std::erase_if(list.get_ref<Json::array_t&>(),
                  [&](const Json& item) { return std::ranges::find(value, item) != value.end(); });
  }

  void MergeList(const std::string& field, Json& list, const Json& patch) {
    if (!list.is_array()) list = Json::array();
    if (std::ranges::find(kMergedScalars, field) != kMergedScalars.end()) {
      for (const Json& item : patch) {
        if (std::ranges::find(list, item) == list.end()) list.push_back(item);
      }
      return;
    }
    const auto key = KeyOfList(field);
    if (!key || ReplacesAll(patch)) {
      Json items = Json::array();
      for (const Json& item : patch) {
        if (Find(item, {"$patch"}) == nullptr) items.push_back(WithoutDirectives(item));
      }
      list = std::move(items);
      return;
    }
    MergeByKey(list, patch, *key);
  }

  static bool ReplacesAll(const Json& patch) {
    return std::ranges::any_of(
        patch, [](const Json& item) { return StringAt(item, {"$patch"}) == "replace"; });
  }

  void MergeByKey(Json& list, const Json& patch, std::string_view key) {
    auto& items = list.get_ref<Json::array_t&>();
    // First what changes the list itself, so that pointers into it stay good afterwards.
    for (const Json& item : patch) {
      const Json* id = Find(item, {key});
      if (id == nullptr) {
        error_ = "map: " + Dump(item) + " does not contain declared merge key: " + std::string(key);
        return;
      }
      const auto same = [&](const Json& one) {
        const Json* other = Find(one, {key});
        return other != nullptr && *other == *id;
      };
      if (StringAt(item, {"$patch"}) == "delete") {
        std::erase_if(items, same);
      } else if (std::ranges::none_of(items, same)) {
        items.push_back(Json::object({{std::string(key), *id}}));
      }
    }
    for (const Json& item : patch) {
      if (Find(item, {"$patch"}) == nullptr) OpenItems(items, item, key);
    }
  }

  // The items of the list that the item of the patch is merged into.
  void OpenItems(Json::array_t& items, const Json& patch, std::string_view key) {
    for (Json& one : items) {
      const Json* other = Find(one, {key});
      if (other != nullptr && *other == *Find(patch, {key})) open_.push_back({&one, &patch});
    }
  }

  std::deque<Pair> open_;
  std::string error_;
};

}  // namespace

std::string StrategicMerge(Json& object, const Json& patch) {
  return Merge().Run(object, patch);
}

}  // namespace muster::e2e
