#!/usr/bin/env bash
# Checks the binding protocol's models, e2e/model/*.pml, with spin. Usage: model.sh bounded|full
#   bounded  exact search within small numbers, every rule left out, every mark: about 2 minutes
#   full     larger numbers, by hand: hours, up to 12 GB; hash-compacted, so a state may be missed
# One line per check. Fails when one does not end as it must, or was cut short.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
MODE=${1:-bounded}
MODEL=$ROOT/e2e/model/binding.pml # The one that the checks below are about.
WORK=$ROOT/build/model
BAD=0

# build NAME COMPILER "MACROS" "PAN MACROS": build/model/NAME/pan. Most searches end within a second:
# gcc would compile for longer, tcc takes no time. Partial order reduction finds nothing here, every
# step touches what all see.
build() {
  rm -rf "${WORK:?}/$1"
  mkdir -p "$WORK/$1"
  cd "$WORK/$1"
  # shellcheck disable=SC2086
  spin -a $3 "$MODEL" >spin.log 2>&1 || die "spin refuses the model: $WORK/$1/spin.log"
  # Hidden variables are scratch within one step here: nothing that a search would have to restore.
  sed -i '/cannot use BFS on models with variables declared hidden/d' pan.h
  # shellcheck disable=SC2086
  $2 -w -DSAFETY -DNOREDUCE $4 -o pan pan.c
}

# figures RESULT: one line of the table, out of pan.log.
figures() {
  local states steps seconds
  states=$(sed -nE 's/^ *([0-9.e+]+) states, stored.*/\1/p' pan.log)
  seconds=$(sed -nE 's/^pan: elapsed time ([0-9.e-]+) seconds/\1/p' pan.log)
  steps=$(sed -nE 's/^pan:1: .*\(at depth ([0-9]+)\).*/\1/p' pan.log)
  printf '%-40s %-22s %12s %6s %8s\n' "$(basename "$MODEL" .pml) $NAME" "$1" "${states:--}" "${steps:--}" "${seconds:--}"
}

cut_short() { grep -qE 'max search depth too small|reached -DMEMLIM|out of memory|Interrupted' pan.log; }
failed() { grep -q '^pan:1: assertion violated' pan.log; }

wrong() {
  figures "$1"
  BAD=$((BAD + 1))
}

# holds NAME "MACROS" "MARKS" ["PAN MACROS" "PAN OPTIONS"]: every state is visited, no assertion
# fails, and each of the marks is met, or the check would look at nothing.
holds() {
  local mark unmet=''
  NAME=$1
  build "$1" "gcc -O1" "-DMARKS $2" "${4:--DBFS -DMEMLIM=4000}"
  # shellcheck disable=SC2086
  ./pan -E -n ${5:--w24} >pan.log 2>&1 || true
  for mark in $3; do
    grep -qx "mark $mark" pan.log || unmet=$mark
  done
  if failed; then
    wrong 'WRONG: VIOLATED'
  elif cut_short || ! grep -q 'errors: 0' pan.log; then
    wrong 'WRONG: CUT SHORT'
  elif [ -n "$unmet" ]; then
    wrong "WRONG: UNMET $unmet"
  else
    figures 'no violation'
  fi
}

# found NAME "MACROS": breadth first, so the trace is a shortest one.
found() {
  NAME=$1
  build "$1" tcc "-D$1 $2" '-DBFS -DMEMLIM=4000'
  ./pan -E -n -w22 >pan.log 2>&1 || true
  if failed; then figures 'found, as it must'; else wrong 'WRONG: NOT FOUND'; fi
}

# unreached NAME "MACROS" MARK: the mark is never met. That of a leader that does nothing.
unreached() {
  NAME=$1
  build "$1" tcc "-D$1 -DMARKS $2" '-DBFS -DMEMLIM=4000'
  ./pan -E -n -w22 >pan.log 2>&1 || true
  if failed || cut_short || ! grep -q 'errors: 0' pan.log || grep -qx "mark $3" pan.log; then
    wrong 'WRONG: MARK MET'
  else
    figures 'mark unmet, as it must'
  fi
}

# Each leaves out one rule.
rules() {
  found F_BIND_NO_VERSION ''
  found F_NEWER_VERSION '-DPATCHES=1'
  found F_TOUCH_BLIND ''
  found F_GET_FREES ''
  found F_FENCE_CHANGES_NOTHING ''
  found F_LIST_BEFORE_FENCE ''
  found F_DECIDE_EARLY ''
  found F_SINGLE_UNJOURNALLED ''
  found F_ENTRIES_NOT_COMPARED ''
  found F_NO_ID_RULE ''
  found F_MOVED_NODE_FREED '-DMOVES'
  found F_NO_R7 '-DLOSSES=1'
  found F_SETTLED_WHEN_GONE '-DKILLS=1'
  found F_ABANDON_TAKEN_BACK ''
  found F_NO_STRAY_TOUCH '-DLOSSES=1'
  found F_TERMINATING_FREES '-DTERMINATING -DKILLS=1 -DRESTARTS=0'
  found F_FOREIGN_COUNTS '-DFOREIGN=1'
  found F_FOREIGN_IS_NO_USE '-DFOREIGN=1'
  found F_STANDBY_DOES_NOT_WAIT '-DSTANDBY -DRESTARTS=0'
}

# What the model needs beyond the text of the design; README.md tells each trace.
holes() {
  found HOLE_ID_AGAIN ''
  found HOLE_MADE_ANEW_FORGOTTEN '-DLOSSES=1'
  found HOLE_STALE_LIST '-DLOSSES=1'
  found HOLE_FOREIGN_AT_ITS_NODE '-DFOREIGN=1'
  found HOLE_FOREIGN_DELETED '-DFOREIGN=1 -DIDS=1'
}

# Marks that need a bit of the state of their own, or a mark of a space that is not searched whole.
marks() {
  found MARK_abandoned_after_crash ''
  found MARK_moved '-DMOVES'
  found MARK_completed_around '-DKILLS=1 -DRESTARTS=0'
  unreached F_DOES_NOTHING '-DRESTARTS=0' gang_settled
}

BOTH_WAYS='gang_settled gang_undone touched late_binding_refused ambiguous_was_bound'
BOTH_WAYS+=' ambiguous_was_not_bound deposed taken_over'

# A gang in two parts on two pages.
parts() {
  local small='-DIDS=1 -DRESTARTS=0'
  MODEL=$ROOT/e2e/model/parts.pml
  found F_SENT_AFTER_ONE_PART "$small"
  found F_UNDONE_AFTER_ONE_PART "$small"
  found F_FIRST_PART_DECIDES "$small"
  found F_LONE_PART_GOES_ON "$small"
  found F_SETTLED_BY_PART "$small"
  found F_GATE_NOT_FIRST "$small"
  found F_GATE_NOT_LOOKED_AT "$small"
  unreached F_DOES_NOTHING "$small" gang_settled
  holds parts "$small" "$PARTS_MARKS"
}
PARTS_MARKS='deposed found_in_part gang_undone dropped_unsent found_mixed gang_settled'
PARTS_MARKS+=' late_binding_refused'

# Entries of minimum 0 beside the main one.
surplus() {
  local small='-DLEADERS=1 -DRESTARTS=1'
  MODEL=$ROOT/e2e/model/surplus.pml
  found F_GIVES_UP_THE_GANG "$small"
  found F_R7_THOUGH_IT_RAN "$small"
  found F_R7_BESIDE_AN_ENTRY "$small"
  found HOLE_PROMISED_COUNTS '-DLEADERS=1 -DIDS=3 -DKILLS=2'
  unreached F_DOES_NOTHING "$small" gang_settled
  holds surplus "$small" "$SURPLUS_MARKS"
}
SURPLUS_MARKS='gang_undone beside late_binding_refused replaces gang_settled taken_over_beside'
SURPLUS_MARKS+=' surplus_settled surplus_undone'

# Larger numbers. Hash-compacted, depth first.
large() { holds "$1" "$2" "${3:-$BOTH_WAYS}" '-DHC4 -DMEMLIM=12000' '-w28 -m4000000'; }

full() {
  rules
  holes
  found HOLE_ID_AGAIN_AFTER_LOSS '-DLOSSES=1'
  found HOLE_COMPLETED_AFTER_LOSS '-DLOSSES=1 -DRESTARTS=0'
  marks
  large patches '-DPATCHES=9'
  large kills '-DKILLS=9'
  large page-lost '-DLOSSES=1'
  large patches-and-kills '-DPATCHES=9 -DKILLS=9'
  large move '-DMOVES -DIDS=1'
  large moves '-DMOVES'
  large three-entries '-DIDS=3'
  large terminating '-DTERMINATING -DKILLS=1'
  large foreign-binder '-DFOREIGN=1'
  large standby '-DSTANDBY -DRESTARTS=0'
  large foreign-binder-terminating '-DFOREIGN=9 -DTERMINATING -DKILLS=9 -DIDS=1'
  parts
  large parts-one-entry '-DIDS=1 -DKILLS=9 -DRESTARTS=9' "$PARTS_MARKS"
  large parts-two-entries '-DKILLS=1' "$PARTS_MARKS rest_undone"
  surplus
  large surplus-three-entries '-DLEADERS=1 -DIDS=3' 'gang_settled surplus_settled surplus_undone'
  large surplus-two-leaders '-DKILLS=0' 'deposed gang_settled surplus_settled surplus_undone'
}

main() {
  local tool
  for tool in spin tcc; do
    command -v "$tool" >/dev/null || die "$tool is missing: run 'make deps', or 'apt-get install $tool' as root"
  done
  mkdir -p "$WORK"
  local start
  start=$(date +%s)
  printf '%-40s %-22s %12s %6s %8s\n' check result states steps seconds
  case $MODE in
    bounded)
      rules
      holes
      marks
      holds protocol '' "$BOTH_WAYS"
      holds one-entry '-DIDS=1 -DPATCHES=9 -DKILLS=9' "$BOTH_WAYS"
      holds page-lost '-DIDS=1 -DLOSSES=1 -DRESTARTS=0' "$BOTH_WAYS"
      holds terminating '-DIDS=1 -DTERMINATING -DKILLS=1 -DRESTARTS=0' left_terminating
      holds foreign-binder '-DIDS=1 -DFOREIGN=1' 'foreign_binder foreign_binder_at_its_node'
      holds standby '-DIDS=1 -DSTANDBY -DRESTARTS=0' standby_is_behind
      parts
      surplus
      ;;
    full) full ;;
    *) die 'usage: model.sh bounded|full' ;;
  esac
  printf 'model: %s, %d wrong\n' "$(elapsed "$start")" "$BAD"
  ((BAD == 0))
}

main
