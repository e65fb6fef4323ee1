// Medians of repeated measurements, and the lines of the table. Real time; for benchmarks alone.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::e2e {

inline constexpr int kRuns = 21;

// How long `work` takes, in microseconds.
template <class Work>
[[nodiscard]] double Micros(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

[[nodiscard]] inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// CPU time of a process so far, of all its threads, in microseconds.
[[nodiscard]] inline double CpuMicros(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// "name  value unit   goal: ..   met / MISSED".
struct Row {
  std::string name;
  double value = 0;
  std::string unit;
  std::string goal;
  bool met = true;
};
inline void Print(const Row& row) {
  (void)std::printf("%-58s %12.3f %-6s %-22s %s\n", row.name.c_str(), row.value, row.unit.c_str(),
                    row.goal.c_str(), row.goal.empty() ? "" : (row.met ? "met" : "MISSED"));
  (void)std::fflush(stdout);
}

}  // namespace muster::e2e
