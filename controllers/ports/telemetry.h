// What the controllers say about themselves: log lines and numbers. A number is named by its unit
// last ("admission_wait_ms") and is an integer; operator/metric_table.cc says what each is called
// where it is served. Implementations: operator/telemetry (spdlog, metrics) and the simulation (an
// error line or a number below 0 fails a run). From the loop only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace muster::ports {

// kError: somebody has to look at it. What users or the API server do in normal life (a conflict,
// a refusal, a time-out) is at most a kWarning.
enum class Level : std::uint8_t { kDebug, kInfo, kWarning, kError };

// A namespaced object, by its name.
struct ObjectRef {
  std::string ns, name;
};

// As structured logging of Kubernetes has them (KEP-1602).
using FieldValue = std::variant<std::string, std::int64_t, ObjectRef>;

// "ns/name" for an object.
[[nodiscard]] inline std::string TextOf(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  const auto& object = std::get<ObjectRef>(value);
  return object.ns + "/" + object.name;
}

class Telemetry {
 public:
  // Keys as the field writes them, "err" for the text of an error; not "ts", "level", "v", "msg".
  using Fields = std::vector<std::pair<std::string_view, FieldValue>>;
  struct Label {
    std::string_view name, value;
  };
  // Those of the metric's row in the table, in its order. No name that users make up but for
  // objects that Forget ends: every value is a series.
  using Labels = std::initializer_list<Label>;

  virtual ~Telemetry() = default;
  virtual void Log(Level level, std::string_view message, Fields fields) = 0;
  // Adds to a counter, for example "bindings_sent".
  void Count(std::string_view counter, std::int64_t by) { Count(counter, by, {}); }
  virtual void Count(std::string_view counter, std::int64_t by, Labels labels) = 0;
  virtual void Gauge(std::string_view gauge, std::int64_t value, Labels labels) = 0;
  // One more value of a distribution.
  virtual void Observe(std::string_view histogram, std::int64_t value, Labels labels) = 0;
  // An object is gone: every series of it that has all of these labels ends. Who counts for it
  // later makes a series that nobody ends.
  virtual void Forget(Labels object) = 0;
  // A stopwatch in microseconds, for what is shown only, never an input of anything. A simulation
  // answers 0.
  [[nodiscard]] virtual std::int64_t Micros() const = 0;
};

}  // namespace muster::ports
