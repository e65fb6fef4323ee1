#include "controllers/journal_parts.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "controllers/journal_page.h"
#include "scheduler/base/check.h"

namespace muster::controllers {
namespace {

// More than one pod and its node take, so that no part is left over for a few.
constexpr std::size_t kPartSlack = 4'096;

// What a node with this pod adds to an entry, and what the node alone does.
struct PodBytes {
  std::size_t node = 0, pod = 0;
};
PodBytes BytesOf(const crds::JournalEntry& head, const crds::JournalEntry::Node& node,
                 const crds::JournalEntry::Pod& pod) {
  crds::JournalEntry entry = head;
  const std::size_t none = EntryBytes(entry);
  entry.nodes = {{.name = node.name, .uid = node.uid, .pods = {}}};
  const std::size_t bare = EntryBytes(entry);
  entry.nodes[0].pods.push_back(pod);
  return {.node = bare - none + 1, .pod = EntryBytes(entry) - bare + 1};  // With their commas.
}

bool EndsWith(const crds::JournalEntry& part, const crds::JournalEntry::Node& node) {
  return !part.nodes.empty() && part.nodes.back().name == node.name;
}

std::string NameOf(const crds::JournalEntry& entry) {
  return "entry " + std::to_string(entry.id);
}

// Empty, or why this part cannot belong to what was found of its entry.
std::string PartProblem(const EntryParts& before, const crds::JournalEntry& part) {
  const auto empty = [](const crds::JournalEntry::Node& node) { return node.pods.empty(); };
  if (part.nodes.empty() || std::ranges::any_of(part.nodes, empty)) {
    return NameOf(part) + " names no pod";
  }
  for (const crds::JournalEntry& other : before) {
    if (other.part == part.part) return NameOf(part) + " stands twice";
    const bool one = other.parts == part.parts && other.ns == part.ns &&
                     other.group_name == part.group_name && other.group_uid == part.group_uid;
    if (!one) return NameOf(part) + " has parts of two gangs";
  }
  return {};
}

using ById = std::map<std::uint64_t, EntryParts>;

// By id and part. Empty, or what is wrong.
std::string Collect(const std::vector<crds::BindingJournal>& pages, ById& found) {
  for (const crds::BindingJournal& page : pages) {
    std::set<std::uint64_t> here;
    for (const crds::JournalEntry& entry : page.entries) {
      EntryParts& parts = found[entry.id];
      std::string problem = PartProblem(parts, entry);
      if (!here.insert(entry.id).second) problem = NameOf(entry) + " stands twice";
      if (!problem.empty()) return "page " + page.meta.name + ": " + problem;
      parts.push_back(entry);
    }
  }
  for (auto& [id, parts] : found) std::ranges::sort(parts, {}, &crds::JournalEntry::part);
  return {};
}

// Notes in which entry each pod stands; ids come in rising order. Empty, or what is wrong.
std::string PlacePods(const ById& found, const EntryParts& parts,
                      std::map<std::string, std::uint64_t>& entry_of,
                      std::set<std::uint64_t>& settled) {
  const std::uint64_t id = parts.front().id;
  std::string problem;
  ForEachPod(parts, [&](const auto& part, const auto& /*node*/, const auto& pod) {
    const auto [at, added] = entry_of.try_emplace(pod.uid, id);
    if (added) return;
    if (at->second == id || IsAbandoned(found.at(at->second))) {
      problem = NameOf(part) + ": pod " + pod.name + " stands twice";
    } else {
      settled.insert(std::exchange(at->second, id));
    }
  });
  return problem;
}

// Fills parts one after the other, up to a limit of bytes.
class Splitter {
 public:
  Splitter(crds::JournalEntry head, std::size_t limit)
      : head_(std::move(head)), limit_(limit), parts_{head_} {}

  void Add(const crds::JournalEntry::Node& node, const crds::JournalEntry::Pod& pod) {
    const PodBytes needs = BytesOf(head_, node, pod);
    if (used_ + needs.pod + (EndsWith(parts_.back(), node) ? 0 : needs.node) > limit_) {
      parts_.push_back(head_);
      used_ = 0;
    }
    if (!EndsWith(parts_.back(), node)) {
      parts_.back().nodes.push_back({.name = node.name, .uid = node.uid, .pods = {}});
      used_ += needs.node;
    }
    parts_.back().nodes.back().pods.push_back(pod);
    used_ += needs.pod;
  }
  [[nodiscard]] EntryParts Take() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i].part = static_cast<std::int32_t>(i + 1);
      parts_[i].parts = static_cast<std::int32_t>(parts_.size());
    }
    return std::move(parts_);
  }

 private:
  const crds::JournalEntry head_;  // All but the nodes.
  const std::size_t limit_;
  EntryParts parts_;
  std::size_t used_ = 0;  // Of the last part.
};

}  // namespace

EntryParts SplitEntry(crds::JournalEntry entry) {
  const std::size_t all = EntryBytes(entry);
  if (all <= kPageBytesMax) return {std::move(entry)};
  crds::JournalEntry head = entry;
  head.nodes.clear();
  head.part = head.parts = 9'999;  // As long as they can get.
  const std::size_t room = kPageBytesMax - EntryBytes(head);
  const std::size_t limit = std::min(room, all / ((all + room - 1) / room) + kPartSlack);
  Splitter splitter(std::move(head), limit);
  const auto add = [&splitter](const auto& /*part*/, const auto& node, const auto& pod) {
    splitter.Add(node, pod);
  };
  ForEachPod({std::move(entry)}, add);
  return splitter.Take();
}

void RemovePod(crds::JournalEntry& entry, const std::string& uid) {
  bool found = false;
  for (crds::JournalEntry::Node& node : entry.nodes) {
    found = std::erase_if(node.pods, [&uid](const auto& pod) { return pod.uid == uid; }) > 0;
    if (found) break;
  }
  MUSTER_CHECK(found);
  std::erase_if(entry.nodes, [](const auto& node) { return node.pods.empty(); });
}

void AddPod(crds::JournalEntry& entry, NamedPod now) {
  // One that was made anew under its name stands beside what is left of the old one.
  auto at = std::ranges::find_if(entry.nodes, [&now](const auto& node) {
    return node.name == now.node && node.uid == now.node_uid;
  });
  if (at == entry.nodes.end()) {
    at = std::ranges::upper_bound(entry.nodes, now.node, {}, &crds::JournalEntry::Node::name);
    at = entry.nodes.insert(at, {.name = now.node, .uid = now.node_uid, .pods = {}});
  }
  at->pods.push_back(std::move(now.pod));
}

OpenEntries ReadPages(const std::vector<crds::BindingJournal>& pages) {
  OpenEntries out;
  ById found;
  out.problem = Collect(pages, found);
  if (!out.problem.empty()) return out;
  std::map<std::string, std::uint64_t> entry_of;  // By the uid of a pod.
  std::set<std::uint64_t> gone;
  for (const auto& [id, parts] : found) {
    const bool whole = std::ssize(parts) == parts.front().parts;
    if (!whole && !IsAbandoned(parts)) {
      gone.insert(id);
      continue;
    }
    out.problem = PlacePods(found, parts, entry_of, gone);
    if (!out.problem.empty()) return out;
  }
  for (auto& [id, parts] : found) {
    if (!gone.contains(id)) out.entries.push_back(std::move(parts));
  }
  out.dropped.assign(gone.begin(), gone.end());
  return out;
}

bool IsAbandoned(const EntryParts& parts) {
  return std::ranges::any_of(parts, &crds::JournalEntry::abandon);
}

}  // namespace muster::controllers
