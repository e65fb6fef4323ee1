#include "crds/quantity.h"

#include <array>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace muster::crds {
namespace {

constexpr std::int64_t kTop = (std::int64_t{1} << 56U) - 1;
__extension__ using Wide = unsigned __int128;

TEST(Quantity, TableOfForms) {
  const struct {
    const char* text;
    Unit unit;
    std::int64_t amount;
    bool clipped;
  } cases[] = {
      {"0", Unit::kWhole, 0, false},
      {"8", Unit::kMilli, 8000, false},
      {"500m", Unit::kMilli, 500, false},
      {"500m", Unit::kWhole, 1, false},
      {"1n", Unit::kMilli, 1, false},
      {"1000001u", Unit::kMilli, 1001, false},
      {"1.0005", Unit::kMilli, 1001, false},
      {"+1.5", Unit::kMilli, 1500, false},
      {".5", Unit::kMilli, 500, false},
      {"5.", Unit::kMilli, 5000, false},
      {"1k", Unit::kWhole, 1000, false},
      {"1Ki", Unit::kWhole, 1024, false},
      {"1.5Gi", Unit::kWhole, 1'610'612'736, false},
      {"0.1Ki", Unit::kWhole, 103, false},
      {"128974848", Unit::kWhole, 128'974'848, false},
      {"129e6", Unit::kWhole, 129'000'000, false},
      {"129E6", Unit::kWhole, 129'000'000, false},
      {"1e-3", Unit::kMilli, 1, false},
      {"12e-1", Unit::kWhole, 2, false},
      {"5E", Unit::kWhole, kTop, true},
      {"1E", Unit::kWhole, kTop, true},
      {"0.01E", Unit::kWhole, 10'000'000'000'000'000, false},
      {"72057594037927935", Unit::kWhole, kTop, false},
      {"72057594037927936", Unit::kWhole, kTop, true},
      {"72057594037927.935", Unit::kMilli, kTop, false},
      {"72057594037927.9351", Unit::kMilli, kTop, true},
      {"9223372036854775808", Unit::kMilli, kTop, true},
      {"1e30", Unit::kWhole, kTop, true},
      {"1e2147483648", Unit::kWhole, kTop, true},
      {"0e2147483648", Unit::kWhole, 0, false},
      {"1e-2147483648", Unit::kWhole, 1, false},
      {"0.0000000000000000000000000001Ei", Unit::kWhole, 1, false},
      {"-1", Unit::kMilli, 0, true},
      {"-0", Unit::kMilli, 0, false},
      {"0000000000000000000000000000000008", Unit::kWhole, 8, false},
  };
  for (const auto& c : cases) {
    const Result<Quantity> q = ParseQuantity(c.text, c.unit);
    ASSERT_TRUE(q.ok()) << c.text;
    EXPECT_EQ(q.value().amount, c.amount) << c.text;
    EXPECT_EQ(q.value().clipped, c.clipped) << c.text;
  }
}

TEST(Quantity, RefusesWhatIsNone) {
  for (const char* text :
       {"",    ".",  "-",   "+",     "lots",  "1 ",  " 1",   "1i", "1ki",  "1K",  "1Mii",
        "1mm", "1e", "1e+", "1e1.5", "1.2.3", "--1", "0x10", "Ki", "1Ki1", "1,5", "m"}) {
    EXPECT_FALSE(ParseQuantity(text, Unit::kMilli).ok()) << text;
  }
  EXPECT_EQ(ParseQuantity("lots", Unit::kMilli).error().message, "\"lots\" is no quantity");
  EXPECT_FALSE(ParseQuantity(std::string(257, '1'), Unit::kMilli).ok());
}

TEST(Quantity, AQuotaThatPassesInt64IsSaidInWords) {
  EXPECT_EQ(ParseQuota("1e30", Unit::kMilli).error().message,
            "1e30 is more than 9223372036854775807");
  EXPECT_EQ(ParseQuota("9223372036854775807.5", Unit::kWhole).error().message,
            "9223372036854775807.5 is more than 9223372036854775807");
  EXPECT_EQ(ParseQuota("-1", Unit::kMilli).error().message, "-1 is less than 0");
  EXPECT_EQ(ParseQuota("9223372036854775807", Unit::kMilli).value(),
            (Quantity{.amount = kTop, .clipped = true}));
  EXPECT_EQ(ParseQuota("32", Unit::kMilli).value(), (Quantity{.amount = 32'000}));
  EXPECT_FALSE(ParseQuota("", Unit::kMilli).ok());
}

Wide Power(Wide base, int exponent) {
  Wide power = 1;
  for (int i = 0; i < exponent; ++i) power *= base;
  return power;
}

struct Suffix {
  const char* text;
  Wide multiply, divide;
};

std::array<Suffix, 16> Suffixes() {
  return {{{"", 1, 1},
           {"n", 1, Power(10, 9)},
           {"u", 1, Power(10, 6)},
           {"m", 1, 1000},
           {"k", 1000, 1},
           {"M", Power(10, 6), 1},
           {"G", Power(10, 9), 1},
           {"T", Power(10, 12), 1},
           {"Ki", 1024, 1},
           {"Mi", Power(1024, 2), 1},
           {"Gi", Power(1024, 3), 1},
           {"Ti", Power(1024, 4), 1},
           {"Pi", Power(1024, 5), 1},
           {"Ei", Power(1024, 6), 1},
           {"e7", Power(10, 7), 1},
           {"E-5", 1, Power(10, 5)}}};
}

// Whole and fraction digits stay small enough for the oracle to be exact in 128 bits.
RC_GTEST_PROP(Quantity, EqualsTheExactValueRoundedUp, ()) {
  const auto whole = *rc::gen::inRange<std::uint64_t>(0, 1'000'000'000);
  const auto places = *rc::gen::inRange(0, 7);
  const auto fraction = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
  const auto unit = *rc::gen::element(Unit::kMilli, Unit::kWhole);
  const Suffix suffix = Suffixes().at(*rc::gen::inRange<std::size_t>(0, 16));

  std::string text = std::to_string(whole);
  const Wide scale = Power(10, places);
  const Wide part = fraction % scale;
  if (places > 0) {
    const std::string digits = std::to_string(static_cast<std::uint64_t>(part));
    text += "." + std::string(static_cast<std::size_t>(places) - digits.size(), '0') + digits;
  }
  text += suffix.text;

  const Wide numerator =
      (whole * scale + part) * suffix.multiply * (unit == Unit::kMilli ? 1000 : 1);
  const Wide denominator = scale * suffix.divide;
  const Wide exact = (numerator + denominator - 1) / denominator;
  const Quantity seen = ParseQuantity(text, unit).value();
  RC_ASSERT(seen.clipped == (exact > static_cast<Wide>(kTop)));
  RC_ASSERT(static_cast<Wide>(seen.amount) == std::min(exact, static_cast<Wide>(kTop)));
}

RC_GTEST_PROP(Quantity, WhatIsFormattedParsesToTheSame, ()) {
  const auto amount = *rc::gen::inRange<std::int64_t>(0, kTop + 1);
  const auto shift = *rc::gen::inRange(0, 56);
  const std::string resource =
      *rc::gen::element<std::string>("cpu", "memory", "pods", "nvidia.com/gpu", "hugepages-1Gi");
  const std::int64_t sized = amount >> shift << (shift / 2);
  const std::string text = FormatAmount(resource, sized);
  RC_ASSERT(ParseQuantity(text, UnitOf(resource)).value() == (Quantity{.amount = sized}));
}

RC_GTEST_PROP(Quantity, NoTextIsTooOdd, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::element('0', '1', '9', '.', '-', '+', 'e', 'E', 'K', 'M', 'i', 'm', 'n', 'x'));
  const Result<Quantity> q = ParseQuantity(text, Unit::kMilli);
  if (q.ok()) RC_ASSERT(q.value().amount >= 0 && q.value().amount <= kTop);
}

}  // namespace
}  // namespace muster::crds
