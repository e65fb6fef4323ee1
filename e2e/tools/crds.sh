#!/usr/bin/env bash
# Asks kube-apiserver's own code, e2e/tools/crdcheck, about our CustomResourceDefinitions, faulty
# ones, the samples, and objects that are wrong: its verdicts have to be those that stand in
# e2e/apiserver/testdata/verdicts.txt, to which apiserver_test holds the simulated API server.
# Usage: crds.sh check | update
#   check    fails on a difference, or if the program would not find a fault that is planted
#   update   writes the verdicts down anew, after a change of the definitions or of the objects
# Needs a Go newer than that of Debian 12, and the Go module proxy or what was fetched from it once.
# Without them it says so and leaves the check out; in CI (CI is set) that is an error.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$ROOT"
SOURCE=$ROOT/e2e/tools/crdcheck
PROGRAM=$ROOT/build/crdcheck
DATA=e2e/apiserver/testdata
LOG=$ROOT/build/crds.log

leave_out() {
  [ -z "${CI:-}" ] || die "$1"
  printf '\nmuster: NOT CHECKED against kube-apiserver: crds/*.yaml, the samples, wrong inputs. %s\n\n' "$1" >&2
  exit 0
}

build() {
  local wanted have
  wanted=$(sed -nE 's/^go ([0-9.]+)$/\1/p' "$SOURCE/go.mod")
  have=$({ GOTOOLCHAIN=local go env GOVERSION 2>/dev/null || true; } | sed 's/^go//')
  version_at_least "$have" "$wanted" || leave_out "Go $wanted or newer is needed in PATH, found: ${have:-none}."
  export GOTOOLCHAIN=local GOFLAGS=-mod=readonly
  (cd "$SOURCE" && go mod download) >"$LOG" 2>&1 ||
    leave_out "The modules cannot be fetched: $(tail -n 1 "$LOG")"
  # Unoptimized: it runs for a second, and compiles in two thirds of the time.
  (cd "$SOURCE" && go build -gcflags=all='-N -l' -ldflags='-s -w' -o "$PROGRAM" .) >"$LOG" 2>&1 || {
    tail -n 20 "$LOG" >&2
    die "e2e/tools/crdcheck does not build"
  }
}

# verdicts FOLDER: with the definitions of the folder.
verdicts() {
  # shellcheck disable=SC2046
  "$PROGRAM" "$1"/*.yaml "$DATA"/definitions/*.yaml $(find config/samples -name '*.yaml') "$DATA"/wrong/*.yaml | sort
}

# A definition that allows more has to give other verdicts, one that a server refuses none.
canary() {
  local planted=build/crds-planted
  rm -rf "$planted"
  mkdir -p "$planted"
  cp crds/*.yaml "$planted"
  sed -i 's/maxItems: 32/maxItems: 33/' "$planted/podgroups.yaml"
  if diff -q <(verdicts "$planted" | grep "^$DATA") <(grep "^$DATA" "$DATA/verdicts.txt") >/dev/null; then
    die "a definition that allows 33 sub-groups gives the same verdicts: they tell nothing"
  fi
}

build
case ${1:-} in
  update) verdicts crds >"$DATA/verdicts.txt" ;;
  check)
    canary
    verdicts crds | diff "$DATA/verdicts.txt" - ||
      die "kube-apiserver judges otherwise (>) than e2e/apiserver/testdata/verdicts.txt says (<); after a change that is meant: e2e/tools/crds.sh update"
    printf 'crds: %s definitions and objects, the same verdicts from kube-apiserver\n' "$(grep -cE ': (accepted|refused)$' "$DATA/verdicts.txt")"
    ;;
  *) die 'usage: crds.sh check | update' ;;
esac
