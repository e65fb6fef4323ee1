#include "controllers/testing/storm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controllers/api_calls.h"
#include "controllers/testing/names.h"
#include "controllers/testing/one_life.h"

namespace muster::controllers::testing {
namespace {

constexpr std::uint64_t kNodes = 4;
constexpr std::int64_t kLateMs = 60'000;
constexpr std::int32_t kPages = 2;

template <class T>
T Named(const std::string& name, const std::string& version) {
  T object;
  object.meta.name = name;
  object.meta.uid = "uid-" + name;
  object.meta.resource_version = version;
  return object;
}

}  // namespace

// Between a life and the weather.
class Storm::WildApi final : public ports::Api {
 public:
  WildApi(Storm& storm, std::shared_ptr<bool> alive) : storm_(storm), alive_(std::move(alive)) {}

  void AllowWritesUntil(Ticks) override {}
  void Call(ports::Request request, Done done) override {
    storm_.Play(request, [alive = alive_, done = std::move(done)](Result<ports::Response> answer) {
      if (*alive) done(std::move(answer));
    });
  }
  void ListAndWatch(ports::Resource resource, Decode decode, Sink sink) override {
    (void)decode;
    storm_.loop_.Post([this, alive = alive_, plural = resource.plural, sink = std::move(sink)] {
      if (!*alive) return;
      for (const crds::Object& object : storm_.Listed(plural)) {
        sink(Event(ports::WatchEvent::Type::kListed, object));
      }
      sink(Event(ports::WatchEvent::Type::kListEnd, {}));
      sinks_[plural] = sink;
    });
  }
  void Emit(const std::string& plural, ports::WatchEvent::Type type, const crds::Object& object) {
    if (sinks_.contains(plural)) sinks_[plural](Event(type, object));
  }

 private:
  static ports::WatchEvent Event(ports::WatchEvent::Type type, crds::Object object) {
    ports::WatchEvent event;
    event.type = type;
    event.object = std::move(object);
    return event;
  }

  Storm& storm_;
  std::shared_ptr<bool> alive_;
  std::map<std::string, Sink> sinks_;
};

struct Storm::Life : OneLife<WildApi> {
  explicit Life(Storm& storm)
      : OneLife(storm.loop_, storm, storm.telemetry_, {.holder = "me", .pages = kPages},
                [&storm](const std::string& why) {
                  if (storm.problem_.empty()) storm.problem_ = "fatal: " + why;
                }) {}
};

Storm::Storm(std::uint64_t seed) : state_(seed * 2 + 1) {
  constexpr std::array<std::uint64_t, 3> kWeathers = {25, 10, 6};
  weather_ = kWeathers.at(Draw(kWeathers.size()));
  for (std::int32_t i = 0; i < kPages; ++i) {
    crds::BindingJournal page;
    page.meta.ns = "muster-system";
    page.meta.name = PageName(i);
    api_.AddPage(page);
  }
  for (const std::string& name : names_) MakePod(name);
  Start();
}

Storm::~Storm() = default;

std::uint64_t Storm::Draw(std::uint64_t below) {
  state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  return (state_ >> 33U) % below;
}

void Storm::Start() {
  if (life_ != nullptr) return;
  life_ = std::make_unique<Life>(*this);
  life_->manager.Start();
}

void Storm::Kill() {
  life_.reset();
  loop_.After(static_cast<std::int64_t>(Draw(5'000)), [this] { Start(); });
}

void Storm::Rage(std::int64_t ms) {
  raging_ = true;
  for (std::int64_t passed = 0; passed < ms && problem_.empty();) {
    const auto step = static_cast<std::int64_t>(Draw(4'000)) + 1;
    loop_.Advance(step);
    passed += step;
    Disturb();
  }
  raging_ = false;
}

void Storm::Calm(std::int64_t ms) {
  Start();
  loop_.Advance(ms);
}

void Storm::Disturb() {
  const std::string& name = names_[Draw(names_.size())];
  switch (Draw(4)) {
    case 0:
      return Kill();
    case 1:
      return DeletePod(name);
    case 2:
      if (api_.pods().contains(name)) api_.Change(name);
      return Show();
    default:
      return Cordon(Draw(kNodes));
  }
}

// For a while; then it takes pods again, as itself or made anew.
void Storm::Cordon(std::uint64_t node) {
  if (std::exchange(nodes_[node].cordoned, true)) return;
  ShowNode(node);
  loop_.After(static_cast<std::int64_t>(Draw(20'000)), [this, node] {
    nodes_[node].cordoned = false;
    nodes_[node].made += Draw(2);
    ShowNode(node);
  });
}

void Storm::ShowNode(std::uint64_t node) {
  ++nodes_[node].version;
  if (life_) life_->api.Emit("nodes", ports::WatchEvent::Type::kModified, NodeObject(node));
}

void Storm::DeletePod(const std::string& name) {
  const auto found = api_.pods().find(name);
  if (found == api_.pods().end() || found->second.deleting) return;
  if (found->second.node.empty()) {
    api_.pods().erase(found);
  } else {
    found->second.deleting = true;
    api_.Change(name);
  }
  Show();
}

void Storm::MakePod(const std::string& name) {
  if (api_.pods().contains(name)) return;
  (void)api_.AddPod(name, "uid-" + name + "-" + std::to_string(++made_));
  Show();
}

// At times later than its gang has time to be bound.
void Storm::MakeAgainLater(const std::string& name) {
  const std::uint64_t within_ms = Draw(3) == 0 ? 40'000 : 5'000;
  loop_.After(static_cast<std::int64_t>(Draw(within_ms)), [this, name] { MakePod(name); });
}

// Of five requests one goes wrong, or four: each storm has its own weather. A late one may act long
// after its sender has given it up.
void Storm::Play(const ports::Request& request, const ports::Api::Done& done) {
  const auto answer = [this, done](Result<ports::Response> with) {
    loop_.After(static_cast<std::int64_t>(Draw(20)), [done, with] { done(with); });
  };
  const auto later_ms = static_cast<std::int64_t>(Draw(kLateMs));
  const Error none{Code::kUnavailable, "no answer"};
  switch (raging_ ? Draw(weather_) : weather_) {
    case 0:
      (void)Act(request);
      return answer(none);
    case 1:
      return answer(none);
    case 2:
      loop_.After(later_ms, [this, request] {
        if (Act(request).status == 409) ++late_refused_;
      });
      return answer(none);
    case 3:
      return answer(
          ports::Response{.status = 500, .body = StatusBody("", "trouble"), .retry_after_ms = {}});
    case 4:
      if (request.resource.plural != "pods") break;
      return answer(ports::Response{
          .status = 409, .body = StatusBody("Conflict", "leader changed"), .retry_after_ms = {}});
    default:
      break;
  }
  loop_.After(static_cast<std::int64_t>(Draw(10)),
              [this, request, answer] { answer(Act(request)); });
}

ports::Response Storm::Act(const ports::Request& request) {
  ports::Response response = api_.Apply(request);
  Check();
  Show();
  return response;
}

// To the watch, what differs from what it was last shown; a kubelet ends what is deleted.
void Storm::Show() {
  for (const std::string& name : names_) {
    const auto found = api_.pods().find(name);
    const bool there = found != api_.pods().end();
    const auto now = there ? std::pair(found->second.uid, found->second.version)
                           : std::pair(std::string(), std::int64_t{0});
    const auto before = std::exchange(shown_[name], now);
    if (before == now) continue;
    if (!before.first.empty() && before.first != now.first) {
      if (life_) life_->api.Emit("pods", ports::WatchEvent::Type::kDeleted, shown_pods_[name]);
      if (!there) MakeAgainLater(name);
    }
    if (!there) continue;
    shown_pods_[name] = PodObject(name, api_.pods().at(name), name == "lone" ? "" : "g");
    if (life_) life_->api.Emit("pods", ports::WatchEvent::Type::kModified, shown_pods_[name]);
    if (!found->second.deleting) continue;
    loop_.After(static_cast<std::int64_t>(Draw(3'000)), [this, name, uid = found->second.uid] {
      const auto at = api_.pods().find(name);
      if (at != api_.pods().end() && at->second.uid == uid) api_.pods().erase(at);
      Show();
    });
  }
}

void Storm::Check() {
  std::map<std::string, std::string> on;
  for (const auto& [name, pod] : api_.pods()) {
    if (pod.node.empty()) continue;
    const auto [at, added] = on.emplace(pod.node, name);
    if (!added && problem_.empty()) {
      problem_ = pod.node + " has both " + at->second + " and " + name;
    }
  }
}

std::int64_t Storm::bound() const {
  std::int64_t bound = 0;
  for (const auto& [name, shown] : shown_pods_) {
    if (!shown.node_name.empty() && !shown.meta.deletion_ms) ++bound;
  }
  return bound;
}

std::int64_t Storm::entries() const {
  std::int64_t entries = 0;
  for (const auto& [name, page] : api_.pages()) entries += std::ssize(page.entries);
  return entries;
}

crds::Node Storm::NodeObject(std::uint64_t index) {
  const Node& now = nodes_[index];
  auto node = Named<crds::Node>("n" + std::to_string(index), std::to_string(7 + now.version));
  node.meta.uid += "-" + std::to_string(now.made);
  node.ready = true;
  node.unschedulable = now.cordoned;
  node.allocatable = {{kGpu, 4'000}, {"pods", 110}};
  return node;
}

std::vector<crds::Object> Storm::Listed(const std::string& plural) {
  std::vector<crds::Object> objects;
  if (plural == "pods") {
    for (const auto& [name, pod] : api_.pods())
      objects.emplace_back(PodObject(name, api_.pods().at(name), name == "lone" ? "" : "g"));
  } else if (plural == "nodes") {
    for (std::uint64_t i = 0; i < kNodes; ++i) objects.emplace_back(NodeObject(i));
  } else if (plural == "queues") {
    auto queue = Named<crds::Queue>("q", "7");
    queue.resources = {{.name = kGpu, .nominal_quota = "16", .borrowing_limit = "0"}};
    queue.namespace_selector = crds::LabelSelector{};
    objects.emplace_back(queue);
  } else if (plural == "namespaces") {
    objects.emplace_back(Named<crds::Namespace>("default", "7"));
  } else if (plural == "podgroups") {
    auto group = Named<crds::PodGroup>("g", "7");
    group.meta.ns = "default";
    group.queue = "q";
    group.min_member = 3;
    group.schedule_timeout_seconds = 15;
    objects.emplace_back(group);
  }
  return objects;
}

}  // namespace muster::controllers::testing
