// What is encoded decodes to the same, for any content.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "crds/decode.h"
#include "crds/encode.h"
#include "crds/time.h"

namespace muster::crds {
namespace {

// Letters, what JSON escapes, and characters of two to four bytes.
std::string AnyText() {
  static const std::vector<std::string> kCharacters = {
      "a",  "Z",    "0", " ", "\"",       "\\",           "/",
      "\n", "\x01", "{", "]", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x9a\x80"};
  std::string out;
  for (const std::string& c :
       *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kCharacters))) {
    out += c;
  }
  return out;
}
std::string AnyName() {
  return "n" + AnyText();
}
std::int64_t AnySecond() {
  return *rc::gen::inRange<std::int64_t>(-1'000'000, 4'000'000'000) * 1000;
}
std::int32_t AnyCount() {
  return *rc::gen::inRange<std::int32_t>(0, 2'147'483'647);
}
std::int64_t AnyAmount() {
  return *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 62U);
}
std::size_t AnySize() {
  return *rc::gen::inRange<std::size_t>(0, 4);
}

std::vector<Condition> AnyConditions() {
  std::vector<Condition> out(AnySize());
  for (Condition& c : out) {
    c = {AnyName(), AnyText(), AnyText(), AnyText(), AnyCount(), AnySecond()};
  }
  return out;
}

// The "value" of the patch, as the object that holds it.
std::string AsObject(const std::string& patch) {
  const std::string key = R"("path":"/status","value":)";
  const std::size_t at = patch.find(key) + key.size();
  return R"({"status":)" + patch.substr(at, patch.size() - at - 2) + "}";
}

RC_GTEST_PROP(RoundTrip, PodGroupStatus, ()) {
  PodGroupStatus status;
  status.phase = AnyText();
  status.reason = AnyText();
  status.message = AnyText();
  status.queue = AnyText();
  status.summary = AnyText();
  status.priority = *rc::gen::arbitrary<std::int32_t>();
  status.attempts = AnyCount();
  if (*rc::gen::arbitrary<bool>()) {
    status.admission = PodGroupAdmission{.queue = AnyText(), .time_ms = AnySecond(), .charges = {}};
    status.admission->charges.resize(AnySize());
    for (auto& charge : status.admission->charges) charge = {AnyName(), AnyAmount()};
  }
  status.members = {AnyCount(), AnyCount(), AnyCount(), AnyCount(), AnyCount()};
  if (*rc::gen::arbitrary<bool>()) status.start_ms = AnySecond();
  if (*rc::gen::arbitrary<bool>()) status.completion_ms = AnySecond();
  status.conditions = AnyConditions();
  status.observed_generation = AnyAmount();
  const auto seen = DecodePodGroup(AsObject(EncodePodGroupStatus(AnyText(), status)));
  RC_ASSERT(seen.ok());
  RC_ASSERT(seen.value().status == status);
}

RC_GTEST_PROP(RoundTrip, QueueStatus, ()) {
  QueueStatus status;
  status.conditions = AnyConditions();
  status.pending_gangs = AnyCount();
  status.admitted_gangs = AnyCount();
  status.resources.resize(AnySize());
  for (auto& resource : status.resources) resource = {AnyName(), AnyText(), AnyText()};
  status.usage_summary = AnyText();
  status.observed_generation = AnyAmount();
  if (*rc::gen::arbitrary<bool>()) status.last_update_ms = AnySecond();
  const auto seen = DecodeQueue(AsObject(EncodeQueueStatus(AnyText(), status)));
  RC_ASSERT(seen.ok());
  RC_ASSERT(seen.value().status == status);
}

JournalEntry AnyEntry() {
  JournalEntry entry;
  entry.id = *rc::gen::arbitrary<std::uint64_t>();
  entry.abandon = *rc::gen::arbitrary<bool>();
  entry.why = AnyText();
  entry.ns = AnyText();
  entry.group_name = AnyText();
  entry.group_uid = AnyText();
  entry.queue = AnyText();
  entry.charges.resize(AnySize());
  for (auto& charge : entry.charges) charge = {AnyName(), AnyAmount()};
  entry.min_member = AnyCount();
  entry.sub_groups.resize(AnySize());
  for (auto& sub : entry.sub_groups) sub = {AnyName(), AnyCount()};
  entry.parts = *rc::gen::inRange(1, 20);
  entry.part = *rc::gen::inRange(1, entry.parts + 1);
  entry.timeout_seconds = AnyCount();
  entry.nodes.resize(AnySize());
  for (auto& node : entry.nodes) {
    node.name = AnyName();
    node.uid = AnyText();
    node.pods.resize(AnySize());
    for (auto& pod : node.pods) pod = {AnyName(), AnyName(), AnyName(), AnyText()};
  }
  return entry;
}

RC_GTEST_PROP(RoundTrip, JournalPage, ()) {
  BindingJournal page;
  page.meta.name = AnyName();
  page.meta.ns = AnyText();
  page.meta.resource_version = AnyText();
  page.meta.labels = {{AnyName(), AnyText()}};
  page.holder = AnyText();
  page.sequence = AnyAmount();
  for (std::size_t i = AnySize(); i > 0; --i) page.entries.push_back(AnyEntry());
  const auto seen = DecodeBindingJournal(EncodeBindingJournal(page));
  RC_ASSERT(seen.ok());
  RC_ASSERT(seen.value() == page);
}

// A body cut or changed anywhere is an Error, or decodes to something: never a crash. That a prefix
// is never taken for the whole holds for entries too.
RC_GTEST_PROP(RoundTrip, DamagedEntriesAreNoOtherEntries, ()) {
  const std::vector<JournalEntry> entries = {AnyEntry(), AnyEntry()};
  std::string text = EncodeEntries(entries);
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  RC_ASSERT(!DecodeEntries(std::string_view(text).substr(0, at)).ok());
  text[at] = static_cast<char>(*rc::gen::inRange(0, 256));
  const auto seen = DecodeEntries(text);
  if (seen.ok()) RC_ASSERT(DecodeEntries(EncodeEntries(seen.value())).value() == seen.value());
}

}  // namespace
}  // namespace muster::crds
