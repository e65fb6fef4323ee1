#include "operator/bind_address.h"

#include <gtest/gtest.h>

namespace muster::app {
namespace {

// As it is read again; "off", or the error.
std::string Read(const std::string& text) {
  const auto address = ParseBindAddress(text);
  if (!address.ok()) return address.error().message;
  if (!address.value()) return "off";
  return address.value()->text() + (address.value()->loopback() ? " loopback" : "");
}

TEST(BindAddress, IsReadAsFlagsSayIt) {
  EXPECT_EQ(Read("127.0.0.1:9090"), "127.0.0.1:9090 loopback");
  EXPECT_EQ(Read("127.1.2.3:0"), "127.1.2.3:0 loopback");
  EXPECT_EQ(Read("localhost:1"), "localhost:1 loopback");
  EXPECT_EQ(Read("[::1]:65535"), "[::1]:65535 loopback");
  EXPECT_EQ(Read(":8080"), "0.0.0.0:8080");
  EXPECT_EQ(Read("0.0.0.0:8080"), "0.0.0.0:8080");
  EXPECT_EQ(Read("[::]:8080"), "[::]:8080");
  EXPECT_EQ(Read("10.0.0.7:8080"), "10.0.0.7:8080");
  EXPECT_EQ(Read("0"), "off");
  EXPECT_EQ(Read(""), "off");
}

TEST(BindAddress, AnythingElseIsRefusedWithWhatWouldDo) {
  EXPECT_EQ(Read("9090"),
            "\"9090\" is no ADDRESS:PORT: 127.0.0.1:9090, [::1]:9090, :9090 for every IPv4 "
            "address, or 0 for none");
  for (const char* text :
       {":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1", "127.0.0.1:65536",
        "::1:9090", "[127.0.0.1]:1", "[]:1", "127.evil.example:1", "127.0.0.1.2:1", "host:1",
        "127.0.0.1:1 ", "[localhost]:1"}) {
    EXPECT_TRUE(Read(text).find("is no ADDRESS:PORT") != std::string::npos) << text;
  }
}

}  // namespace
}  // namespace muster::app
