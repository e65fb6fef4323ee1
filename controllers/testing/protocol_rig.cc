#include "controllers/testing/protocol_rig.h"

#include <algorithm>
#include <array>
#include <variant>

#include "controllers/api_calls.h"

namespace muster::controllers::testing {
namespace {

std::string Pod(std::int32_t i) {
  return "train-" + std::to_string(i);
}
std::string Uid(std::int32_t i) {
  return "u" + std::to_string(i);
}
std::string Node(std::int32_t i) {
  return "n" + std::to_string(i);
}

// "queue=q,resource=cpu".
std::string TextOf(ports::Telemetry::Labels labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (!text.empty()) text += ",";
    text.append(name).append("=").append(value);
  }
  return text;
}

std::string SeriesOf(std::string_view name, ports::Telemetry::Labels labels) {
  return std::string(name) + "{" + TextOf(labels) + "}";
}

}  // namespace

void FakeTelemetry::Log(ports::Level level, std::string_view message, Fields fields) {
  auto& logged = logged_[std::string(message)];
  for (const auto& [field, value] : fields) logged[std::string(field)] = ports::TextOf(value);
  if (level == ports::Level::kError) ++errors_;
}

void FakeTelemetry::Count(std::string_view counter, std::int64_t by, Labels labels) {
  counts_[std::string(counter)] += by;
  series_[SeriesOf(counter, labels)] += by;
}

void FakeTelemetry::Gauge(std::string_view gauge, std::int64_t value, Labels labels) {
  series_[SeriesOf(gauge, labels)] = value;
}

void FakeTelemetry::Observe(std::string_view histogram, std::int64_t value, Labels labels) {
  series_[SeriesOf(histogram, labels)] += value;
}

// Labels stand in one order everywhere, so those of the object begin the text.
void FakeTelemetry::Forget(Labels object) {
  const std::string text = "{" + TextOf(object);
  std::erase_if(series_, [&text](const auto& series) {
    const std::string& name = series.first;
    const std::size_t at = name.find(text);
    return at != std::string::npos &&
           (name[at + text.size()] == '}' || name[at + text.size()] == ',');
  });
}

std::string FakeTelemetry::FieldOf(const std::string& message, const std::string& field) const {
  const auto line = logged_.lower_bound(message);
  if (line == logged_.end() || !line->first.starts_with(message)) return {};
  const auto found = line->second.find(field);
  return found == line->second.end() ? "" : found->second;
}

std::string ToText(const scheduler::Event& event) {
  static constexpr std::array<const char*, 4> kAnswers = {"done", "refused", "elsewhere", "gone"};
  if (const auto* answered = std::get_if<scheduler::BindAnswered>(&event)) {
    std::string text = kAnswers.at(static_cast<std::size_t>(answered->answer));
    text += " " + answered->pod;
    if (!answered->node.empty()) text += " " + answered->node;
    return answered->at.empty() ? text : text + " at " + answered->at;
  }
  if (const auto* failed = std::get_if<scheduler::EntryFailed>(&event)) {
    return (failed->refused ? "failed " : "stale ") + std::to_string(failed->id) + " " +
           failed->pod + " " + failed->text;
  }
  if (const auto* closed = std::get_if<scheduler::EntryClosed>(&event)) {
    return "closed " + std::to_string(closed->id);
  }
  if (const auto* stranded = std::get_if<scheduler::EntryStranded>(&event)) {
    return "stranded " + std::to_string(stranded->id) + " " + stranded->pod;
  }
  if (const auto* amended = std::get_if<scheduler::EntryAmended>(&event)) {
    return "amended " + std::to_string(amended->id) + " " + amended->pod;
  }
  if (const auto* left = std::get_if<scheduler::EntryLeft>(&event)) {
    return "left " + std::to_string(left->id) + " " + left->pod;
  }
  return "other";
}

ProtocolRig::ProtocolRig(std::int32_t pages, std::vector<crds::JournalEntry> first) {
  const auto on_deposed = [this](const std::string& why) {
    deposed.push_back(why);
    writer.Stop();
  };
  journal = std::make_unique<Journal>(Journal::World{.writer = writer,
                                                     .loop = loop,
                                                     .telemetry = telemetry,
                                                     .holder = kHolder,
                                                     .deposed = on_deposed,
                                                     .room = [] {}});
  std::vector<crds::BindingJournal> adopted;
  for (std::int32_t i = 0; i < pages; ++i) {
    crds::BindingJournal page;
    page.meta.ns = "muster-system";
    page.meta.name = PageName(i);
    page.holder = kHolder;
    page.sequence = 4;
    if (i == 0) page.entries = std::move(first);
    api.AddPage(page);
    adopted.push_back(api.pages().at(PageName(i)));
  }
  journal->Adopt(adopted, adopted.size(), 0);
  SeeGroup("g0");
  binder = std::make_unique<Binder>(Binder::World{
      .writer = writer,
      .loop = loop,
      .telemetry = telemetry,
      .journal = *journal,
      .stores = stores,
      .feed = [this](const scheduler::Event& event) { said.push_back(ToText(event)); },
      .is_whole = [this](const scheduler::Key&) { return whole; }});
}

void ProtocolRig::AddPods(std::int32_t count) {
  for (std::int32_t i = 0; i < count; ++i) {
    (void)api.AddPod(Pod(i), Uid(i));
    See(Pod(i));
    stores.Put(Node(i), NodeRecord{.uid = "nu" + std::to_string(i)});
  }
}

void ProtocolRig::SeeGroup(const std::string& uid) {
  crds::PodGroup group;
  group.meta.ns = "default";
  group.meta.name = "train";
  group.meta.uid = uid;
  stores.Put(group);
}

void ProtocolRig::See(const std::string& name) {
  const scheduler::Key key{.ns = "default", .name = name};
  const auto found = api.pods().find(name);
  if (found == api.pods().end()) return stores.ErasePod(key);
  PodRecord record;
  record.key = key;
  record.gang = {.ns = "default", .name = "train"};
  record.uid = found->second.uid;
  record.resource_version = std::to_string(found->second.version);
  record.node = found->second.node;
  record.pins.group_uid = found->second.group_uid;
  record.pins.journal = found->second.journal;
  record.terminating = found->second.deleting;
  stores.Put(record);
}

scheduler::PodSeen ProtocolRig::Seen(const std::string& name) {
  const FakeApi::Pod& pod = api.pods().at(name);
  scheduler::PodSeen seen;
  seen.uid = pod.uid;
  seen.key = {.ns = "default", .name = name};
  seen.node = pod.node;
  seen.terminating = pod.deleting;
  seen.admitted_group_uid = pod.group_uid;
  seen.journalled = !pod.journal.empty();
  seen.state = pod.node.empty() ? scheduler::PodState::kPending : scheduler::PodState::kBound;
  return seen;
}

scheduler::Decision::Admit ProtocolRig::Admit(std::uint64_t id, std::int32_t pods) {
  scheduler::Decision::Admit admit;
  admit.gang = {.ns = "default", .name = "train"};
  admit.gang_uid = "g0";
  admit.id = id;
  admit.queue = "research";
  admit.charges = {{.resource = "nvidia.com/gpu", .amount = 8'000 * pods}};
  admit.min_member = pods;
  admit.timeout_ms = 300'000;
  for (std::int32_t i = 0; i < pods; ++i) {
    admit.pods.push_back({.pod = Uid(i),
                          .pod_key = {.ns = "default", .name = Pod(i)},
                          .node = Node(i),
                          .node_uid = "nu" + std::to_string(i),
                          .annotations = {}});
  }
  return admit;
}

scheduler::Decision::Amend ProtocolRig::Amend(std::uint64_t id, const std::string& replaces,
                                              const std::string& pod, const std::string& uid) {
  scheduler::Decision::Bind bind{.pod = uid,
                                 .pod_key = {.ns = "default", .name = pod},
                                 .node = Node(5),
                                 .node_uid = "nu5",
                                 .annotations = {}};
  return {.gang = {.ns = "default", .name = "train"},
          .gang_uid = "g0",
          .id = id,
          .changes = {{.replaces = replaces, .bind = std::move(bind)}}};
}

scheduler::Decision::Abandon ProtocolRig::Abandon(std::uint64_t id) {
  return {.gang = {.ns = "default", .name = "train"},
          .id = id,
          .why = scheduler::Decision::Why::kTimeout,
          .text = ""};
}

crds::JournalEntry ProtocolRig::PageEntry(std::uint64_t id, std::int32_t pods) {
  crds::JournalEntry entry;
  entry.id = id;
  entry.ns = "default";
  entry.group_name = "train";
  entry.group_uid = "g0";
  entry.queue = "research";
  entry.charges = {{"nvidia.com/gpu", 8'000 * pods}};
  entry.min_member = pods;
  entry.timeout_seconds = 300;
  for (std::int32_t i = 0; i < pods; ++i) {
    entry.nodes.push_back(
        {.name = Node(i),
         .uid = "nu" + std::to_string(i),
         .pods = {{.name = Pod(i), .uid = Uid(i), .resource_version = std::to_string(103 + i)}}});
  }
  return entry;
}

bool ProtocolRig::Said(const std::string& text) const {
  return std::ranges::find(said, text) != said.end();
}

}  // namespace muster::controllers::testing
