#!/usr/bin/env bash
# The suite's fault and flood tests in their long form, and their figures; KIST_SOAK_ROUNDS says how long (default 500).
set -euo pipefail
cd "$(dirname "$0")/.."

export KIST_SOAK_ROUNDS=${KIST_SOAK_ROUNDS:-500}
export KIST_VECTORS=${KIST_VECTORS:-$(realpath --canonicalize-missing ../shared/vectors)}
export KIST_PYTHON=$PWD/.venv/bin/python

mkdir -p .build
log=.build/soak.log
swift test --disable-xctest --filter 'KillTests|LimitsTests|FaultTests|ConfinementTests|ResidueTests' 2>&1 | tee "$log" | sed '/^◇ .* started\.$/d'

printf '\n== figures\n'
sed -n 's/^soak: //p' "$log"
grep --extended-regexp '^[✔✘] Test run with' "$log"
