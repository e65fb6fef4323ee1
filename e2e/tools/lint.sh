#!/usr/bin/env bash
# Formatting and clang-tidy. Usage: lint.sh format | fix | tidy [all] | analyze
#   format   fails on a file that clang-format-16 would change
#   fix      changes them
#   tidy     clang-tidy-16 over what users run, as it is compiled: a few files at a time; with `all` each file alone, so that it has
#            to include what it needs, and those of e2e/ too. What passed once is not run again while it and all that it includes
#            are the same (stamps in the user's cache folder, for every checkout)
#   analyze  the static analyzer of clang over them: thorough and slow, by hand
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$ROOT"

sources() { git ls-files -co --exclude-standard '*.cc' '*.h' | sort; }
# What users run and what the tests trust; not the tests themselves.
production() { sources | grep '\.cc$' | grep -vE '_test\.cc$|/testing/|/testdata/'; }

# Each file by itself: it has to include what it needs.
separate() {
  BUILD=build/separate
  cmake --preset release -B "$BUILD" -D MUSTER_BATCHES=OFF >/dev/null
}

# What the build makes of other languages, and our files include.
generated() { cmake --build "$BUILD" --target generated >/dev/null; }

# clang-tidy has to look into the files that a unit includes.
canary() {
  mkdir -p build/tidy
  echo '#include "e2e/tidy/testdata/planted.cc"' >build/tidy/unit.cc
  if tidy build/tidy/unit.cc >build/tidy/canary.log 2>/dev/null || ! grep -q 'planted.cc:.*else-after-return' build/tidy/canary.log; then
    die "clang-tidy does not find what is planted"
  fi
}

# One stamp for what clang-tidy sees: the configuration, the unit, and each of our files that it
# includes, however far.
stamp_of() {
  # shellcheck disable=SC2046
  cat .clang-tidy $(g++ -std=c++20 -I. -I"$BUILD" -MM "$1" | tr -d '\\' | cut -d: -f2-) | sha256sum | cut -d' ' -f1
}

# A unit of several files includes them by their names.
tidy() { clang-tidy-16 -p "$BUILD" --quiet --checks=-bugprone-suspicious-include "$1"; }

tidy_one() {
  local stamp
  stamp=$(stamp_of "$1")
  if [ -e "$STAMPS/$stamp" ]; then return 0; fi
  if tidy "$1" >"build/tidy-$stamp.log" 2>/dev/null; then
    : >"$STAMPS/$stamp"
    rm -f "build/tidy-$stamp.log"
  else
    cat "build/tidy-$stamp.log"
    rm -f "build/tidy-$stamp.log"
    return 1
  fi
}

case ${1:-} in
  format) sources | xargs clang-format-16 --dry-run --Werror ;;
  fix) sources | xargs clang-format-16 -i ;;
  tidy)
    export STAMPS=${XDG_CACHE_HOME:-$HOME/.cache}/muster-tidy
    mkdir -p "$STAMPS" build
    export BUILD=build/release
    if [ "${2:-}" = all ]; then separate; fi
    generated
    export -f tidy_one stamp_of tidy
    canary
    # The operator stands last and takes longest: it begins.
    if [ "${2:-}" = all ]; then production; else tac "$BUILD/tidied.txt"; fi |
      xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'tidy_one {}' ||
      die "clang-tidy found what is printed above"
    ;;
  analyze)
    separate
    generated
    production | xargs -P "$(nproc)" -n 4 clang-tidy-16 -p "$BUILD" --quiet --checks='-*,clang-analyzer-*' ||
      die "the analyzer found what is printed above"
    ;;
  *) die "usage: lint.sh format | fix | tidy | analyze" ;;
esac
