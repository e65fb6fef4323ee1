#!/usr/bin/env bash
# The simulation gives the same bytes in the g++ and in the clang build. Usage: hashes.sh [SEEDS]
#   at least 2, 4 if not given
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$ROOT"
SEEDS=${1:-4}

WORK=$ROOT/build/hashes

# hashes NAME BUILD FIRST COUNT: one line for each seed: number, hash, and what the run did. With the
# log there are no canaries and no second runs: `make sim` has them.
hashes() {
  "build/$2/e2e/muster-sim" --log --first "$3" --seeds "$4" | grep '^seed ' >"$WORK/$1"
}

# Two at a time.
mkdir -p "$WORK"
half=$((SEEDS / 2))
hashes clang-1 asan 1 $half &
hashes clang-2 asan $((half + 1)) $((SEEDS - half))
wait $!
hashes release release 1 "$SEEDS" &
# The canary: other seeds have other hashes, so the comparison can fail.
hashes other release 2 "$SEEDS"
wait $!
release=$(<"$WORK/release")
other=$(<"$WORK/other")
clang=$(cat "$WORK/clang-1" "$WORK/clang-2")
[ "$(wc -l <<<"$release")" -eq "$SEEDS" ] || die "muster-sim printed no hash for each of $SEEDS seeds"
[ "$release" != "$other" ] || die "the hashes of other seeds are the same: they tell nothing"
diff <(printf '%s\n' "$release") <(printf '%s\n' "$clang") ||
  die "the g++ build (<) and the clang build (>) differ in the seeds above"
printf '%s seeds: the same hashes from g++ and clang\n' "$SEEDS"
