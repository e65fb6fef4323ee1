#include "e2e/apiserver/protobuf.h"

#include <string>

#include <gtest/gtest.h>

#include "e2e/apiserver/test_client.h"

namespace muster::e2e {
namespace {

std::string Bytes(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 3) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string Part(char tag, const std::string& bytes) {
  return std::string(1, static_cast<char>(tag * 8 + 2)) + static_cast<char>(bytes.size()) + bytes;
}

std::string BodyOf(const std::string& kind, const std::string& object) {
  return std::string("k8s\0", 4) + Part(1, Part(1, "v1") + Part(2, kind)) + Part(2, object);
}

// What `kubectl create ns x` of 1.32.4 and 1.36.4 sent.
std::string Sent() {
  return Bytes(
      "6b 38 73 00 0a 0f 0a 02 76 31 12 09 4e 61 6d 65 73 70 61 63 65 12 19 0a 11 0a 01 78 12 00 "
      "1a 00 22 00 2a 00 32 00 38 00 42 00 12 00 1a 02 0a 00 1a 00 22 00 ");
}

TEST(Protobuf, ReadsWhatKubectlSends) {
  EXPECT_EQ(NamespaceFromProtobuf(Sent()),
            Json::parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x"}})"));
}

TEST(Protobuf, ReadsLabelsAndAnnotations) {
  const std::string meta = Part(2, "team-") + Part(11, Part(1, "a") + Part(2, "b")) +
                           Part(11, Part(1, "c") + Part(2, "d")) + Part(12, Part(1, "e"));
  EXPECT_EQ(NamespaceFromProtobuf(BodyOf("Namespace", Part(1, meta))),
            Json::parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{
                "generateName":"team-","labels":{"a":"b","c":"d"},"annotations":{"e":""}}})"));
}

TEST(Protobuf, LeavesNothingOutThatItDoesNotKnow) {
  const std::string named = Part(1, "x");
  for (const std::string& body : {
           std::string("{}"),
           std::string(),
           BodyOf("Pod", Part(1, named)),
           BodyOf("Namespace", Part(1, named + Part(14, "a finalizer"))),
           BodyOf("Namespace", Part(1, named + std::string("\x38\x01"))),  // generation: 1.
           BodyOf("Namespace", Part(1, named) + Part(2, Part(1, "kubernetes"))),
           BodyOf("Namespace", Part(1, named) + Part(3, Part(1, "Active"))),
           BodyOf("Namespace", Part(1, named) + Part(4, "x")),
       }) {
    EXPECT_EQ(NamespaceFromProtobuf(body), std::nullopt) << body;
  }
}

TEST(Protobuf, ReadsNoNameOutOfABodyThatIsCutOff) {
  const std::string body = BodyOf("Namespace", Part(1, Part(1, "a-name")));
  ASSERT_NE(NamespaceFromProtobuf(body), std::nullopt);
  for (std::size_t size = 0; size < body.size(); ++size) {
    const auto read = NamespaceFromProtobuf(body.substr(0, size));
    // It may end where a field does.
    if (read) {
      EXPECT_EQ(*Find(*read, {"metadata"}), Json::object()) << size;
    }
  }
}

TEST(Protobuf, MakesANamespaceAndRefusesTheRestWithTheWayOut) {
  TestClient client;
  HttpRequest request = TestClient::Make("POST", "/api/v1/namespaces");
  request.content_type = "application/vnd.kubernetes.protobuf";
  request.body = Sent();
  EXPECT_EQ(client.Send(request).code, 201);
  EXPECT_EQ(client.Get("/api/v1/namespaces/x").code, 200);
  request.body = BodyOf("PriorityClass", Part(1, Part(1, "x")));
  const Reply refused = client.Send(request);
  EXPECT_EQ(refused.code, 415);
  EXPECT_EQ(refused.reason(), "UnsupportedMediaType");
  EXPECT_NE(refused.message().find("--dry-run=client -o yaml | kubectl apply -f -"),
            std::string::npos);
}

TEST(Protobuf, ARequestWithoutABodyIsTold) {
  TestClient client;
  const Reply refused = client.Send(TestClient::Make("POST", "/api/v1/namespaces"));
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.message(), "the request has no body");
}

}  // namespace
}  // namespace muster::e2e
