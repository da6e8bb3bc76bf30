#!/usr/bin/env bash
# The whole suite: Swift tests, misuses the compiler must refuse, clients, HTTP services, a fleet, independent programs.
# With CI=true the vectors must be there and no test may be skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/processor.sh

fail() {
  echo "test: $1" >&2
  exit 1
}

export KIST_VECTORS=${KIST_VECTORS:-$(realpath --canonicalize-missing ../shared/vectors)}
export KIST_PYTHON=$PWD/.venv/bin/python
strict=${CI:-false}
[[ $strict != true || -d $KIST_VECTORS ]] || fail "no vectors in $KIST_VECTORS (set KIST_VECTORS)"

# What programs that the tests use leave of temporary files goes with this run; databases' users may pass.
TMPDIR=$(mktemp --directory -t kist-XXXXXX)
export TMPDIR SCRATCH_DIRECTORY=$TMPDIR
trap 'rm --recursive --force "$TMPDIR"' EXIT
chmod 711 "$TMPDIR"

mkdir -p .build

# Usage: swift_tests LOG OPTION… — a test that hangs fails rather than outlasting everything.
swift_tests() {
  local log=.build/$1
  shift
  if ! timeout 45m swift test --disable-xctest "$@" 2>&1 | tee "$log" | sed '/^◇ .* started\.$/d'; then
    # Once more at the end, where they are read first: what failed, and what it saw.
    grep --after-context=4 '^✘ .* recorded an issue' "$log" | grep --invert-match '^[◇✔]' >&2 || true
    grep '^✘' "$log" >&2 || true
    fail "the Swift tests failed"
  fi
  if [[ $strict == true ]] && grep --extended-regexp ' skipped(:|\.|$)' "$log"; then
    fail "a skipped test is a failure here"
  fi
}

# A latency has the machine to itself: not even a system test runs, which holds this lock.
swift_tests test.log --skip 'LimitsTests/flood'
[[ ! -e .build-system/lock ]] || flock .build-system/lock true
swift_tests test-alone.log --skip-build --filter 'LimitsTests/flood'

# What OpenSSL leaves in memory, and how deep its stacks are, is another thing for each of its implementations.
without_avx512 swift_tests test-masked.log --skip-build --filter 'Residue|StackDepth|ProcessorTests'

# As many as the debug build plays in a minute; make check plays 2,000 on a release build.
KIST_SIM=.build/debug/kist-sim timeout 45m scripts/simulation.sh 500 >.build/simulation.log || { cat .build/simulation.log; fail "a history surprises, or is not the same twice"; }
tail --lines=1 .build/simulation.log

scripts/compile-fail.sh

# Whoever waits shares the machine with the others: the services' tests for a third of their time, the fleet for its hosts.
# Each in a process group of its own, so that what it has started ends with it.
beside=()
trap 'for group in "${beside[@]}"; do kill -- "-$group" 2>/dev/null || true; done; rm --recursive --force "$TMPDIR"' EXIT

# begin NAME: scripts/NAME.sh, beside what comes next.
begin() {
  setsid "scripts/$1.sh" >".build/$1.log" 2>&1 &
  beside+=("$!")
}

# ended NAME GROUP: waits for it.
ended() {
  wait "$2" || { cat ".build/$1.log" >&2; fail "scripts/$1.sh failed"; }
  tail --lines=2 ".build/$1.log"
}

begin services
scripts/clients.sh
ended services "${beside[0]}"
begin fleet
# Two at a time: most of them wait for the programs that they start.
printf '%s\0' Tests/interop/*.py | xargs --null --max-args=1 --max-procs=2 scripts/interop.sh || fail "a script in Tests/interop failed"
ended fleet "${beside[1]}"
