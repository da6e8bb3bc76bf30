#!/usr/bin/env bash
# Usage: model.sh [NAME…] — has spin search all of models/fleet.pml, and find each mistake of models/runs.txt, or these, in it.
# A search that ends otherwise than its line says, or is cut short, is a failure. ASKS (4) is how often callers ask, all of them together.
set -euo pipefail
cd "$(dirname "$0")/.."

model=$PWD/models/fleet.pml
failed=0

# check NAME EXPECTED DEFINITION…: the invariant that must fail, or "holds".
check() {
  local name=$1 expected=$2 folder=.build/model/$1-$2 began=$EPOCHREALTIME only=() said states
  shift 2
  [[ $expected == holds ]] || only=("-DONLY_$expected")
  mkdir -p "$folder"
  (
    cd "$folder"
    rm -f pan.log ./*.trail
    spin "-DASKS=${ASKS:-4}" "$@" "${only[@]}" -a "$model" >spin.log
    cc -w -O2 -DSAFETY -DCOLLAPSE -DMEMLIM=12000 -o pan pan.c
    ./pan -m100000 -w25 >pan.log || true
  )
  if grep -q 'assertion violated' "$folder/pan.log"; then
    said=${expected/holds/violated}
  elif grep -q '^pan:.*\(invalid end state\|too small\|memory\)\|Search not completed' "$folder/pan.log"; then
    said='cut short'
  else
    said=holds
  fi
  states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$folder/pan.log")
  printf '%-28s %-9s %12s %8.1f s\n' "$name" "$said" "$states" "$(awk "BEGIN { print $EPOCHREALTIME - $began }")"
  [[ $said == "$expected" ]] || { echo "  expected: $expected; $folder/pan.log" >&2; failed=1; }
}

printf '%-28s %-9s %12s %10s\n' run outcome states time
while read -r name invariants definitions; do
  [[ -n $name && $name != \#* ]] || continue
  (($# == 0)) || [[ " $* " == *" $name "* ]] || continue
  for invariant in ${invariants//,/ }; do
    # shellcheck disable=SC2086 # definitions are words
    check "$name" "$invariant" $definitions
  done
done <models/runs.txt
exit "$failed"
