#!/usr/bin/env bash
# Usage: constant-time.sh [CASE…] — watches the code that reads secrets under valgrind, then measures it.
# Nothing but a declassified fact (kist_declassified in Sources) may decide a branch or an address; |t| stays below 4.5.
# Measure on an idle machine: other programs only ever add noise. KIST_TIMED=no leaves the measurements out.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/processor.sh

fail() {
  echo "constant-time: $1" >&2
  exit 1
}

export KIST_VECTORS=${KIST_VECTORS:-$(realpath --canonicalize-missing ../shared/vectors)}
# The optimised code, as it is shipped; only what says `secret` to valgrind differs.
swift build -c release --static-swift-stdlib --build-path .build-ct -Xcc -DKIST_CHECK_CONSTANT_TIME --product constant-time
# Valgrind of Debian 12 cannot read the debug information of Swift 6.3.
program=.build-ct/constant-time
strip --strip-debug -o "$program" .build-ct/release/constant-time
mapfile -t cases < <("$program" | if (($#)); then grep --line-regexp --extended-regexp "(watch|time) ($(IFS='|'; echo "$*"))"; else cat; fi)
((${#cases[@]})) || fail "no such case"

# Usage: measure CASE WHERE
measure() {
  local t
  t=$("$program" --time "$1")
  if [[ $1 == leaky-twin ]]; then
    awk -v t="$t" 'BEGIN { exit !(t > 4.5) }' || fail "the leaky twin was not told apart (t = $t): nothing here can be believed"
  else
    awk -v t="$t" 'BEGIN { exit !(t < 4.5) }' || fail "$1 takes another time for another place of the mistake (t = $t)"
  fi
  printf 'measured %s, %s: |t| = %.2f\n' "$1" "$2" "$t"
}

# Valgrind's processor has no AVX-512.
watch() {
  valgrind --quiet --error-exitcode=9 --suppressions=Tests/ConstantTime/valgrind.supp --num-callers=20 "$program" "$1" >.build-ct/log 2>&1 || return $?
}

for row in "${cases[@]}"; do
  read -r kind name <<<"$row"
  case $kind in
  watch)
    code=0
    watch "$name" || code=$?
    if [[ $name == leaky-twin ]]; then
      ((code == 9)) || fail "the leaky twin was not found: nothing here can be believed"
      echo "watched  $name: found, as it must be"
    else
      ((code == 0)) || { cat .build-ct/log >&2; fail "$name depends on a secret"; }
      echo "watched  $name: no branch and no address depends on a secret"
    fi
    ;;
  time)
    [[ ${KIST_TIMED:-yes} == yes ]] || continue
    measure "$name" "as the machine is"
    without_avx512 measure "$name" "without AVX-512"
    ;;
  esac
done
