#include "operator/bind_address.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace muster::app {
namespace {

constexpr const char* kEveryIpv4Address = "0.0.0.0";

bool IsAddress(const std::string& host, int family) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(family, host.c_str(), bytes.data()) == 1;
}

std::optional<std::int32_t> PortOf(std::string_view text) {
  std::int32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || port < 0 || port > 65'535) return std::nullopt;
  return port;
}

Error NoAddress(std::string_view text) {
  return {Code::kInvalidArgument, "\"" + std::string(text) +
                                      "\" is no ADDRESS:PORT: 127.0.0.1:9090, [::1]:9090, :9090 "
                                      "for every IPv4 address, or 0 for none"};
}

}  // namespace

bool BindAddress::loopback() const {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string BindAddress::text() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<std::optional<BindAddress>> ParseBindAddress(std::string_view text) {
  if (text.empty() || text == "0") return std::optional<BindAddress>();
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return NoAddress(text);
  const std::optional<std::int32_t> port = PortOf(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  BindAddress address{.host = std::string(host.empty() ? kEveryIpv4Address : host),
                      .port = port.value_or(0)};
  const bool known = IsAddress(address.host, brackets ? AF_INET6 : AF_INET) ||
                     (!brackets && address.host == "localhost");
  if (!port || !known) return NoAddress(text);
  return std::optional(std::move(address));
}

std::string ProblemOfAddress(std::string_view text) {
  const auto address = ParseBindAddress(text);
  return address.ok() ? "" : address.error().message;
}

std::string ProblemOfLoopback(std::string_view text) {
  const auto address = ParseBindAddress(text);
  if (!address.ok()) return address.error().message;
  if (!address.value() || address.value()->loopback()) return "";
  return "\"" + std::string(text) +
         "\" is not of this machine alone, and gRPC is in plain text and without authentication: "
         "127.0.0.1, [::1] or localhost";
}

Error CannotServe(const BindAddress& at, std::string_view flag) {
  std::string text = at.port == 0 ? "no port of " + at.host + " is free"
                                  : "port " + std::to_string(at.port) + " on " + at.host +
                                        " is taken or not allowed";
  // These every machine has.
  const bool own = at.host.starts_with("127.") || at.host == kEveryIpv4Address;
  if (!own) text += ", or the address is none of this machine's";
  return {Code::kUnavailable,
          text + "; choose another with " + std::string(flag) + " (port 0 = any free one)"};
}

}  // namespace muster::app
