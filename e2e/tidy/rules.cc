#include "e2e/tidy/rules.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <regex>
#include <sstream>

#include "e2e/paths/paths.h"
#include "e2e/tidy/tree.h"

namespace muster::e2e {
namespace {

struct Ban {
  std::regex word;
  std::vector<std::string_view> folders;  // Where the ban holds, by prefix.
  std::vector<std::string_view> allowed;  // Files that are exempt, by prefix.
  std::string_view instead;
};

const std::vector<Ban>& Bans() {
  static const std::vector<std::string_view> core = {"scheduler/", "controllers/"};
  static const std::vector<Ban> bans = {
      {std::regex(R"(\b(system|steady|high_resolution)_clock\b|\btime\(|\bclock_gettime\b)"),
       core,
       {},
       "time is an argument (Now)"},
      {std::regex(R"(\b(s?rand|random_device|mt19937)\b)"), core, {}, "no random: ports::Loop"},
      {std::regex(R"(\bstd::j?thread\b|\bsleep(_for|_until)?\b|\busleep\b)"),
       core,
       {},
       "one loop thread owns all state: ports::Loop"},
      {std::regex(R"(\b(shared_|recursive_)?mutex\b)"),
       {"scheduler/", "controllers/", "crds/", "operator/"},
       {"operator/thread_loop", "operator/thread_annotations", "operator/testing/"},
       "locks live in operator/thread_loop"},
      {std::regex(R"(\bgetenv\b)"), {"scheduler/", "controllers/", "crds/"}, {}, "a parameter"},
      {std::regex(R"(\bunordered_(map|set|multimap)\b)"),
       core,
       {"scheduler/base/hash_index"},
       "std::map, a sorted vector, or base/hash_index for look-ups"},
      {std::regex(R"(\b(double|float)\b)"), core, {"scheduler/plugins/"}, "int64"},
      {std::regex(R"(\bshared_ptr\b)"), {"scheduler/"}, {}, "one owner; ids across"},
      {std::regex(R"(\bcatch\b)"),
       {"scheduler/", "controllers/", "crds/", "operator/"},
       {"operator/config.cc", "operator/kubeconfig", "operator/main", "operator/cli",
        "operator/logging", "operator/http_client"},
       "Result; exceptions end at the library that throws"},
  };
  return bans;
}

bool IsCode(std::string_view path) {
  return path.ends_with(".cc") || path.ends_with(".h");
}
// The line without its string literals and its comment.
std::string CodeOf(const std::string& line) {
  static const std::regex text(R"("(\\.|[^"\\])*")");
  const std::string code = std::regex_replace(line, text, "");
  return code.substr(0, code.find("//"));
}

std::string At(std::string_view path, int line, std::string_view what) {
  return std::string(path) + ":" + std::to_string(line) + ": " + std::string(what);
}

template <class Visit>
void EachLine(std::string_view text, Visit visit) {
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) visit(number, line);
}

}  // namespace

Violations BannedWords(std::string_view path, std::string_view text) {
  Violations found;
  if (!IsCode(path) || IsTest(path)) return found;
  EachLine(text, [&](int number, const std::string& line) {
    if (line.starts_with("#include")) return;
    const std::string code = CodeOf(line);
    for (const Ban& ban : Bans()) {
      if (!BeginsWithOne(path, ban.folders) || BeginsWithOne(path, ban.allowed)) continue;
      std::smatch match;
      if (!std::regex_search(code, match, ban.word)) continue;
      found.push_back(At(path, number, match.str() + ": " + std::string(ban.instead)));
    }
  });
  return found;
}

Violations TooLong(std::string_view path, std::string_view text) {
  if (!IsCode(path)) return {};
  const std::ptrdiff_t limit = IsTest(path) ? 600 : path.ends_with(".h") ? 300 : 400;
  const std::ptrdiff_t lines = std::count(text.begin(), text.end(), '\n');
  if (lines <= limit) return {};
  return {At(path, static_cast<int>(lines), "more than " + std::to_string(limit) + " lines")};
}

Violations BadMarks(std::string_view path, std::string_view text) {
  Violations found;
  if (!IsCode(path) || path.starts_with("e2e/tidy/")) return found;
  static const std::regex todo(R"(\bTODO\b)");
  static const std::regex todo_form(R"(TODO\(#[0-9]+\): \S)");
  static const std::regex nolint(R"(NOLINT(NEXTLINE|BEGIN)?\b)");
  static const std::regex nolint_form(R"(NOLINT(NEXTLINE|BEGIN)?\([a-z0-9.,* -]+\): \S)");
  EachLine(text, [&](int number, const std::string& line) {
    if (std::regex_search(line, todo) && !std::regex_search(line, todo_form)) {
      found.push_back(At(path, number, "TODO(#issue): text"));
    }
    if (std::regex_search(line, nolint) && !std::regex_search(line, nolint_form)) {
      found.push_back(At(path, number, "NOLINT(check): reason"));
    }
  });
  return found;
}

Violations BadHeader(std::string_view path, std::string_view text) {
  Violations found;
  if (!path.ends_with(".h")) return found;
  if (!text.starts_with("//")) found.push_back(At(path, 1, "opens with what it owns"));
  if (text.find("\n#pragma once\n") == std::string_view::npos) {
    found.push_back(At(path, 1, "#pragma once"));
  }
  return found;
}

Violations MissingPaths(std::string_view path, std::string_view text) {
  Violations found;
  static const std::regex quoted(R"(`([a-z0-9_./-]+\.(h|cc|sh|yaml|md|scenario))`)");
  EachLine(text, [&](int number, const std::string& line) {
    for (std::sregex_iterator it(line.begin(), line.end(), quoted), end; it != end; ++it) {
      const std::string name = (*it)[1].str();
      if (std::filesystem::exists(std::filesystem::path(SourceDir()) / name)) continue;
      found.push_back(At(path, number, name + " does not exist"));
    }
  });
  return found;
}

}  // namespace muster::e2e
