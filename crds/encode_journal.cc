#include <nlohmann/json.hpp>

#include "crds/encode.h"

namespace muster::crds {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Pods and nodes as arrays: a page of hundreds of pods stays small. The flavor of a charge has its
// place in the form, always "" so far.
Json ToJson(const JournalEntry& entry) {
  Json charges = Json::array();
  for (const auto& [resource, amount] : entry.charges) {
    charges.push_back(Json::array({resource, "", amount}));
  }
  Json nodes = Json::array();
  for (const JournalEntry::Node& node : entry.nodes) {
    Json pods = Json::array();
    for (const JournalEntry::Pod& pod : node.pods) {
      pods.push_back(Json::array({pod.name, pod.uid, pod.resource_version}));
    }
    nodes.push_back(Json::array({node.name, node.uid, std::move(pods)}));
  }
  return {{"id", entry.id},
          {"s", entry.abandon ? "Abandon" : "Bind"},
          {"why", entry.why},
          {"ns", entry.ns},
          {"pg", Json::array({entry.group_name, entry.group_uid})},
          {"q", entry.queue},
          {"ch", std::move(charges)},
          {"min", entry.min_member},
          {"t", entry.timeout_seconds},
          {"n", std::move(nodes)}};
}

}  // namespace

std::string EncodeEntries(const std::vector<JournalEntry>& entries) {
  Json list = Json::array();
  for (const JournalEntry& entry : entries) list.push_back(ToJson(entry));
  return Dump({{"v", 1}, {"e", std::move(list)}});
}

// A PUT replaces the object: labels and annotations that somebody put there are sent back.
std::string EncodeBindingJournal(const BindingJournal& page) {
  Json meta = {{"name", page.meta.name}, {"namespace", page.meta.ns}};
  if (!page.meta.uid.empty()) meta["uid"] = page.meta.uid;
  if (!page.meta.resource_version.empty()) meta["resourceVersion"] = page.meta.resource_version;
  if (!page.meta.labels.empty()) meta["labels"] = page.meta.labels;
  if (!page.meta.annotations.empty()) meta["annotations"] = page.meta.annotations;
  return Dump({{"apiVersion", "muster.dev/v1alpha1"},
               {"kind", "BindingJournal"},
               {"metadata", std::move(meta)},
               {"spec",
                {{"holder", page.holder},
                 {"sequence", page.sequence},
                 {"entries", EncodeEntries(page.entries)}}}});
}

}  // namespace muster::crds
