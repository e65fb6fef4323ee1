#include "e2e/hostile/objects.h"

#include <algorithm>
#include <set>
#include <utility>

#include "e2e/apiserver/yaml.h"
#include "e2e/hostile/spoil.h"
#include "e2e/paths/paths.h"
#include "e2e/sim/prng.h"

namespace muster::e2e {
namespace {

struct KindNames {
  std::string_view kind, file;
  HostilePlace place;
};

constexpr auto kKindCount = static_cast<std::size_t>(HostileKind::kKinds);
constexpr auto kSpoilCount = static_cast<std::size_t>(Spoil::kSpoils);

// In the order of HostileKind.
constexpr std::array<KindNames, kKindCount> kKindNames = {{
    {"Pod", "pod.yaml", {"pods", "/api/v1/namespaces/hostile/pods"}},
    {"Node", "node.yaml", {"nodes", "/api/v1/nodes"}},
    {"PodGroup",
     "podgroup.yaml",
     {"podgroups", "/apis/muster.dev/v1alpha1/namespaces/hostile/podgroups"}},
    {"Queue", "queue.yaml", {"queues", "/apis/muster.dev/v1alpha1/queues"}},
    {"BindingJournal",
     "bindingjournal.yaml",
     {"bindingjournals", "/apis/muster.dev/v1alpha1/namespaces/hostile/bindingjournals"}},
}};

constexpr std::array<std::string_view, kSpoilCount> kSpoilNames = {
    "missing", "of another type", "huge", "negative", "of odd characters", "deep", "there twice"};

// There only where they are what is changed: they take an object out of the game, whatever else it
// says.
constexpr std::array<std::string_view, 7> kSeldom = {
    "/metadata/deletionTimestamp", "/spec/nodeName",    "/spec/schedulingGates",
    "/spec/unschedulable",         "/status/admission", "/status/startTime",
    "/status/completionTime"};
// A client does not send them, but for the one that is changed: the server writes them, and who has
// an owner that does not exist is collected as garbage.
constexpr std::array<std::string_view, 5> kUnsent = {
    "/metadata/uid", "/metadata/resourceVersion", "/metadata/generation",
    "/metadata/creationTimestamp", "/metadata/ownerReferences"};

// Stands for text that need not be JSON.
constexpr std::string_view kMark = "@spoilt@";

std::vector<std::string> PlacesIn(const Json& object) {
  std::set<std::string> places = {""};
  const Json leaves = object.flatten();
  for (const auto& [path, leaf] : leaves.items()) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
      places.insert(path.substr(0, at));
    }
    places.insert(path);
  }
  return {places.begin(), places.end()};
}

void Erase(Json& object, const Json::json_pointer& at) {
  if (!object.contains(at)) return;
  Json& parent = object.at(at.parent_pointer());
  if (parent.is_array()) {
    parent.erase(std::stoul(at.back()));
  } else {
    parent.erase(at.back());
  }
}

// Not above the place that is changed.
template <class Fields>
void LeaveOut(const Fields& fields, const std::string& changed, Json& object) {
  for (const std::string_view field : fields) {
    if (!changed.starts_with(field)) Erase(object, Json::json_pointer(std::string(field)));
  }
}

void Replace(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

std::string NameOf(std::size_t number) {
  return "hostile-" + std::to_string(number);
}

std::string UidOf(std::size_t number) {
  return "uid-" + std::to_string(number);
}

// Nothing else in an object looks like it.
std::string VersionOf(std::size_t number) {
  constexpr std::size_t kFirstVersion = 1'000'000'000;
  return std::to_string(kFirstVersion + number);
}

struct Filling {
  std::size_t number = 0;
  HostileForm form{};
  std::string changed;
};

Json Filled(const Json& whole, const Filling& with) {
  std::string text = Dump(whole);
  Replace(text, "NAME", NameOf(with.number));
  Replace(text, "UID", UidOf(with.number));
  Replace(text, "VERSION", VersionOf(with.number));
  Json object = Json::parse(text);
  LeaveOut(kSeldom, with.changed, object);
  if (with.form == HostileForm::kSent) LeaveOut(kUnsent, with.changed, object);
  return object;
}

}  // namespace

const HostilePlace& PlaceOf(HostileKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind)).place;
}

Result<HostileObjects> HostileObjects::Load(std::uint64_t seed) {
  HostileObjects objects(seed);
  Prng prng(seed);
  for (std::size_t kind = 0; kind < kKindCount; ++kind) {
    Template& of = objects.templates_.at(kind);
    const std::string file =
        SourceDir() + "/e2e/hostile/testdata/" + std::string(kKindNames.at(kind).file);
    MUSTER_ASSIGN(std::vector<Json> documents, ReadYamlFile(file));
    if (documents.size() != 1) return Error{Code::kInvalidArgument, file + ": not one object"};
    of.whole = std::move(documents.front());
    of.places = PlacesIn(of.whole);
    for (std::size_t place = 0; place < of.places.size(); ++place) {
      for (std::size_t spoil = 0; spoil < kSpoilCount; ++spoil) {
        of.changes.push_back({.place = place, .spoil = static_cast<Spoil>(spoil)});
      }
    }
    for (std::size_t i = of.changes.size(); i > 1; --i) {
      std::swap(of.changes[i - 1], of.changes[prng.Below(i)]);
    }
  }
  return objects;
}

std::size_t HostileObjects::Round() const {
  std::size_t most = 0;
  for (const Template& of : templates_) most = std::max(most, of.changes.size());
  return most * kKindCount;
}

Json HostileObjects::Whole(HostileKind kind, std::size_t number, HostileForm form) const {
  return Filled(of(kind).whole, {.number = number, .form = form, .changed = ""});
}

Hostile HostileObjects::Make(std::size_t number, HostileForm form) const {
  const std::size_t kind = number % kKindCount;
  const Template& of = templates_.at(kind);
  const Change& change = of.changes[number / kKindCount % of.changes.size()];
  const std::string& place = of.places[change.place];
  Prng prng(seed_ + number);
  Hostile made{.kind = static_cast<HostileKind>(kind),
               .number = number,
               .name = NameOf(number),
               .uid = UidOf(number),
               .version = VersionOf(number),
               .whole = place.empty()};
  made.what = std::string(kKindNames.at(kind).kind) + " " + std::to_string(number) + ": " +
              (made.whole ? "all of it" : place) + " is " +
              std::string(kSpoilNames.at(static_cast<std::size_t>(change.spoil)));
  Json object = Filled(of.whole, {.number = number, .form = form, .changed = place});
  if (made.whole) {
    made.text = SpoiltBody(Dump(object), change.spoil, prng);
    return made;
  }
  const Json::json_pointer at(place);
  if (change.spoil == Spoil::kMissing) {
    Erase(object, at);
    made.text = Dump(object);
    return made;
  }
  const Json was = object.at(at);
  const bool unique = place == "/metadata/uid";
  std::string value =
      SpoiltText(was, change.spoil, unique ? "-" + std::to_string(number) : "", prng);
  if (change.spoil == Spoil::kTwice) {
    const bool named = object.at(at.parent_pointer()).is_object();
    value = Dump(was) + "," + (named ? Dump(at.back()) + ":" : "") +
            (prng.Chance(500) ? Dump(was) : value);
  }
  object[at] = kMark;
  made.text = Dump(object);
  Replace(made.text, "\"" + std::string(kMark) + "\"", value);
  return made;
}

}  // namespace muster::e2e
