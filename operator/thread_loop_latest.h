// The latest of a value that one thread renews and others use. Whoever finds it outdated may ask
// for another and waits until it was looked for, from then on. Every method from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace muster::app {

// The value is whatever stands behind the pointer, null included.
class LatestAny {
 public:
  explicit LatestAny(std::shared_ptr<const void> first);
  ~LatestAny();
  LatestAny(const LatestAny&) = delete;
  LatestAny& operator=(const LatestAny&) = delete;

  [[nodiscard]] std::shared_ptr<const void> Get() const;
  // Returns once a renewal that began after this call has ended, or nobody renews any more.
  void AskForAnother();

  // For the thread that renews: sleeps for up to `ms`, less if somebody asks. nullopt: closed.
  struct Turn {
    std::uint64_t number = 0;
    bool asked = false;
  };
  [[nodiscard]] std::optional<Turn> WaitForTurn(std::int64_t ms);
  // Ends the renewal of that turn; null leaves the value as it is.
  void EndTurn(const Turn& turn, std::shared_ptr<const void> value);
  // From now on nobody waits.
  void Close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

template <class T>
class Latest : private LatestAny {
 public:
  explicit Latest(std::shared_ptr<const T> first) : LatestAny(std::move(first)) {}
  [[nodiscard]] std::shared_ptr<const T> Get() const {
    return std::static_pointer_cast<const T>(LatestAny::Get());
  }
  void EndTurn(const Turn& turn, std::shared_ptr<const T> value) {
    LatestAny::EndTurn(turn, std::move(value));
  }
  using LatestAny::AskForAnother, LatestAny::Close, LatestAny::Turn, LatestAny::WaitForTurn;
};

}  // namespace muster::app
