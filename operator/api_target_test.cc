#include "operator/api_target.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::app {
namespace {

using ports::Request;
using ports::Verb;

const ports::Resource kPodKind = {"", "v1", "pods"};
const ports::Resource kGroups = {"muster.dev", "v1alpha1", "podgroups"};

// `path` is "namespace/name/subresource"; parts may be missing.
Request Make(Verb verb, const ports::Resource& resource, const std::string& path,
             std::string query = "") {
  Request request;
  request.verb = verb;
  request.resource = resource;
  std::istringstream parts(path);
  std::getline(parts, request.ns, '/');
  std::getline(parts, request.name, '/');
  std::getline(parts, request.subresource, '/');
  request.query = std::move(query);
  return request;
}

TEST(ApiTarget, BuildsMethodAndPath) {
  struct Case {
    Request request;
    std::string method, target;
  };
  const std::vector<Case> cases = {
      {Make(Verb::kList, kPodKind, "", "limit=500"), "GET", "/api/v1/pods?limit=500"},
      {Make(Verb::kGet, kPodKind, "a/p-0"), "GET", "/api/v1/namespaces/a/pods/p-0"},
      {Make(Verb::kGet, kPodKind, "/node.1"), "GET", "/api/v1/pods/node.1"},
      {Make(Verb::kCreate, kPodKind, "a/p/binding"), "POST", "/api/v1/namespaces/a/pods/p/binding"},
      {Make(Verb::kPatch, kGroups, "a/g/status"), "PATCH",
       "/apis/muster.dev/v1alpha1/namespaces/a/podgroups/g/status"},
      {Make(Verb::kUpdate, kGroups, "a/g"), "PUT",
       "/apis/muster.dev/v1alpha1/namespaces/a/podgroups/g"},
      {Make(Verb::kDelete, kPodKind, "a/p"), "DELETE", "/api/v1/namespaces/a/pods/p"},
  };
  for (const Case& c : cases) {
    const Result<HttpCall> call = CallOf(c.request);
    ASSERT_TRUE(call.ok()) << c.target;
    EXPECT_EQ(call.value().method, c.method);
    EXPECT_EQ(call.value().target, c.target);
  }
}

TEST(ApiTarget, RefusesWhatWouldChangeTheMeaningOfThePath) {
  for (const char* name : {"..", ".", "a?b", "a b", "a\r\nX: y", "%2e%2e", "a#b", "a\\b"}) {
    EXPECT_FALSE(CallOf(Make(Verb::kGet, kPodKind, std::string("a/") + name)).ok()) << name;
    EXPECT_FALSE(CallOf(Make(Verb::kGet, kPodKind, std::string(name) + "/a")).ok()) << name;
  }
  Request slash = Make(Verb::kGet, kPodKind, "a/p");
  slash.name = "p/../../secrets/s";
  EXPECT_FALSE(CallOf(slash).ok());
  for (const char* query : {"a b", "a\r\nb", "a#b", "\x7f", "caf\xc3\xa9"}) {
    EXPECT_FALSE(CallOf(Make(Verb::kList, kPodKind, "", query)).ok()) << query;
  }
}

TEST(ApiTarget, OnlyReadsAndWritesWithAResourceVersionMayBeRepeated) {
  const std::string versioned = R"({"metadata":{"resourceVersion":"7"}})";
  struct Case {
    Verb verb;
    std::string body;
    bool may;
  };
  const std::vector<Case> cases = {
      {Verb::kGet, "", true},
      {Verb::kList, "", true},
      {Verb::kUpdate, versioned, true},
      {Verb::kPatch, versioned, true},
      {Verb::kUpdate, R"({"metadata":{"resourceVersion":""}})", false},
      {Verb::kPatch, R"({"metadata":{"uid":"u"}})", false},
      {Verb::kCreate, versioned, false},  // A Binding.
      {Verb::kDelete, R"({"preconditions":{"resourceVersion":"7"}})", false},
  };
  for (const Case& c : cases) {
    Request request = Make(c.verb, kPodKind, "a/p");
    request.body = c.body;
    EXPECT_EQ(MayRepeat(request), c.may) << static_cast<int>(c.verb) << c.body;
  }
}

}  // namespace
}  // namespace muster::app
