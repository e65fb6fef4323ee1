#!/usr/bin/env bash
# Runs one stage of the presubmit and notes how long it took. Usage: stage.sh NAME COMMAND..
#   stage.sh --report prints the table.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
TABLE=$ROOT/build/stages.txt
mkdir -p "$ROOT/build"
if [ "$1" = --report ]; then
  printf '%-12s %s\n' stage minutes
  awk '{ printf "%-12s %.1f\n", $1, $2 / 60; total += $2 } END { printf "%-12s %.1f\n", "total", total / 60 }' "$TABLE"
  exit 0
fi
if [ "$1" = --start ]; then
  : >"$TABLE"
  exit 0
fi
name=$1
shift
start=$(date +%s)
printf '== %s\n' "$name"
"$@"
printf '%s %d\n' "$name" $(($(date +%s) - start)) >>"$TABLE"
