// A hash map for look-up alone. It has no iteration, so that no result can depend on the order of
// hashing; it is the one place of the core that includes <unordered_map>. Copyable; not
// thread-safe. Pointers it returns are valid until the key is erased.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace muster {

// Finds std::string keys by string_view, without a copy.
struct TextHash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

template <class Key, class Value>
class HashIndex {
  static constexpr bool kText = std::is_same_v<Key, std::string>;
  using Hash = std::conditional_t<kText, TextHash, std::hash<Key>>;
  using Look = std::conditional_t<kText, std::string_view, Key>;

 public:
  [[nodiscard]] const Value* Find(const Look& key) const {
    const auto it = map_.find(key);
    return it == map_.end() ? nullptr : &it->second;
  }
  [[nodiscard]] Value* Find(const Look& key) {
    const auto it = map_.find(key);
    return it == map_.end() ? nullptr : &it->second;
  }
  // False, and no change, if the key is there already.
  bool Insert(Key key, Value value) {
    return map_.try_emplace(std::move(key), std::move(value)).second;
  }
  // The value of the key, made if it is missing.
  Value& operator[](const Key& key) { return map_[key]; }
  bool Erase(const Look& key) {
    const auto it = map_.find(key);
    if (it == map_.end()) return false;
    map_.erase(it);
    return true;
  }
  void Clear() { map_.clear(); }
  [[nodiscard]] std::size_t size() const { return map_.size(); }
  [[nodiscard]] bool empty() const { return map_.empty(); }

 private:
  std::unordered_map<Key, Value, Hash, std::equal_to<>> map_;
};

}  // namespace muster
