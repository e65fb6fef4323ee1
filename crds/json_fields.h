// How the tables of JsonField are written: one line per field, by member pointer. FieldPaths lists
// what a table reads, so that a test can hold it against the schema. For decode_*.cc only.
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crds/json_reader.h"

namespace muster::crds {

// What a member pointer says of its struct.
template <class T>
struct MemberTraits;
template <class T, class M>
struct MemberTraits<M T::*> {
  using Owner = T;
  using Type = M;
};
template <auto kMember>
using OwnerOf = typename MemberTraits<decltype(kMember)>::Owner;
// The struct that a table fills.
template <class Table>
struct TableTraits;
template <class T, std::size_t kSize>
struct TableTraits<std::array<JsonField<T>, kSize>> {
  using Owner = T;
};
template <const auto& kTable>
using FilledBy = typename TableTraits<std::remove_cvref_t<decltype(kTable)>>::Owner;

// "a", "b.c", "list[].d": every path that the table reads, inner objects included.
template <const auto& kTable>
void ListPaths(const std::string& prefix, std::vector<std::string>& out) {
  for (const auto& field : kTable) {
    const std::string path = prefix + std::string(field.name);
    out.push_back(path);
    if (field.list != nullptr) field.list(path, out);
  }
}
// For JsonField::list.
template <const auto& kTable>
void ListInObject(const std::string& prefix, std::vector<std::string>& out) {
  ListPaths<kTable>(prefix + ".", out);
}
template <const auto& kTable>
void ListInArray(const std::string& prefix, std::vector<std::string>& out) {
  ListPaths<kTable>(prefix + "[].", out);
}
template <const auto& kTable>
[[nodiscard]] std::vector<std::string> FieldPaths() {
  std::vector<std::string> out;
  ListPaths<kTable>("", out);
  return out;
}

// A string, bool, integer, list of strings or map of strings.
template <auto kMember>
constexpr JsonField<OwnerOf<kMember>> Field(std::string_view name) {
  return {name, [](JsonReader& reader, JsonValue& value, OwnerOf<kMember>& out) {
            return reader.Read(value, out.*kMember);
          }};
}
// A time in milliseconds, optional or not.
template <auto kMember>
constexpr JsonField<OwnerOf<kMember>> TimeField(std::string_view name) {
  return {name, [](JsonReader& reader, JsonValue& value, OwnerOf<kMember>& out) {
            std::int64_t ms = 0;
            if (!reader.Time(value, ms)) return false;
            out.*kMember = ms;
            return true;
          }};
}
// A quantity as it is written, optional or not.
template <auto kMember>
constexpr JsonField<OwnerOf<kMember>> TextField(std::string_view name) {
  return {name, [](JsonReader& reader, JsonValue& value, OwnerOf<kMember>& out) {
            std::string text;
            if (!reader.Text(value, text)) return false;
            out.*kMember = std::move(text);
            return true;
          }};
}
// An object that fills a struct of its own, optional or not.
template <auto kMember, const auto& kTable>
constexpr JsonField<OwnerOf<kMember>> ObjectField(std::string_view name) {
  return {name,
          [](JsonReader& reader, JsonValue& value, OwnerOf<kMember>& out) {
            using Inner = FilledBy<kTable>;
            if constexpr (std::same_as<typename MemberTraits<decltype(kMember)>::Type, Inner>) {
              return reader.Object<Inner>(value, out.*kMember, kTable);
            } else {
              return reader.Object<Inner>(value, (out.*kMember).emplace(), kTable);
            }
          },
          &ListInObject<kTable>};
}
// An object whose fields belong to the same struct as the object itself ("spec").
template <const auto& kTable>
constexpr JsonField<FilledBy<kTable>> InnerField(std::string_view name) {
  return {name,
          [](JsonReader& reader, JsonValue& value, FilledBy<kTable>& out) {
            return reader.Object<FilledBy<kTable>>(value, out, kTable);
          },
          &ListInObject<kTable>};
}
// A list of objects.
template <auto kMember, const auto& kTable>
constexpr JsonField<OwnerOf<kMember>> ListField(std::string_view name) {
  return {name,
          [](JsonReader& reader, JsonValue& value, OwnerOf<kMember>& out) {
            return reader.List<FilledBy<kTable>>(value, out.*kMember, kTable);
          },
          &ListInArray<kTable>};
}

// The whole text as the struct that the table fills.
template <const auto& kTable>
[[nodiscard]] Result<FilledBy<kTable>> DecodeBy(std::string_view json, Form form = Form::kOpen) {
  return JsonReader().Decode<FilledBy<kTable>>(json, kTable, form);
}

// Tables that several kinds share.
inline constexpr std::array kOwnerFields = {
    Field<&OwnerReference::api_version>("apiVersion"),
    Field<&OwnerReference::kind>("kind"),
    Field<&OwnerReference::name>("name"),
    Field<&OwnerReference::uid>("uid"),
    Field<&OwnerReference::controller>("controller"),
};
inline constexpr std::array kMetaFields = {
    Field<&ObjectMeta::name>("name"),
    Field<&ObjectMeta::ns>("namespace"),
    Field<&ObjectMeta::uid>("uid"),
    Field<&ObjectMeta::resource_version>("resourceVersion"),
    Field<&ObjectMeta::generation>("generation"),
    TimeField<&ObjectMeta::creation_ms>("creationTimestamp"),
    TimeField<&ObjectMeta::deletion_ms>("deletionTimestamp"),
    Field<&ObjectMeta::labels>("labels"),
    Field<&ObjectMeta::annotations>("annotations"),
    ListField<&ObjectMeta::owners, kOwnerFields>("ownerReferences"),
};
inline constexpr std::array kConditionFields = {
    Field<&Condition::type>("type"),
    Field<&Condition::status>("status"),
    Field<&Condition::reason>("reason"),
    Field<&Condition::message>("message"),
    Field<&Condition::observed_generation>("observedGeneration"),
    TimeField<&Condition::last_transition_ms>("lastTransitionTime"),
};

}  // namespace muster::crds
