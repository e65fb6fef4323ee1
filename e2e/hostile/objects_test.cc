// The whole objects name every field that Muster reads, and every place of them is spoilt in every
// way: a field that comes is missed here until it stands in e2e/hostile/testdata.
#include "e2e/hostile/objects.h"

#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "crds/decode.h"

namespace muster::e2e {
namespace {

HostileObjects Objects(std::uint64_t seed = 1) {
  auto objects = HostileObjects::Load(seed);
  EXPECT_TRUE(objects.ok()) << objects.error().message;
  return std::move(objects).value();
}

// "/spec/resources/0/name" as the decoders name it: "spec.resources[].name".
std::string Dotted(const std::string& place) {
  std::string text = std::regex_replace(place, std::regex("/[0-9]+"), "[]");
  text = std::regex_replace(text, std::regex("/"), ".");
  return text.substr(text.starts_with('.') ? 1 : 0);
}

TEST(HostileObjects, NameEveryFieldThatMusterReads) {
  const HostileObjects objects = Objects();
  const struct {
    HostileKind kind;
    std::vector<std::string> read;
  } cases[] = {{HostileKind::kPod, crds::PodPaths()},
               {HostileKind::kNode, crds::NodePaths()},
               {HostileKind::kPodGroup, crds::PodGroupPaths()},
               {HostileKind::kQueue, crds::QueuePaths()},
               {HostileKind::kBindingJournal, crds::BindingJournalPaths()}};
  for (const auto& c : cases) {
    std::set<std::string> there;
    for (const std::string& place : objects.Places(c.kind)) there.insert(Dotted(place));
    EXPECT_GT(c.read.size(), 4U);
    for (const std::string& path : c.read) {
      // Kinds without a namespace.
      if (path == "metadata.namespace" &&
          PlaceOf(c.kind).collection.find("/hostile/") == std::string_view::npos) {
        continue;
      }
      EXPECT_TRUE(there.contains(path)) << PlaceOf(c.kind).plural << ": " << path;
    }
  }
}

TEST(HostileObjects, AreSpoiltInEveryPlaceAndWayAndTheSameEveryTime) {
  const HostileObjects objects = Objects();
  const HostileObjects again = Objects();
  std::set<std::string> whats;
  std::size_t places = 0;
  for (const auto kind : {HostileKind::kPod, HostileKind::kNode, HostileKind::kPodGroup,
                          HostileKind::kQueue, HostileKind::kBindingJournal}) {
    places += objects.Places(kind).size();
  }
  for (std::size_t i = 0; i < objects.Round(); ++i) {
    const Hostile one = objects.Make(i, HostileForm::kStored);
    ASSERT_EQ(one.text, again.Make(i, HostileForm::kStored).text);
    whats.insert(std::regex_replace(one.what, std::regex(" [0-9]+:"), ":"));
  }
  EXPECT_EQ(whats.size(), places * static_cast<std::size_t>(Spoil::kSpoils));
  EXPECT_LE(objects.Round(), 10'000U);
}

// Else what is wrong with an object would not be what was spoilt.
TEST(HostileObjects, AreSoundButForThat) {
  const HostileObjects objects = Objects();
  const auto text = [&](HostileKind kind) {
    return Dump(objects.Whole(kind, 7, HostileForm::kStored));
  };
  EXPECT_TRUE(crds::DecodePod(text(HostileKind::kPod)).ok());
  EXPECT_TRUE(crds::DecodeNode(text(HostileKind::kNode)).ok());
  EXPECT_TRUE(crds::DecodePodGroup(text(HostileKind::kPodGroup)).ok());
  EXPECT_TRUE(crds::DecodeQueue(text(HostileKind::kQueue)).ok());
  EXPECT_TRUE(crds::DecodeBindingJournal(text(HostileKind::kBindingJournal)).ok());
}

}  // namespace
}  // namespace muster::e2e
