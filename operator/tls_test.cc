#include "operator/tls.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "operator/testing/certificates.h"

namespace muster::app {
namespace {

// "" = it can be used.
std::string ProblemOfPems(const TlsPems& pems) {
  const auto parsed = TlsMaterial::Parse(pems);
  return parsed.ok() ? "" : parsed.error().message;
}

TEST(Tls, TakesWhatCanBeUsedAndSaysWhatCannot) {
  const CertificateAuthority ca("ca");
  const Issued ours = ca.Issue("us", "");
  const Issued other = ca.Issue("other", "");
  const std::string half = ours.certificate.substr(0, ours.certificate.size() / 2);
  const std::string locked =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
      "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAg=\n"
      "-----END ENCRYPTED PRIVATE KEY-----\n";
  struct Case {
    TlsPems pems;
    std::string problem;
  };
  const std::vector<Case> cases = {
      {{.ca = ca.pem()}, ""},
      {{.ca = ""}, ""},
      {{.ca = ca.pem() + ca.pem()}, ""},  // The same one twice.
      {{.ca = "# comment\n" + ca.pem()}, ""},
      {{.ca = ca.pem(), .certificate = ours.certificate, .key = ours.key}, ""},
      {{.ca = "no PEM"}, "the certificate authority holds no certificate in PEM form"},
      {{.ca = ours.key}, "the certificate authority holds no certificate in PEM form"},
      {{.ca = half}, "the certificate authority holds a certificate that cannot be read"},
      {{.ca = ca.pem() + half},
       "the certificate authority holds a certificate that cannot be read"},
      {{.certificate = ours.certificate}, "a client certificate and its key are needed together"},
      {{.key = ours.key}, "a client certificate and its key are needed together"},
      {{.certificate = ours.key, .key = ours.key},
       "the client certificate holds no certificate in PEM form"},
      {{.certificate = ours.certificate, .key = ours.certificate},
       "the client key holds no private key in PEM form without a password"},
      {{.certificate = ours.certificate, .key = locked},
       "the client key holds no private key in PEM form without a password"},
      {{.certificate = ours.certificate, .key = other.key},
       "the client key is not that of the client certificate"},
  };
  for (const Case& c : cases) EXPECT_EQ(ProblemOfPems(c.pems), c.problem);
}

TEST(Tls, Base64GoesThereAndBack) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {std::string("\0\xff", 2), "AP8="}};
  for (const auto& [bytes, text] : pairs) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    EXPECT_EQ(DecodeBase64(text).value(), bytes);
  }
  EXPECT_EQ(DecodeBase64(" Zm9v\n  YmFy\r\n").value(), "foobar");
  for (const char* bad : {"Z", "Zg", "Zg=", "Zm9v!", "Zm9v\x01", "-_-_"}) {
    EXPECT_FALSE(DecodeBase64(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace muster::app
