#include <initializer_list>
#include <string_view>
#include <utility>

#include "crds/encode.h"
#include "crds/encode_json.h"
#include "crds/json_text.h"

namespace muster::crds {
namespace {

void AppendList(std::string& out, std::initializer_list<std::string_view> texts) {
  char before = '[';
  for (const std::string_view text : texts) {
    out += std::exchange(before, ',');
    AppendQuoted(out, text);
  }
  out += ']';
}

// `append(item)` for each of them, with commas between.
template <class Items, class Append>
void AppendEach(std::string& out, const Items& items, Append append) {
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) out += ',';
    append(item);
  }
  out += ']';
}

void AppendNode(std::string& out, const JournalEntry::Node& node) {
  out += '[';
  AppendQuoted(out, node.name);
  out += ',';
  AppendQuoted(out, node.uid);
  out += ',';
  AppendEach(out, node.pods, [&out](const JournalEntry::Pod& pod) {
    AppendList(out, {pod.name, pod.uid, pod.resource_version, pod.sub_group});
  });
  out += ']';
}

// Pods and nodes as arrays: a page of hundreds of pods stays small. The flavor of a charge has its
// place in the form, always "" so far.
void AppendEntry(std::string& out, const JournalEntry& entry) {
  out.append(R"({"id":)").append(std::to_string(entry.id));
  out.append(R"(,"s":)").append(entry.abandon ? R"("Abandon")" : R"("Bind")");
  out += R"(,"why":)";
  AppendQuoted(out, entry.why);
  out += R"(,"ns":)";
  AppendQuoted(out, entry.ns);
  out += R"(,"pg":)";
  AppendList(out, {entry.group_name, entry.group_uid});
  out += R"(,"q":)";
  AppendQuoted(out, entry.queue);
  out += R"(,"ch":)";
  AppendEach(out, entry.charges, [&out](const auto& charge) {
    out += '[';
    AppendQuoted(out, charge.first);
    out.append(R"(,"",)").append(std::to_string(charge.second)).append("]");
  });
  out.append(R"(,"min":)").append(std::to_string(entry.min_member));
  out += R"(,"sub":)";
  AppendEach(out, entry.sub_groups, [&out](const auto& sub) {
    out += '[';
    AppendQuoted(out, sub.first);
    out.append(",").append(std::to_string(sub.second)).append("]");
  });
  if (entry.parts != 1 || entry.part != 1) {
    out.append(R"(,"part":[)").append(std::to_string(entry.part)).append(",");
    out.append(std::to_string(entry.parts)).append("]");
  }
  out.append(R"(,"t":)").append(std::to_string(entry.timeout_seconds));
  out += R"(,"n":)";
  AppendEach(out, entry.nodes, [&out](const auto& node) { AppendNode(out, node); });
  out += '}';
}

}  // namespace

std::string EncodeEntries(const std::vector<JournalEntry>& entries) {
  std::string out = R"({"v":1,"e":)";
  AppendEach(out, entries, [&out](const JournalEntry& entry) { AppendEntry(out, entry); });
  out += '}';
  return out;
}

// A PUT replaces the object: labels and annotations that somebody put there are sent back.
std::string EncodeBindingJournal(const BindingJournal& page) {
  Json meta = {{"name", page.meta.name}, {"namespace", page.meta.ns}};
  if (!page.meta.uid.empty()) meta["uid"] = page.meta.uid;
  if (!page.meta.resource_version.empty()) meta["resourceVersion"] = page.meta.resource_version;
  if (!page.meta.labels.empty()) meta["labels"] = page.meta.labels;
  if (!page.meta.annotations.empty()) meta["annotations"] = page.meta.annotations;
  std::string out = R"({"apiVersion":"muster.dev/v1alpha1","kind":"BindingJournal","metadata":)";
  out.append(Dump(meta)).append(R"(,"spec":{"holder":)");
  AppendQuoted(out, page.holder);
  out.append(R"(,"sequence":)").append(std::to_string(page.sequence)).append(R"(,"entries":)");
  AppendQuoted(out, EncodeEntries(page.entries));
  out += "}}";
  return out;
}

}  // namespace muster::crds
