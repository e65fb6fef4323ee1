#include "e2e/served/exposition.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

namespace muster::e2e {
namespace {

bool IsName(std::string_view name, bool colons) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return name.find_first_not_of(
             colons ? "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:"
                    : "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         std::string_view::npos;
}

std::optional<double> NumberOf(std::string_view text) {
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes a line apart from its front.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}
  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view Until(std::string_view ends) {
    const std::string_view taken = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  // Behind the first quote: up to the other, without escapes.
  std::optional<std::string> Quoted() {
    std::string value;
    while (!rest_.empty() && rest_[0] != '"') {
      char c = rest_[0];
      rest_.remove_prefix(1);
      if (c == '\\') {
        const std::size_t known = std::string_view("\\\"n").find(rest_.empty() ? ' ' : rest_[0]);
        if (known == std::string_view::npos) return std::nullopt;
        c = known == 2 ? '\n' : rest_[0];
        rest_.remove_prefix(1);
      }
      value += c;
    }
    if (!Take('"')) return std::nullopt;
    return value;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::optional<Exposition::Sample> SampleOf(std::string_view line) {
  Cursor cursor(line);
  Exposition::Sample sample;
  sample.name = cursor.Until("{ ");
  if (!IsName(sample.name, true)) return std::nullopt;
  if (cursor.Take('{')) {
    do {
      const std::string label(cursor.Until("="));
      if (!IsName(label, false) || !cursor.Take('=') || !cursor.Take('"')) return std::nullopt;
      const std::optional<std::string> value = cursor.Quoted();
      if (!value || !sample.labels.emplace(label, *value).second) return std::nullopt;
    } while (cursor.Take(','));
    if (!cursor.Take('}')) return std::nullopt;
  }
  if (!cursor.Take(' ')) return std::nullopt;
  const std::optional<double> value = NumberOf(cursor.rest());
  if (!value) return std::nullopt;
  sample.value = *value;
  return sample;
}

// Of a histogram's sample: the family that it belongs to.
std::string FamilyOf(const Exposition& seen, const std::string& name) {
  for (const std::string_view ending : {"_bucket", "_sum", "_count"}) {
    if (!name.ends_with(ending)) continue;
    const std::string stem = name.substr(0, name.size() - ending.size());
    const auto family = seen.families.find(stem);
    if (family != seen.families.end() && family->second.type == "histogram") return stem;
  }
  return name;
}

class Reader {
 public:
  Exposition Read(std::string_view text) {
    if (text.empty()) Problem("there is nothing");
    if (!text.ends_with('\n')) Problem("the last line has no end");
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      ++number_;
      if (line.starts_with("# HELP ") || line.starts_with("# TYPE ")) {
        Comment(line);
      } else if (!line.empty() && line[0] != '#') {
        Line(line);
      }
    }
    EndHistograms();
    return std::move(seen_);
  }

 private:
  void Problem(const std::string& what) {
    seen_.problems.push_back("line " + std::to_string(number_) + ": " + what);
  }
  void Comment(const std::string& line) {
    std::istringstream words(line);
    std::string mark, kind, name, text;
    words >> mark >> kind >> name;
    std::getline(words, text);
    if (!text.empty()) text.erase(0, 1);
    if (!IsName(name, true)) return Problem("no name: " + line);
    Exposition::Family& family = seen_.families[name];
    std::string& field = kind == "HELP" ? family.help : family.type;
    if (!field.empty()) Problem(kind + " of " + name + " twice");
    if (text.empty()) Problem(kind + " of " + name + " is empty");
    if (begun_.contains(name)) Problem(kind + " of " + name + " behind its samples");
    field = text;
    if (kind == "TYPE") CheckType(name, text);
  }
  void CheckType(const std::string& name, const std::string& type) {
    if (type != "counter" && type != "gauge" && type != "histogram") {
      Problem(name + " has the type " + type);
    }
    if (name.ends_with("_total") != (type == "counter")) {
      Problem("a counter, and nothing else, ends in _total: " + name);
    }
    for (const char* unit : {"_ms", "_milliseconds", "_us", "_microseconds", "_minutes"}) {
      if (name.ends_with(unit)) Problem(name + " is in no base unit");
    }
  }
  void Line(const std::string& line) {
    std::optional<Exposition::Sample> sample = SampleOf(line);
    if (!sample) return Problem("no sample: " + line);
    const std::string family = FamilyOf(seen_, sample->name);
    const auto known = seen_.families.find(family);
    if (known == seen_.families.end() || known->second.type.empty() || known->second.help.empty()) {
      Problem(family + " has no TYPE or no HELP before it");
    }
    if (family != last_ && !begun_.insert(family).second) Problem(family + " is not in one piece");
    last_ = family;
    if (!series_.insert({sample->name, sample->labels}).second) Problem("twice: " + line);
    if (!std::isfinite(sample->value)) Problem("no number: " + line);
    if (family != sample->name) Histogram(family, *sample);
    seen_.samples.push_back(*std::move(sample));
  }
  void Histogram(const std::string& family, const Exposition::Sample& sample) {
    auto labels = sample.labels;
    const auto bound = labels.extract("le");
    Buckets& buckets = histograms_[{family, labels}];
    if (sample.name.ends_with("_sum")) buckets.has_sum = true;
    if (sample.name.ends_with("_count")) buckets.count = sample.value;
    if (!sample.name.ends_with("_bucket")) return;
    const std::optional<double> le =
        bound.empty() ? std::nullopt : NumberOf(std::string_view(bound.mapped()));
    if (!le) return Problem("a bucket without its bound");
    if (*le <= buckets.bound) Problem("the bounds of " + family + " do not rise");
    if (sample.value < buckets.reached) Problem("the buckets of " + family + " do not add up");
    buckets.bound = *le;
    buckets.reached = sample.value;
  }
  void EndHistograms() {
    for (const auto& [series, buckets] : histograms_) {
      if (!std::isinf(buckets.bound)) Problem(series.first + " has no bucket +Inf");
      if (!buckets.has_sum) Problem(series.first + " has no sum");
      if (buckets.count != buckets.reached) Problem(series.first + " counts other than +Inf");
    }
  }

  using Key = std::pair<std::string, std::map<std::string, std::string>>;
  struct Buckets {
    double bound = -std::numeric_limits<double>::infinity();
    double reached = 0;
    double count = -1;
    bool has_sum = false;
  };
  Exposition seen_;
  int number_ = 0;
  std::string last_;
  std::set<std::string> begun_;  // Families with samples.
  std::set<Key> series_;
  std::map<Key, Buckets> histograms_;
};

}  // namespace

Exposition ReadExposition(std::string_view text) {
  return Reader().Read(text);
}

}  // namespace muster::e2e
