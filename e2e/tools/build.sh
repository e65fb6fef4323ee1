#!/usr/bin/env bash
# Configures and builds a preset, with one line of progress at least every 10 s and nothing else
# unless it fails. Usage: build.sh PRESET [TARGET..]
set -euo pipefail
. "$(dirname "$0")/lib.sh"

PRESET=$1
shift
LOG=$ROOT/build/build-$PRESET.log
mkdir -p "$ROOT/build"
cd "$ROOT"

fail() {
  grep -vE '^\[[0-9]+/[0-9]+\]' "$LOG" | tail -n 20 >&2
  die "the build failed; the last 20 lines are above, all of it is in $LOG"
}

# The same line again on a terminal; else a new one whenever 10 s have passed.
progress() {
  local start=$1 last=0 line now
  TOTAL=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$LOG"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    TOTAL=${BASH_REMATCH[2]}
    now=$(date +%s)
    if [ -t 1 ]; then
      printf '\r[2/4] build           %s/%s files, %s   ' "${BASH_REMATCH[1]}" "$TOTAL" "$(elapsed "$start")"
    elif ((now - last >= 10)); then
      printf '[2/4] build           %s/%s files, %s\n' "${BASH_REMATCH[1]}" "$TOTAL" "$(elapsed "$start")"
      last=$now
    fi
  done
  if [ -t 1 ] && ((TOTAL > 0)); then printf '\r\033[K'; fi
  printf '%s' "$TOTAL" >"$ROOT/build/.files-$PRESET"
}

start=$(date +%s)
: >"$LOG"
cmake --preset "$PRESET" >>"$LOG" 2>&1 || fail
targets=()
if (($# > 0)); then targets=(--target "$@"); fi
set +e
NINJA_STATUS='[%f/%t] ' cmake --build "build/$PRESET" "${targets[@]}" 2>&1 | progress "$start"
status=${PIPESTATUS[0]}
set -e
((status == 0)) || fail
files=$(cat "$ROOT/build/.files-$PRESET")
if ((files <= 1)); then
  printf '[2/4] build           up to date\n'
else
  printf '[2/4] build           done, %s files, %s\n' "$files" "$(elapsed "$start")"
fi
