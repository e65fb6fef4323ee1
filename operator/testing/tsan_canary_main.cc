// A planted race: two threads count without a lock. The sanitizer has to end this with an error.
#include <cstdint>
#include <thread>

int main() {
  std::int64_t count = 0;
  const auto add = [&count] {
    for (int i = 0; i < 100'000; ++i) ++count;
  };
  std::thread other(add);
  add();
  other.join();
  return 0;
}
