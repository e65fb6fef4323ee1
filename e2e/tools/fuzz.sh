#!/usr/bin/env bash
# Runs each fuzz target a fixed number of times from one seed, then once more with the fault that
# it plants, which has to be found. A scenario takes as long as two hundred runs of another target,
# a transaction as long as four, so they are run so much less often. Usage: fuzz.sh RUNS [TARGET..]
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$ROOT"
RUNS=$1
shift
TARGETS=("$@")
if ((${#TARGETS[@]} == 0)); then
  for folder in e2e/fuzz/corpus/*/; do TARGETS+=("$(basename "$folder")"); done
fi
WORK=$ROOT/build/fuzz

runs_of() {
  case $1 in
    scenario) echo $(((RUNS + 199) / 200)) ;;
    transaction) echo $(((RUNS + 3) / 4)) ;;
    *) echo "$RUNS" ;;
  esac
}

# fuzz TARGET KIND: what it says goes to build/fuzz/TARGET-KIND.log. New inputs stay in build/fuzz.
fuzz() {
  local found=$WORK/found-$1-$2 runs
  runs=$(runs_of "$1")
  rm -rf "$found"
  mkdir -p "$found"
  MUSTER_FUZZ=$1 build/asan/e2e/muster-fuzz -runs="$runs" -seed=1 -max_len=4096 -timeout=60 -print_final_stats=1 \
    -artifact_prefix="$WORK/$1-$2-" "$found" "e2e/fuzz/corpus/$1" >"$WORK/$1-$2.log" 2>&1
}

mkdir -p "$WORK"
for target in "${TARGETS[@]}"; do
  start=$(date +%s)
  if ! fuzz "$target" real; then
    tail -n 20 "$WORK/$target-real.log" >&2
    die "fuzz target $target found what is above; its input is kept in build/fuzz/$target-real-*"
  fi
  if MUSTER_FUZZ_PLANT=1 fuzz "$target" planted; then
    die "fuzz target $target does not find the fault that it plants"
  fi
  grep -q 'CHECK failed' "$WORK/$target-planted.log" ||
    die "fuzz target $target ends for another reason than its planted fault: build/fuzz/$target-planted.log"
  cover=$(sed -nE 's/.* cov: ([0-9]+) .*/\1/p' "$WORK/$target-real.log" | tail -n 1)
  printf 'fuzz %-12s %s runs, %s edges, its planted fault found, %s\n' \
    "$target" "$(runs_of "$target")" "${cover:-?}" "$(elapsed "$start")"
done
