// What a page may hold is read, written and read again as the same; anything else is an error with
// a path.
#include <string>

#include "crds/binding_journal.h"
#include "crds/decode.h"
#include "e2e/fuzz/fuzz.h"
#include "scheduler/base/check.h"

int muster::e2e::FuzzJournalPage(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const std::string_view text = e2e::TextOf(data, size);
  const auto page = crds::DecodeBindingJournal(text);
  MUSTER_CHECK(page.ok() || !page.error().message.empty());
  const auto read = crds::DecodeEntries(text);
  if (!read.ok()) {
    MUSTER_CHECK(!read.error().message.empty());
    return 0;
  }
  const std::string written = crds::EncodeEntries(read.value());
  auto again = crds::DecodeEntries(written);
  MUSTER_CHECK(again.ok());
  if (e2e::Planted() && !again.value().empty()) ++again.value().front().id;
  MUSTER_CHECK(again.value() == read.value());
  return 0;
}
