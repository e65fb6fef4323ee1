// A checker of Prometheus' text format (0.0.4) and of what promtool would say of names: the parser
// of a scraper is kinder than its users.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::e2e {

struct Exposition {
  struct Family {
    std::string type;  // "counter", "gauge", "histogram".
    std::string help;
  };
  struct Sample {
    std::string name;
    std::map<std::string, std::string> labels;  // Their values without escapes.
    double value = 0;
    friend bool operator==(const Sample&, const Sample&) = default;
  };
  std::map<std::string, Family> families;  // By name.
  std::vector<Sample> samples;             // In their order.
  std::vector<std::string> problems;       // "line 3: ..."; empty: a scraper takes all of it.
};

[[nodiscard]] Exposition ReadExposition(std::string_view text);

}  // namespace muster::e2e
