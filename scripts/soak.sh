#!/usr/bin/env bash
# The suite's fault, kill, flood and residue tests in their long form, fuzzing, and one table of what came of it.
# KIST_SERVICES_KILLS says how often to kill something of the HTTP services (200, some ten minutes), KIST_RENEW_MERCHANTS how many merchants' keys
# to rotate on three hosts while payments go on (1000, some half an hour; as root).
# KIST_SOAK_ROUNDS says how often to kill (500), KIST_SOAK_SEEDS how many histories to simulate (20000, some ten minutes), KIST_SOAK_TOKENS how many
# tokens a fleet opens while it is killed (2000, some ten minutes; KIST_SOAK_SEED plays them again), KIST_FUZZ_SECONDS how long to fuzz each target (60;
# 0 for not at all), KIST_SOAK_KEYS how many keys to make and destroy in one store (100000).
set -euo pipefail
cd "$(dirname "$0")/.."

export KIST_SOAK_ROUNDS=${KIST_SOAK_ROUNDS:-500}
export KIST_SOAK_KEYS=${KIST_SOAK_KEYS:-100000}
seconds=${KIST_FUZZ_SECONDS:-60}
export KIST_VECTORS=${KIST_VECTORS:-$(realpath --canonicalize-missing ../shared/vectors)}
export KIST_PYTHON=${KIST_PYTHON:-$PWD/.venv/bin/python}

mkdir -p .build
log=.build/soak.log
# What is measured and what is killed has the machine to itself; the rest goes side by side.
alone='KillTests|LimitsTests|CallersTests'
together='FaultTests|ConfinementTests|ResidueTests|CrashTests|CounterTests|OTPLedgerTests|RecoveryTests|DurableFileTests|ResealTests|AbortTests'
together+='|FixedKeyTests|HollowTests|FormerKeyTests|Tampering|TamperTests'
failed=0
swift build --build-tests
: >"$log"
for suites in "$alone" "$together"; do
  swift test --skip-build --disable-xctest --filter "$suites" 2>&1 | tee --append "$log" | sed '/^◇ .* started\.$/d' || failed=1
done
scripts/simulation.sh "${KIST_SOAK_SEEDS:-20000}" | tee --append "$log" || failed=1
KIST_SOAK_TOKENS=${KIST_SOAK_TOKENS:-2000} scripts/fleet.sh .build/debug openings 2>&1 | tee --append "$log" || failed=1
KIST_SERVICES_KILLS=${KIST_SERVICES_KILLS:-200} scripts/services.sh tests/test_kills.py 2>&1 | tee --append "$log" || failed=1
KIST_RENEW_MERCHANTS=${KIST_RENEW_MERCHANTS:-1000} KIST_PROGRAM=$PWD/.build/release/kist scripts/services.sh tests/test_renew_namespaces.py 2>&1 | tee --append "$log" || failed=1
if ((seconds > 0)); then
  scripts/fuzz.sh "$seconds" 2>&1 | tee --append "$log" || failed=1
fi

printf '\n== what came of it\n'
# Rows of one name are added up.
awk -F ' = ' '
  sub(/^soak: /, "") && NF == 2 { if (!($1 in sum)) names[++count] = $1; sum[$1] += $2 }
  END { for (i = 1; i <= count; i++) printf "%-40s %16.0f\n", names[i], sum[names[i]] }
' "$log"
sed -n 's/^soak: flood .*"ratio": \([0-9.]*\)[0-9]*.*/\1/p' "$log" | xargs --no-run-if-empty printf 'a flood raises p99, times %31.2f\n'
grep --extended-regexp '^[✔✘] Test run with|^[0-9]+ histories, ' "$log"
exit "$failed"
