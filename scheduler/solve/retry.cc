#include "scheduler/solve/retry.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "scheduler/base/check.h"

namespace muster::scheduler {
namespace {

// Texts may hold any byte: length first, as in netstrings.
void PutText(std::string& out, std::string_view text) {
  out += std::to_string(text.size()) + ":" + std::string(text) + " ";
}
void PutNumber(std::string& out, std::int64_t value) {
  out += std::to_string(value) + " ";
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] bool ok() const { return ok_; }

  std::int64_t Number(char end = ' ') {
    std::int64_t value = 0;
    const char* last = rest_.data() + rest_.size();
    const auto [next, error] = std::from_chars(rest_.data(), last, value);
    ok_ = ok_ && error == std::errc{} && next != last && *next == end;
    if (ok_) rest_.remove_prefix(static_cast<std::size_t>(next - rest_.data()) + 1);
    return value;
  }
  std::string Text() {
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(0, Number(':')));
    ok_ = ok_ && size < rest_.size();
    if (!ok_) return {};
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size + 1);
    return text;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::int64_t BackoffMs(std::int32_t failures, const BackoffRange& backoff) {
  std::int64_t wait = backoff.first_ms;
  for (std::int32_t i = 0; i < failures && wait < backoff.max_ms; ++i) wait *= 2;
  return std::min(wait, backoff.max_ms);
}

const Retry& RetryTable::Get(const Key& key, const Uid& uid) const {
  static const Retry none;
  const auto it = rows_.find(key);
  return it != rows_.end() && it->second.uid == uid ? it->second : none;
}

Retry& RetryTable::Edit(const Key& key, const Uid& uid) {
  Retry& row = rows_[key];
  if (row.uid == uid) return row;
  row = Retry{.uid = uid};
  searched_.erase(key);
  return row;
}

void RetryTable::Forget(const Key& key) {
  rows_.erase(key);
  searched_.erase(key);
  const auto it = wake_.find(key);
  if (it == wake_.end()) return;
  due_.erase({it->second, key});
  wake_.erase(it);
}

void RetryTable::KeepIf(const std::function<bool(const Key& key)>& keep) {
  std::vector<Key> gone;
  for (const auto& [key, row] : rows_) {
    if (!keep(key)) gone.push_back(key);
  }
  for (const Key& key : gone) Forget(key);
}

void RetryTable::NoteRun(const Key& key, const Uid& uid) {
  Retry& row = Edit(key, uid);
  row.ran = true;
  row.failures = 0;
  row.failed_text.clear();
}

void RetryTable::Back(const Key& key, const Uid& uid, Now now, const BackoffRange& backoff) {
  Retry& row = Edit(key, uid);
  row.not_before = Ticks{now.mono.ms + BackoffMs(row.failures, backoff)};
  ++row.failures;
  row.queue_time = now.wall;
  Schedule(key, row.not_before);
}

void RetryTable::NoteSearch(const Key& key, const Uid& uid, std::int32_t failed, Ticks after) {
  Retry& row = Edit(key, uid);
  row.searches = failed;
  row.search_after = after;
  searched_.insert(key);
  Schedule(key, row.search_after);
}

void RetryTable::EndSearch(const Key& key) {
  const auto row = rows_.find(key);
  if (row == rows_.end()) return;
  row->second.searches = 0;
  row->second.search_after = {};
  searched_.erase(key);
}

void RetryTable::Schedule(const Key& key, Ticks at) {
  const auto [it, is_new] = wake_.try_emplace(key, at);
  if (!is_new) {
    due_.erase({it->second, key});
    it->second = std::min(it->second, at);
  }
  due_.insert({it->second, key});
}

std::set<Key> RetryTable::TakeDue(Ticks now) {
  std::set<Key> keys;
  while (!due_.empty() && due_.begin()->first <= now) {
    keys.insert(due_.begin()->second);
    wake_.erase(due_.begin()->second);
    due_.erase(due_.begin());
  }
  return keys;
}

std::optional<Ticks> RetryTable::next_due() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

std::string RetryTable::ToText() const {
  std::string out;
  PutNumber(out, overdue_at ? overdue_at->ms : -1);
  for (const auto& [key, row] : rows_) {
    PutText(out, key.ns);
    PutText(out, key.name);
    PutNumber(out, key.single_pod ? 1 : 0);
    PutText(out, row.uid);
    PutNumber(out, row.queue_time ? row.queue_time->ms : -1);
    PutNumber(out, row.not_before.ms);
    PutNumber(out, row.failures);
    PutNumber(out, row.ran ? 1 : 0);
    PutNumber(out, row.half_since ? row.half_since->ms : -1);
    PutNumber(out, row.half_since_wall.ms);
    PutText(out, row.failed_text);
    PutNumber(out, row.searches);
    PutNumber(out, row.search_after.ms);
    const auto wake = wake_.find(key);
    PutNumber(out, wake == wake_.end() ? -1 : wake->second.ms);
  }
  return out;
}

Result<RetryTable> RetryTable::FromText(std::string_view text) {
  RetryTable table;
  Reader in(text);
  if (const std::int64_t ms = in.Number(); ms >= 0) table.overdue_at = Ticks{ms};
  while (in.ok() && !in.done()) {
    Key key{.ns = in.Text(), .name = in.Text()};
    key.single_pod = in.Number() != 0;
    Retry row;
    row.uid = in.Text();
    if (const std::int64_t ms = in.Number(); ms >= 0) row.queue_time = Wall{ms};
    row.not_before = Ticks{in.Number()};
    row.failures = static_cast<std::int32_t>(in.Number());
    row.ran = in.Number() != 0;
    if (const std::int64_t ms = in.Number(); ms >= 0) row.half_since = Ticks{ms};
    row.half_since_wall = Wall{in.Number()};
    row.failed_text = in.Text();
    row.searches = static_cast<std::int32_t>(in.Number());
    row.search_after = Ticks{in.Number()};
    if (row.searches > 0) table.searched_.insert(key);
    if (const std::int64_t ms = in.Number(); ms >= 0) table.Schedule(key, Ticks{ms});
    table.rows_[std::move(key)] = std::move(row);
  }
  if (!in.ok()) return Error{Code::kInvalidArgument, "not a retry table"};
  return table;
}

}  // namespace muster::scheduler
