#include "crds/decode.h"
#include "crds/json_fields.h"

namespace muster::crds {
namespace {

// A list of a fixed form: each(i, element) for i = 0 .. size - 1, no more and no fewer.
template <class F>
bool ReadTuple(JsonReader& reader, JsonValue& value, std::size_t size, F each) {
  std::size_t at = 0;
  const bool read = reader.Array(value, [&](JsonValue& element) {
    if (at == size) return reader.Fail("one element too many");
    return each(at++, element);
  });
  if (!read) return false;
  return at == size || reader.Expected(std::to_string(size) + " elements");
}

// What is written must be what was meant: a text where none may be missing.
bool ReadName(JsonReader& reader, JsonValue& value, std::string& out) {
  return reader.Read(value, out) && (!out.empty() || reader.Expected("a name"));
}

bool ReadAmount(JsonReader& reader, JsonValue& value, std::int64_t& out) {
  return reader.Read(value, out) && (out >= 0 || reader.Expected("0 or more"));
}

// [[resource, flavor, amount]]; there are no flavors yet.
bool ReadCharges(JsonReader& reader, JsonValue& value, JournalEntry& out) {
  out.charges.clear();
  return reader.Array(value, [&](JsonValue& element) {
    auto& charge = out.charges.emplace_back();
    return ReadTuple(reader, element, 3, [&](std::size_t at, JsonValue& part) {
      if (at == 0) return ReadName(reader, part, charge.first);
      if (at == 2) return ReadAmount(reader, part, charge.second);
      std::string flavor;
      return reader.Read(part, flavor) && (flavor.empty() || reader.Expected("no flavor"));
    });
  });
}

// [[name, minMember]]
bool ReadSubGroups(JsonReader& reader, JsonValue& value, JournalEntry& out) {
  out.sub_groups.clear();
  return reader.Array(value, [&](JsonValue& element) {
    auto& sub = out.sub_groups.emplace_back();
    return ReadTuple(reader, element, 2, [&](std::size_t at, JsonValue& part) {
      if (at == 0) return ReadName(reader, part, sub.first);
      return reader.Read(part, sub.second) && (sub.second >= 0 || reader.Expected("0 or more"));
    });
  });
}

// [name, uid, resourceVersion, sub-group]: without any of the first three no Binding could be sent.
bool ReadPod(JsonReader& reader, JsonValue& value, JournalEntry::Pod& out) {
  return ReadTuple(reader, value, 4, [&](std::size_t at, JsonValue& part) {
    if (at == 3) return reader.Read(part, out.sub_group);
    return ReadName(reader, part, at == 0 ? out.name : at == 1 ? out.uid : out.resource_version);
  });
}

// [name, uid, [pod]].
bool ReadNode(JsonReader& reader, JsonValue& value, JournalEntry::Node& out) {
  return ReadTuple(reader, value, 3, [&](std::size_t at, JsonValue& part) {
    if (at == 0) return ReadName(reader, part, out.name);
    if (at == 1) return reader.Read(part, out.uid);
    return reader.Array(
        part, [&](JsonValue& pod) { return ReadPod(reader, pod, out.pods.emplace_back()); });
  });
}

bool ReadNodes(JsonReader& reader, JsonValue& value, JournalEntry& out) {
  out.nodes.clear();
  return reader.Array(value, [&](JsonValue& element) {
    return ReadNode(reader, element, out.nodes.emplace_back());
  });
}

bool ReadState(JsonReader& reader, JsonValue& value, JournalEntry& out) {
  std::string state;
  if (!reader.Read(value, state)) return false;
  out.abandon = state == "Abandon";
  return out.abandon || state == "Bind" || reader.Expected("Bind or Abandon");
}

// [name, uid], both empty for a single pod.
bool ReadGroup(JsonReader& reader, JsonValue& value, JournalEntry& out) {
  return ReadTuple(reader, value, 2, [&](std::size_t at, JsonValue& part) {
    return reader.Read(part, at == 0 ? out.group_name : out.group_uid);
  });
}

// [which, of how many]; most entries are whole and have none.
bool ReadPart(JsonReader& reader, JsonValue& value, JournalEntry& out) {
  const bool read = ReadTuple(reader, value, 2, [&](std::size_t at, JsonValue& part) {
    return reader.Read(part, at == 0 ? out.part : out.parts);
  });
  if (!read) return false;
  return (out.part >= 1 && out.part <= out.parts) || reader.Expected("a part of the whole");
}

constexpr std::array kEntryFields = {
    Field<&JournalEntry::id>("id"),
    JsonField<JournalEntry>{"s", &ReadState},
    Field<&JournalEntry::why>("why"),
    Field<&JournalEntry::ns>("ns"),
    JsonField<JournalEntry>{"pg", &ReadGroup},
    Field<&JournalEntry::queue>("q"),
    JsonField<JournalEntry>{"ch", &ReadCharges},
    Field<&JournalEntry::min_member>("min"),
    JsonField<JournalEntry>{"sub", &ReadSubGroups},
    JsonField<JournalEntry>{"part", &ReadPart, nullptr, true},
    Field<&JournalEntry::timeout_seconds>("t"),
    JsonField<JournalEntry>{"n", &ReadNodes},
};

// The text of spec.entries.
struct Page {
  std::int64_t version = 0;
  std::vector<JournalEntry> entries;
};

constexpr std::array kPageFields = {
    JsonField<Page>{"v",
                    [](JsonReader& reader, JsonValue& value, Page& out) {
                      return reader.Read(value, out.version) &&
                             (out.version == 1 || reader.Expected("version 1"));
                    }},
    JsonField<Page>{"e",
                    [](JsonReader& reader, JsonValue& value, Page& out) {
                      // An entry is written whole: what is missing makes it none.
                      return reader.List<JournalEntry>(value, out.entries, kEntryFields,
                                                       Form::kExact);
                    }},
};

// The object around it: its entries are read once the parser is free again.
struct Envelope {
  BindingJournal page;
  std::string entries;
};

constexpr std::array kBindingJournalSpecFields = {
    JsonField<Envelope>{"holder",
                        [](JsonReader& reader, JsonValue& value, Envelope& out) {
                          return reader.Read(value, out.page.holder);
                        }},
    JsonField<Envelope>{"sequence",
                        [](JsonReader& reader, JsonValue& value, Envelope& out) {
                          return reader.Read(value, out.page.sequence);
                        }},
    Field<&Envelope::entries>("entries"),
};
constexpr std::array kBindingJournalFields = {
    JsonField<Envelope>{"metadata",
                        [](JsonReader& reader, JsonValue& value, Envelope& out) {
                          return reader.Object<ObjectMeta>(value, out.page.meta, kMetaFields);
                        }},
    InnerField<kBindingJournalSpecFields>("spec"),
};

}  // namespace

Result<std::vector<JournalEntry>> DecodeEntries(std::string_view json) {
  MUSTER_ASSIGN(Page page, DecodeBy<kPageFields>(json, Form::kExact));
  return std::move(page.entries);
}

Result<BindingJournal> DecodeBindingJournal(std::string_view json) {
  MUSTER_ASSIGN(Envelope envelope, DecodeBy<kBindingJournalFields>(json));
  Result<std::vector<JournalEntry>> entries = DecodeEntries(envelope.entries);
  if (!entries.ok()) {
    return Error{entries.error().code, "spec.entries: " + entries.error().message};
  }
  envelope.page.entries = std::move(entries).value();
  return std::move(envelope.page);
}

std::vector<std::string> BindingJournalPaths() {
  return FieldPaths<kBindingJournalFields>();
}

}  // namespace muster::crds
