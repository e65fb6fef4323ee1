# Helpers of the build scripts: where things are, and messages of one line that say what to do.
# shellcheck shell=bash
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TOOLS=$ROOT/build/tools
export LC_ALL=C

die() {
  printf 'muster: %s\n' "$1" >&2
  exit 1
}

# elapsed START: "21 s" or "2 min 50 s".
elapsed() {
  local seconds=$(($(date +%s) - $1))
  if ((seconds < 60)); then
    printf '%d s' "$seconds"
  else
    printf '%d min %d s' $((seconds / 60)) $((seconds % 60))
  fi
}

# version_at_least HAVE WANT: are both dotted numbers, and HAVE >= WANT?
version_at_least() {
  [ -n "$1" ] && [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# kubectl_version PROGRAM: "1.32.4", or nothing.
kubectl_version() {
  { "$1" version --client 2>/dev/null || true; } |
    sed -nE 's/^Client Version:.*v([0-9]+\.[0-9]+\.[0-9]+).*/\1/p' | sed -n 1p
}
