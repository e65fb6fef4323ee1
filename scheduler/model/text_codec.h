// A line-based text form of plain structs: "kind field field ..". One function Fields(archive, x)
// per struct serves writing and reading. Texts stand as 'text with blanks, line ends and % escaped,
// lists as their length and their items. The form is exact: equal values have equal text.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace muster::scheduler {

// T, const or not: Fields takes both.
template <class T, class U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

// The last value of an enum that travels; one specialization each.
template <class Enum>
inline constexpr Enum kLastValue = Enum::MissingSpecialization;

class TextWriter {
 public:
  template <class... T>
  void Line(std::string_view kind, const T&... values) {
    text_ += kind;
    (*this)(values...);
    text_ += '\n';
  }
  template <class... T>
  void operator()(const T&... values) {
    (Put(values), ...);
  }
  [[nodiscard]] std::string Take() { return std::move(text_); }

 private:
  void Put(const std::string& text);
  void PutNumber(std::int64_t value);
  void PutCount(std::uint64_t value);

  template <class T, class U>
  void Put(const std::pair<T, U>& value) {
    (*this)(value.first, value.second);
  }
  template <class T>
  void Put(const std::vector<T>& values) {
    PutCount(values.size());
    for (const T& value : values) Put(value);
  }
  template <class T>
  void Put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      PutNumber(static_cast<std::int64_t>(value));
    } else if constexpr (std::unsigned_integral<T>) {
      PutCount(value);
    } else if constexpr (std::integral<T>) {
      PutNumber(value);
    } else {
      Fields(*this, value);
    }
  }

  std::string text_;
};

// Reads the fields of one line. The first that is not as expected fails the whole: what is read
// then is empty.
class TextReader {
 public:
  explicit TextReader(std::string_view line) : rest_(line), kind_(Next()) {}

  [[nodiscard]] std::string_view kind() const { return kind_; }
  template <class... T>
  void operator()(T&... values) {
    (Get(values), ...);
  }
  // Everything was read, and was as expected.
  [[nodiscard]] bool Done() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view Next();
  void Get(std::string& text);
  void Get(bool& value);

  template <class T, class U>
  void Get(std::pair<T, U>& value) {
    (*this)(value.first, value.second);
  }
  template <class T>
  void Get(std::vector<T>& values) {
    std::uint64_t count = 0;
    GetNumber(count);
    if (count > rest_.size()) failed_ = true;  // Each item takes a byte at least.
    values.clear();
    for (std::uint64_t i = 0; i < count && !failed_; ++i) Get(values.emplace_back());
  }
  template <class T>
  void Get(T& value) {
    if constexpr (std::is_enum_v<T>) {
      std::uint64_t number = 0;
      GetNumber(number);
      if (number > static_cast<std::uint64_t>(kLastValue<T>)) {
        failed_ = true;
      } else {
        value = static_cast<T>(number);
      }
    } else if constexpr (std::integral<T>) {
      GetNumber(value);
    } else {
      Fields(*this, value);
    }
  }
  template <class T>
  void GetNumber(T& value) {
    const std::string_view token = Next();
    const char* end = token.data() + token.size();
    const auto result = std::from_chars(token.data(), end, value);
    if (token.empty() || result.ec != std::errc() || result.ptr != end) failed_ = true;
  }

  std::string_view rest_;
  bool failed_ = false;
  std::string_view kind_;
};

}  // namespace muster::scheduler
