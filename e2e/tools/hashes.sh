#!/usr/bin/env bash
# The simulation gives the same bytes in the g++ and in the clang build. Usage: hashes.sh [SEEDS]
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$ROOT"
SEEDS=${1:-10}

# hashes BUILD FIRST: one line for each seed: number, hash, and what the run did.
hashes() {
  "build/$1/e2e/muster-sim" --first "$2" --seeds "$SEEDS" | grep '^seed '
}

release=$(hashes release 1)
clang=$(hashes asan 1)
[ "$(wc -l <<<"$release")" -eq "$SEEDS" ] || die "muster-sim printed no hash for each of $SEEDS seeds"
# The canary: other seeds have other hashes, so the comparison can fail.
other=$(hashes release 2)
[ "$release" != "$other" ] || die "the hashes of other seeds are the same: they tell nothing"
diff <(printf '%s\n' "$release") <(printf '%s\n' "$clang") ||
  die "the g++ build (<) and the clang build (>) differ in the seeds above"
printf '%s seeds: the same hashes from g++ and clang\n' "$SEEDS"
