#!/usr/bin/env bash
# Formatting and clang-tidy. Usage: lint.sh format | fix | tidy | analyze
#   format   fails on a file that clang-format-16 would change
#   fix      changes them
#   tidy     clang-tidy-16 over the production files; a file is not run again while its text and the
#            text of the headers that it includes directly are those that passed before
#   analyze  the static analyzer of clang over them: thorough and slow, by hand
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$ROOT"

sources() { git ls-files -co --exclude-standard '*.cc' '*.h' | sort; }

tidy_one() {
  local file=$1 stamp
  stamp=$({ cat .clang-tidy "$file"; sed -n 's/^#include "\(.*\)"/\1/p' "$file" | xargs -r -I{} sh -c 'cat {} 2>/dev/null || true'; } | sha256sum | cut -d' ' -f1)
  if [ -e "build/tidy/$stamp" ]; then return 0; fi
  if clang-tidy-16 -p build/release --quiet "$file" >"build/tidy/$stamp.log" 2>/dev/null; then
    mv "build/tidy/$stamp.log" "build/tidy/$stamp"
  else
    cat "build/tidy/$stamp.log"
    rm -f "build/tidy/$stamp.log"
    return 1
  fi
}

case ${1:-} in
  format) sources | xargs clang-format-16 --dry-run --Werror ;;
  fix) sources | xargs clang-format-16 -i ;;
  tidy)
    mkdir -p build/tidy
    export -f tidy_one
    sources | grep '\.cc$' | grep -vE '_(test|bench)\.cc$' |
      xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'tidy_one {}' ||
      die "clang-tidy found what is printed above"
    ;;
  analyze)
    sources | grep '\.cc$' | grep -vE '_(test|bench)\.cc$' |
      xargs -P "$(nproc)" -n 4 clang-tidy-16 -p build/release --quiet --checks='-*,clang-analyzer-*' ||
      die "the analyzer found what is printed above"
    ;;
  *) die "usage: lint.sh format | fix | tidy | analyze" ;;
esac
