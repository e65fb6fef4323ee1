#include "crds/decode_resources.h"

#include <algorithm>

#include "crds/json_fields.h"
#include "crds/quantity.h"

namespace muster::crds {
namespace {

constexpr std::array kResourcesFields = {
    JsonField<Resources>{"requests",
                         [](JsonReader& reader, JsonValue& value, Resources& out) {
                           return ReadResourceList(reader, value, out.requests);
                         }},
    JsonField<Resources>{"limits",
                         [](JsonReader& reader, JsonValue& value, Resources& out) {
                           return ReadResourceList(reader, value, out.limits);
                         }},
};

bool ByName(const ResourceList::value_type& a, const ResourceList::value_type& b) {
  return a.first < b.first;
}

}  // namespace

bool ReadResourceList(JsonReader& reader, JsonValue& value, ResourceList& out) {
  out.clear();
  std::string text;
  const bool read = reader.Members(value, [&](std::string_view key, JsonValue& member) {
    // `key` lives until the next string is read.
    std::string name(key);
    if (!reader.Text(member, text)) return false;
    const Result<Quantity> quantity = ParseQuantity(text, UnitOf(name));
    if (!quantity.ok()) return reader.Expected("a quantity");
    out.emplace_back(std::move(name), quantity.value().amount);
    return true;
  });
  // Servers send them sorted as it is, and each once. Of repeats the last counts, as Go reads them.
  std::ranges::stable_sort(out, ByName);
  const auto repeated = [&out](const auto& item) {
    const auto* next = &item + 1;
    return next != out.data() + out.size() && next->first == item.first;
  };
  out.erase(std::remove_if(out.begin(), out.end(), repeated), out.end());
  return read;
}

void ListRequests(const std::string& prefix, std::vector<std::string>& out) {
  ListInObject<kResourcesFields>(prefix, out);
}

bool ReadRequests(JsonReader& reader, JsonValue& value, ResourceList& out) {
  Resources resources;
  if (!reader.Object<Resources>(value, resources, kResourcesFields)) return false;
  out = std::move(resources.requests);
  // The requests come first, sorted; limits that have none are appended.
  const std::size_t own = out.size();
  for (auto& limit : resources.limits) {
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(own);
    if (!std::binary_search(out.begin(), end, limit, ByName)) out.push_back(std::move(limit));
  }
  std::ranges::sort(out, ByName);
  return true;
}

}  // namespace muster::crds
