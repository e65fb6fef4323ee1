#!/usr/bin/env bash
# `make run` and `make demo`: packages, build, then the samples. Usage: run.sh run|demo
# CANARY=c plants a fault that the demo has to find; PORT=n is the port of the API server.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

MODE=$1
printf '%s\n' \
  'Muster: builds itself, starts a simulated GPU cluster on this machine, runs the samples on it.' \
  'Everything stays on loopback; only apt-get goes out. First time about 5 minutes, later 20 seconds.'
"$ROOT/e2e/tools/deps.sh" run
"$ROOT/e2e/tools/build.sh" release muster muster-local muster-demo
KUBECTL=$TOOLS/kubectl
if version_at_least "$(kubectl_version kubectl)" 1.32; then KUBECTL=$(command -v kubectl); fi
arguments=(--kubectl "$KUBECTL" --root "$ROOT")
if [ "$MODE" = run ]; then arguments+=(--stay); fi
if [ -n "${PORT:-}" ]; then arguments+=(--port "$PORT"); fi
if [ -n "${CANARY:-}" ]; then arguments+=(--canary "$CANARY"); fi
exec "$ROOT/build/release/e2e/muster-demo" "${arguments[@]}"
