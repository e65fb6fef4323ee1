#include "e2e/sim/reason_text.h"

#include <algorithm>
#include <cstddef>
#include <regex>

#include "crds/quantity.h"

namespace muster::e2e {
namespace {

std::int64_t AmountIn(const std::string& text, const std::string& resource) {
  const bool negative = text.starts_with('-');
  const auto quantity = crds::ParseQuantity(negative ? text.substr(1) : text, UnitOf(resource));
  if (!quantity.ok()) return -1;  // Never right: what it says is no number.
  return negative ? -quantity.value().amount : quantity.value().amount;
}

std::int64_t Count(const std::string& text) {
  return std::stoll(text);
}

// "0/4 nodes are available: 3 Insufficient nvidia.com/gpu, 1 node(s) were unschedulable."
void ReadFit(const std::string& message, Numbers& numbers) {
  static const std::regex fit_line(R"(^0/(\d+) nodes are available: (.*?)\.( |$))");
  static const std::regex reason(R"((\d+) ([^,]+))");
  std::smatch fit;
  if (!std::regex_search(message, fit, fit_line)) return;
  numbers["nodes"] = Count(fit[1]);
  const std::string reasons = fit[2];
  for (std::sregex_iterator at(reasons.begin(), reasons.end(), reason), end; at != end; ++at) {
    numbers[(*at)[2]] = Count((*at)[1]);
  }
}

// "Gang b: 0 of 2 members fit; short 16 nvidia.com/gpu in rack r2; held by default/a (16) and 2
// more."
void ReadGang(const std::string& message, Numbers& numbers) {
  static const std::regex gang_line(R"(Gang \S+: (\d+) of (\d+) members fit)");
  static const std::regex short_line(R"(members fit; short (\S+) (\S+?)( in \S+ \S+?)?[;.]( |$))");
  static const std::regex held_line(R"(; held by ((\S+( \S+)* \(\S+\)(, )?)+))");
  static const std::regex holder(R"(([^ ,(][^,(]*) \((\S+?)\))");
  std::smatch gang;
  if (!std::regex_search(message, gang, gang_line)) return;
  numbers["fit"] = Count(gang[1]);
  numbers["min"] = Count(gang[2]);
  std::smatch lacks;
  if (!std::regex_search(message, lacks, short_line)) return;
  const std::string resource = lacks[2];
  numbers["short " + resource] = AmountIn(lacks[1], resource);
  std::smatch held;
  if (!std::regex_search(message, held, held_line)) return;
  const std::string holders = held[1];
  for (std::sregex_iterator at(holders.begin(), holders.end(), holder), end; at != end; ++at) {
    numbers["held " + (*at)[1].str() + " " + resource] = AmountIn((*at)[2], resource);
  }
}

// "Needs 8 nvidia.com/gpu on one node; most free is 4 on node-b."
void ReadNeeds(const std::string& message, Numbers& numbers) {
  static const std::regex needs_line(
      R"(Needs (\S+) (\S+) on one node(?: in \S+ \S+?)?; most free is (\S+) on (\S+)\.)");
  static const std::regex never_line(
      R"(^needs (\S+) (\S+) on one node; the largest node has (\S+) \((\S+)\))");
  std::smatch found;
  if (std::regex_search(message, found, needs_line)) {
    const std::string resource = found[2];
    numbers["needs " + resource] = AmountIn(found[1], resource);
    numbers["most free " + resource] = AmountIn(found[3], resource);
    numbers["free " + resource + " on " + found[4].str()] = AmountIn(found[3], resource);
  }
  if (std::regex_search(message, found, never_line)) {
    const std::string resource = found[2];
    numbers["needs " + resource] = AmountIn(found[1], resource);
    numbers["largest " + resource] = AmountIn(found[3], resource);
  }
}

// "Queue q: uses 8 of 8 nominal, limit 8; the gang needs 4 nvidia.com/gpu more."
void ReadQuota(const std::string& message, Numbers& numbers) {
  static const std::regex quota_line(
      R"(Queue (\S+): uses (\S+) of (\S+) nominal, limit (\S+); the gang needs (\S+) (\S+) more\.)");
  std::smatch found;
  if (!std::regex_search(message, found, quota_line)) return;
  const std::string resource = found[6];
  numbers["used " + resource] = AmountIn(found[2], resource);
  numbers["nominal " + resource] = AmountIn(found[3], resource);
  numbers["limit " + resource] = AmountIn(found[4], resource);
  numbers["charge " + resource] = AmountIn(found[5], resource);
}

// "1 of 2 members exist"
void ReadMembers(const std::string& message, Numbers& numbers) {
  static const std::regex members_line(R"(^(\d+) of (\d+) members exist)");
  std::smatch found;
  if (!std::regex_search(message, found, members_line)) return;
  numbers["exist"] = Count(found[1]);
  numbers["min"] = Count(found[2]);
}

}  // namespace

Numbers NumbersIn(const std::string& message) {
  Numbers numbers;
  ReadFit(message, numbers);
  ReadGang(message, numbers);
  ReadNeeds(message, numbers);
  ReadQuota(message, numbers);
  ReadMembers(message, numbers);
  return numbers;
}

}  // namespace muster::e2e
