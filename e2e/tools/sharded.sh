#!/usr/bin/env bash
# Runs whole test programs, each in as many processes as there are cores: ctest starts one for every
# test, which under a sanitizer takes longer than most tests. Usage: sharded.sh PRESET TEST..
set -euo pipefail
. "$(dirname "$0")/lib.sh"
BUILD=$ROOT/build/$1
shift

# shard PROGRAM INDEX: no test at all is a failure too.
shard() {
  local log
  log=$BUILD/$(basename "$1").$2.log
  cd "$(dirname "$1")"
  if GTEST_TOTAL_SHARDS=$(nproc) GTEST_SHARD_INDEX=$2 RC_PARAMS=seed=1 timeout 900 "$1" >"$log" 2>&1 &&
    grep -qE '^\[  PASSED  \] [1-9][0-9]* test' "$log"; then
    printf '%s: %s\n' "$(basename "$1").$2" "$(tail -n 1 "$log")"
    return
  fi
  tail -n 60 "$log"
  die "$(basename "$1") failed; all of it is in $log"
}

for name in "$@"; do
  program=$(find "$BUILD" -name "$name" -type f -perm -u+x)
  [ -n "$program" ] || die "there is no test program $name in $BUILD"
  shards=()
  for ((i = 0; i < $(nproc); ++i)); do
    (shard "$program" "$i") &
    shards+=($!)
  done
  for pid in "${shards[@]}"; do wait "$pid"; done
done
