#!/usr/bin/env bash
# Installs what is missing. Usage: deps.sh run|test|dev
#   run   what `make run` and `make demo` need: the compiler, the libraries, a kubectl >= 1.32
#   test  also both kubectl that the tests use
#   dev   also ccache and clang-16 with its tools
# As root, or with sudo. Nothing of another Debian suite is installed: a newer kubectl is unpacked
# into build/tools.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

RUN_PACKAGES=(g++ cmake ninja-build make pkg-config ca-certificates libcpp-httplib-dev libssl-dev
  nlohmann-json3-dev libyaml-cpp-dev libspdlog-dev libcli11-dev libsimdjson-dev libgtest-dev
  librapidcheck-dev prometheus-cpp-dev libgrpc++-dev libprotobuf-dev protobuf-compiler
  protobuf-compiler-grpc)
DEV_PACKAGES=(git ccache clang-16 clang-tidy-16 clang-format-16 libclang-rt-16-dev spin tcc)
KUBECTL_MINIMUM=1.32
# Suites that hold a kubectl new enough; the first is preferred.
KUBECTL_SUITES=(forky trixie)

LOG=$ROOT/build/deps.log
MODE=${1:-dev}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "installing packages needs root: run 'apt-get install ${MISSING[*]}' as root, then again"
  fi
}

# retry COMMAND..: three tries; the last 20 lines of the log if none works.
retry() {
  local try
  for try in 1 2 3; do
    if "$@" >>"$LOG" 2>&1; then return 0; fi
    sleep $((try * 2))
  done
  tail -n 20 "$LOG" >&2
  die "failed three times: $*  (log: $LOG). Is the package mirror reachable and the disk not full?"
}

check_system() {
  local id version
  id=$(. /etc/os-release && printf '%s' "${ID:-}")
  version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-}")
  [ "$id" = debian ] && [ "$version" = 12 ] ||
    die "this is ${id:-unknown} ${version}, Muster is built on Debian 12: use a Debian 12 machine or container"
}

missing_packages() {
  MISSING=()
  local package
  for package in "${WANTED[@]}"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      MISSING+=("$package")
  done
}

install_packages() {
  missing_packages
  if ((${#MISSING[@]} == 0)); then return; fi
  retry as_root apt-get -q update
  local need
  # Answering no makes apt-get fail; it has said what it needs by then.
  need=$({ apt-get install --no-install-recommends --assume-no "${MISSING[@]}" 2>/dev/null || true; } |
    sed -n 's/^Need to get \(.*\) of archives.*$/\1/p' | sed 's,.*/,,')
  printf '[1/4] packages        %d missing, with what they need %s: apt-get install %s\n' \
    ${#MISSING[@]} "${need:-?}" "${MISSING[*]}"
  retry as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "${MISSING[@]}"
}

# fetch_kubectl SUITE FILE: unpacks that suite's kubectl as build/tools/FILE, with lists and state
# of its own.
fetch_kubectl() {
  local suite=$1 file=$2
  local folder=$TOOLS/apt-$suite
  rm -rf "$folder"
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial,download}
  : >"$folder/state/status"
  # The machine's own entries for its suite, the suite name replaced; both forms of sources.
  { cat /etc/apt/sources.list 2>/dev/null || true; } |
    sed -nE 's/^(deb( +\[[^]]*\])? +[^ ]+) +bookworm +.*$/\1 '"$suite"' main/p' >"$folder/sources.list"
  local source
  for source in /etc/apt/sources.list.d/*.sources; do
    [ -e "$source" ] || continue
    awk -v suite="$suite" '
      function flush() {
        if (uri != "" && has) printf "deb %s%s %s main\n", (key == "" ? "" : "[signed-by=" key "] "), uri, suite
        uri = ""; has = 0; key = ""
      }
      /^[[:space:]]*$/ { flush(); next }
      /^URIs:/ { uri = $2 }
      /^Signed-By:/ { key = $2 }
      /^Suites:/ { for (i = 2; i <= NF; i++) if ($i == "bookworm") has = 1 }
      END { flush() }' "$source" >>"$folder/sources.list"
  done
  [ -s "$folder/sources.list" ] || die "no entry for bookworm in the apt sources: add one, or put a kubectl >= $KUBECTL_MINIMUM into PATH"
  # apt drops to the user _apt, which may not be able to read below the repository. A suite that is
  # not stable yet carries an expiry date, which a mirror may be late to renew; signatures count.
  local options=(-o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State=$folder/state" -o "Dir::State::status=$folder/state/status"
    -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root
    -o Acquire::Check-Valid-Until=false)
  (
    cd "$folder/download"
    retry apt-get -q "${options[@]}" update
    retry apt-get -q "${options[@]}" download kubectl
    dpkg -x kubectl_*.deb "$folder/root"
  )
  install -m 755 "$folder/root/usr/bin/kubectl" "$TOOLS/$file"
  rm -rf "$folder"
  "$TOOLS/$file" version --client >/dev/null 2>&1
}

# A kubectl that is new enough: the one in PATH, else one of a later Debian as build/tools/kubectl.
provide_kubectl() {
  local own="" suite
  if command -v kubectl >/dev/null; then own=$(kubectl_version "$(command -v kubectl)"); fi
  if version_at_least "$own" "$KUBECTL_MINIMUM"; then
    KUBECTL_NOTE="$own, yours"
    return
  fi
  local note="none in PATH"
  if [ -n "$own" ]; then note="yours is $own, older than $KUBECTL_MINIMUM"; fi
  for suite in "${KUBECTL_SUITES[@]}"; do
    if [ -x "$TOOLS/kubectl" ] || fetch_kubectl "$suite" kubectl; then
      KUBECTL_NOTE="$(kubectl_version "$TOOLS/kubectl") from Debian, in build/tools ($note)"
      return
    fi
  done
  die "no kubectl >= $KUBECTL_MINIMUM: put one into PATH"
}

# The tests run against the oldest kubectl that is supported and against the newest of Debian.
provide_test_kubectl() {
  local suite
  for suite in "${KUBECTL_SUITES[@]}"; do
    [ -x "$TOOLS/kubectl-$suite" ] || fetch_kubectl "$suite" "kubectl-$suite" ||
      die "the kubectl of Debian $suite does not run here"
  done
}

main() {
  local start
  start=$(date +%s)
  mkdir -p "$TOOLS"
  : >"$LOG"
  WANTED=("${RUN_PACKAGES[@]}")
  if [ "$MODE" = dev ]; then WANTED+=("${DEV_PACKAGES[@]}"); fi
  check_system
  install_packages
  provide_kubectl
  if [ "$MODE" != run ]; then provide_test_kubectl; fi
  printf '[1/4] packages        done, %s.  kubectl: %s\n' "$(elapsed "$start")" "$KUBECTL_NOTE"
}

main
