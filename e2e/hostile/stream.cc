#include "e2e/hostile/stream.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "e2e/paths/paths.h"
#include "e2e/sim/scripted_cluster.h"

namespace muster::e2e {
namespace {

constexpr std::size_t kBatch = 100;
constexpr std::size_t kWrongMax = 10;  // Then it is of no use to go on.
constexpr const char* kPodPath = "/api/v1/namespaces/default/pods";
constexpr const char* kPages = "/apis/muster.dev/v1alpha1/namespaces/muster-system/bindingjournals";
// As controllers/intake.cc has them.
constexpr std::string_view kRefusedLine = "an object keeps its last good state";
constexpr std::string_view kLostLine = "the watch ended, a new list follows";
// As controllers/page_fence.cc has it.
constexpr std::string_view kUnwritableLine = "the journal cannot be written";

std::string Lists(HostileKind kind) {
  const std::string_view plural = PlaceOf(kind).plural;
  const bool core = kind == HostileKind::kPod || kind == HostileKind::kNode;
  return (core ? "/api/v1/" : "/apis/muster.dev/v1alpha1/") + std::string(plural);
}

std::string In(std::string_view collection, const scheduler::Key& key) {
  return (key.ns.empty() ? "" : "/namespaces/" + key.ns) + "/" + std::string(collection) + "/" +
         key.name;
}

void ReplaceAll(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

class StreamStage {
 public:
  StreamStage(const HostileObjects& objects, const StreamRun& run)
      : objects_(objects), run_(run), cluster_(CrdsFolder(), run.seed) {
    cluster_.SetTap([this](const HttpRequest& request, const ScriptedCluster::Serve& serve) {
      return Spliced(request, serve());
    });
    for (int i = 1; i <= 2; ++i) MakeNode("healthy-" + std::to_string(i));
    cluster_.Queue("healthy", 64);
  }

  HostileVerdict Play() {
    StartOperator();
    const std::size_t all = run_.first + run_.count;
    for (std::size_t first = run_.first; first < all && GoesOn(); first += kBatch) {
      const std::size_t end = std::min(all, first + kBatch);
      if (first / kBatch % 2 == 0) {
        ShowAll(first, end);
      } else {
        ListAll(first, end);
      }
      if (!GoesOn()) break;
      StartHealthy(first / kBatch);
      AllAreTold();
      ListAnew();  // Without them: they are gone.
      TakeOverPages(first, end);
    }
    return std::move(verdict_);
  }

 private:
  [[nodiscard]] bool GoesOn() const { return verdict_.wrong.size() < kWrongMax && !dead_; }
  void Wrong(const std::string& what) { verdict_.wrong.push_back(what); }

  void MakeNode(const std::string& name) {
    const Json amounts = {{"nvidia.com/gpu", "8"}, {"cpu", "64"}, {"pods", "110"}};
    const Json ready = {{"type", "Ready"}, {"status", "True"}};
    cluster_.Make("/api/v1/nodes",
                  {{"metadata", {{"name", name}, {"labels", {{"stand", "healthy"}}}}},
                   {"status", {{"allocatable", amounts}, {"conditions", Json::array({ready})}}}});
  }

  void StartOperator() {
    if (run_.no_operator) return;
    due_.clear();
    cluster_.StartOperator(
        {.observer = {.applied = [this](const scheduler::Event& event) { Hear(event); },
                      .decided = nullptr},
         .log = [this](const std::string& line) { OnLine(line); },
         .gives_up = run_.gives_up});
    (void)RunUntil([this] { return cluster_.synced() || Died(); });
  }
  // False: not within two minutes.
  bool RunUntil(const std::function<bool()>& done) {
    for (int i = 0; i < 1'200 && !done(); ++i) cluster_.Run(100);
    return done();
  }
  [[nodiscard]] bool Died() const { return !cluster_.complaint().empty(); }
  // The operator gave up, which nothing in a watch may make it do.
  void CheckAlive(const std::string& after) {
    if (!Died() || std::exchange(dead_, true)) return;
    Wrong(after + ": the operator gave up: " + cluster_.complaint());
  }

  // What the core is told.
  void Hear(const scheduler::Event& event) {
    if (const auto* pod = std::get_if<scheduler::PodSeen>(&event)) {
      known_.insert(pod->uid);
      const bool waits =
          pod->ours && pod->state == scheduler::PodState::kPending && !pod->terminating;
      due_.erase(pod->uid);
      if (waits) due_[pod->uid] = "/api/v1" + In("pods", pod->key);
    } else if (const auto* gone = std::get_if<scheduler::PodGone>(&event)) {
      due_.erase(gone->uid);
    } else if (const auto* node = std::get_if<scheduler::NodeSeen>(&event)) {
      known_.insert(node->uid);
    } else if (const auto* gang = std::get_if<scheduler::GangSeen>(&event)) {
      known_.insert(gang->uid);
      Due(In("podgroups", gang->key));
    } else if (const auto* lost = std::get_if<scheduler::GangGone>(&event)) {
      due_.erase(In("podgroups", lost->key));
    } else if (const auto* queue = std::get_if<scheduler::QueueSeen>(&event)) {
      known_.insert(queue->uid);
      Due("/queues/" + queue->name);
    } else if (const auto* closed = std::get_if<scheduler::QueueGone>(&event)) {
      due_.erase("/queues/" + closed->name);
    }
  }
  void Due(const std::string& what) { due_[what] = "/apis/muster.dev/v1alpha1" + what; }
  void OnLine(const std::string& line) {
    if (line.find(kRefusedLine) != std::string::npos) ++refused_;
    if (line.find(kLostLine) != std::string::npos) ++lost_;
    if (line.find(kUnwritableLine) != std::string::npos) ++unwritable_;
  }

  // One after the other in the open watch of its kind, each looked at.
  void ShowAll(std::size_t first, std::size_t end) {
    sent_from_ = cluster_.sent().size();
    for (std::size_t i = first; i < end && GoesOn(); ++i) {
      const Hostile hostile = Newest(objects_.Make(i, HostileForm::kStored));
      if (hostile.kind != HostileKind::kBindingJournal) Show(hostile);
    }
  }
  // Its version is the newest of the server, as that of an object that has just changed.
  Hostile Newest(Hostile hostile) {
    const std::string now =
        StringAt(cluster_.Get("/api/v1/namespaces"), {"metadata", "resourceVersion"});
    ReplaceAll(hostile.text, hostile.version, now);
    return hostile;
  }
  void Show(const Hostile& hostile) {
    const std::string type = hostile.number % 2 == 0 ? "ADDED" : "MODIFIED";
    const std::string frame = R"({"type":")" + type + R"(","object":)" + hostile.text + "}";
    const std::string plural(PlaceOf(hostile.kind).plural);
    const std::size_t known = known_.size();
    const std::int64_t refused = refused_;
    const std::int64_t lost = lost_;
    if (!RunUntil([&] { return cluster_.Show(plural, frame); })) {
      return Wrong(hostile.what + ": there is no watch of " + plural);
    }
    cluster_.Run(20);
    CheckAlive(hostile.what);
    const char* end = known_.size() > known ? "watch: known to the core"
                      : refused_ > refused  ? "watch: refused with a line"
                      : lost_ > lost        ? "watch: read anew"
                                            : nullptr;
    if (end == nullptr) return Wrong(hostile.what + ": nothing came of it");
    ++verdict_.ends[end];
  }

  // All at once, each in the list of its kind. What is no JSON is no list of objects either.
  void ListAll(std::size_t first, std::size_t end) {
    sent_from_ = cluster_.sent().size();
    const std::size_t known = known_.size();
    const std::int64_t refused = refused_;
    std::size_t all = 0;
    for (std::size_t i = first; i < end; ++i) {
      const Hostile hostile = Newest(objects_.Make(i, HostileForm::kStored));
      if (hostile.kind == HostileKind::kBindingJournal || hostile.whole) continue;
      std::string& items = spliced_[Lists(hostile.kind)];
      items += (items.empty() ? "" : ",") + hostile.text;
      ++all;
    }
    const std::string what = "the lists of " + std::to_string(first);
    ListAnew();
    CheckAlive(what);
    const std::size_t now_known = known_.size() - known;
    const auto now_refused = static_cast<std::size_t>(refused_ - refused);
    if (now_known + now_refused != all) {
      Wrong(what + ": of " + std::to_string(all) + " objects " + std::to_string(now_known) +
            " are known and " + std::to_string(now_refused) + " refused");
    }
    verdict_.ends["list: known to the core"] += static_cast<std::int64_t>(now_known);
    verdict_.ends["list: refused with a line"] += static_cast<std::int64_t>(now_refused);
    spliced_.clear();
  }

  HttpResponse Spliced(const HttpRequest& request, HttpResponse response) {
    const auto has = [&](std::string_view key) {
      return std::ranges::any_of(request.query, [&](const auto& one) { return one.first == key; });
    };
    if (request.method != "GET" || has("continue")) return response;
    listed_.insert(request.path);
    const auto items = spliced_.find(request.path);
    if (items == spliced_.end()) return response;
    constexpr std::string_view kItems = R"("items":[)";
    const std::size_t at = response.body.find(kItems);
    if (at == std::string::npos) return response;
    const bool alone = response.body.at(at + kItems.size()) == ']';
    response.body.insert(at + kItems.size(), items->second + (alone ? "" : ","));
    return response;
  }

  // Every watch is too old by now.
  void ListAnew() {
    if (run_.no_operator || dead_) return;
    cluster_.Make("/api/v1/namespaces",
                  {{"metadata", {{"name", "turn-" + std::to_string(++turns_)}}}});
    cluster_.Compact();
    listed_.clear();
    cluster_.LoseConnections();
    const bool listed = RunUntil([this] {
      return std::ranges::all_of(
          std::vector{HostileKind::kPod, HostileKind::kNode, HostileKind::kPodGroup,
                      HostileKind::kQueue},
          [this](HostileKind kind) { return listed_.contains(Lists(kind)); });
    });
    cluster_.Run(1'000);
    if (!listed) Wrong("turn " + std::to_string(turns_) + ": a kind was not listed");
  }

  void StartHealthy(std::size_t batch) {
    const std::string gang = "gang-" + std::to_string(batch);
    cluster_.Group(gang, "healthy", 2);
    const std::vector<std::string> members = {gang + "-0", gang + "-1"};
    for (const std::string& member : members) {
      cluster_.Make(kPodPath, {{"metadata",
                                {{"name", member},
                                 {"namespace", "default"},
                                 {"labels", {{"muster.dev/pod-group", gang}}}}},
                               {"spec",
                                {{"schedulerName", "muster"},
                                 {"nodeSelector", {{"stand", "healthy"}}},
                                 {"containers",
                                  {{{"name", "main"},
                                    {"image", "train"},
                                    {"resources", {{"limits", {{"nvidia.com/gpu", "8"}}}}}}}}}}});
    }
    const bool bound = RunUntil([&] {
      return std::ranges::all_of(
          members, [this](const auto& member) { return !cluster_.NodeOf(member).empty(); });
    });
    if (!bound) Wrong("the healthy " + gang + " does not start");
    if (bound) ++verdict_.ends["healthy gangs that started"];
    cluster_.Run(15'000);  // Members that wait are told after 2 s, and not too many at once.
    CheckAlive("beside " + gang);
    for (const std::string& member : members) cluster_.DeletePod(member);
    cluster_.DeleteGroup(gang);
    cluster_.Run(1'000);
  }

  // Somebody who looks at what the core knows finds out what Muster makes of it.
  void AllAreTold() {
    std::set<std::string> sent;
    for (std::size_t i = sent_from_; i < cluster_.sent().size(); ++i) {
      sent.insert(cluster_.sent()[i].what);
    }
    for (const auto& [what, path] : due_) {
      if (path.find("/hostile-") == std::string::npos) continue;
      if (sent.contains("PATCH " + path + "/status")) {
        ++verdict_.ends["told why"];
      } else {
        Wrong(what + ": nothing was written about " + path);
      }
    }
  }

  // A page of the journal is read when an operator begins to lead: it goes on from there, or says
  // that it cannot be read and ends, for what it may hold is not to be guessed.
  void TakeOverPages(std::size_t first, std::size_t end) {
    if (run_.no_operator) return;
    for (std::size_t i = first; i < end && GoesOn(); ++i) {
      const Hostile hostile = Newest(objects_.Make(i, HostileForm::kStored));
      if (hostile.kind != HostileKind::kBindingJournal) continue;
      cluster_.KillOperator();
      spliced_[kPages] = hostile.text;
      const std::int64_t unwritable = unwritable_;
      StartOperator();
      spliced_.clear();
      if (Died()) {
        ++verdict_.ends["journal: refused with a text"];
      } else if (cluster_.synced()) {
        ++verdict_.ends["journal: taken over"];
      } else if (unwritable_ > unwritable) {
        // The list had a page that the server does not take.
        ++verdict_.ends["journal: waited for with a line"];
      } else {
        Wrong(hostile.what + ": the operator neither starts nor ends");
      }
      cluster_.KillOperator();
      cluster_.ForgetComplaint();
      ForgetPages();
    }
    StartOperator();
    CheckAlive("after the pages");
  }
  // Pages that were made because the list had them.
  void ForgetPages() {
    const Json pages = cluster_.Get(kPages);
    const Json* items = Find(pages, {"items"});
    if (items == nullptr) return;
    for (const Json& page : *items) {
      cluster_.Delete(std::string(kPages) + "/" + StringAt(page, {"metadata", "name"}));
    }
  }

  const HostileObjects& objects_;
  const StreamRun& run_;
  ScriptedCluster cluster_;
  HostileVerdict verdict_;
  bool dead_ = false;
  std::set<std::string> known_;                 // Uids that the core was told of.
  std::map<std::string, std::string> due_;      // Whose status has to be written, and its path.
  std::map<std::string, std::string> spliced_;  // By path of a list: more items.
  std::set<std::string> listed_;
  std::int64_t refused_ = 0, lost_ = 0, unwritable_ = 0;  // Lines of the log.
  std::size_t sent_from_ = 0;
  int turns_ = 0;
};

}  // namespace

HostileVerdict PlayStream(const HostileObjects& objects, const StreamRun& run) {
  return StreamStage(objects, run).Play();
}

}  // namespace muster::e2e
