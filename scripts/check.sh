#!/usr/bin/env bash
# What `make check` demands beyond `make test`; warnings are errors in every build already.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$1"; }

scripts/lint.sh

step "symbols: the release kistd has nothing that only kist needs"
scripts/symbols.sh

step "analyzers over the C"
scripts/analyse.sh

step "constant time: no branch and no address depends on a secret"
KIST_TIMED=no scripts/constant-time.sh

step "every suite, none skipped"
CI=true scripts/test.sh

step "2,000 histories"
scripts/simulation.sh | tail --lines=1

step "additions: an operation, a released field, a status, a metric and a setting take few files"
scripts/additions.sh

# In a debug build Swift's own checks trap before AddressSanitizer sees anything, so it gets a release build.
step "AddressSanitizer"
scripts/sanitized.sh address -c release -Xswiftc -enable-testing

step "ThreadSanitizer"
scripts/sanitized.sh thread

# It has a build of its own, which nothing else tries.
step "fuzzing, a second for each target"
scripts/fuzz.sh 1

step "Debian 13: everything that .ci/run does on Debian 12"
SUITE=trixie scripts/system-test.sh

step "the fleet on Debian 13, with its PostgreSQL and Python"
CI=true scripts/fleet-trixie.sh

step "containers: what docs/CONTAINERS.md says was run"
scripts/containers-test.sh

echo "check: ok"
