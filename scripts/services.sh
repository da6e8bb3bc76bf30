#!/usr/bin/env bash
# Usage: services.sh [TESTS...] — the HTTP services: types, then every service as a process of its own against the daemon of the debug build.
# TESTS names files or tests for pytest, in place of all. Only those with network namespaces need root; with CI=true they are never skipped.
set -euo pipefail
cd "$(dirname "$0")/../services"

fail() {
  echo "services: $1" >&2
  exit 1
}

python=${KIST_PYTHON:-$PWD/../.venv/bin/python}
export KIST_PROGRAM=${KIST_PROGRAM:-$PWD/../.build/debug/kist}
[[ -x $KIST_PROGRAM && -x ${KIST_PROGRAM%/*}/kistd && -x ${KIST_PROGRAM%/*}/kistd-keys ]] || fail "there are no kist and kistd beside $KIST_PROGRAM: swift build"
make --no-print-directory --silent --directory ../clients/openssl
export PYTHONPATH=src:shop:../clients/python/src:../clients/python/tests
pytest=("$python" -W error::ResourceWarning -m pytest --quiet -p no:cacheprovider)

if (($#)); then
  exec "${pytest[@]}" --capture=no "$@"
fi

"$python" -m mypy --no-incremental

place=$(mktemp --directory)
trap 'rm -r "$place"' EXIT
tests=830 beside=()
if ((EUID != 0)); then
  [[ ${CI:-false} != true ]] || fail "run as root: tests/test_renew_namespaces.py makes network namespaces"
  echo "services: tests/test_renew_namespaces.py is skipped: it needs root, for network namespaces"
  beside=(--ignore=tests/test_renew_namespaces.py)
fi
# They wait for half of their time: for kills, time-outs, and those who are slow on purpose.
"${pytest[@]}" --numprocesses=3 --dist=loadfile "${beside[@]}" tests | tee "$place/log"
passed=$(sed --quiet 's/^\([0-9]*\) passed\b.*/\1/p' "$place/log")
((${passed:-0} >= tests)) || fail "${passed:-0} tests passed, of at least $tests"

# Rows of the documents name tests that are there.
for test in $(grep --only-matching --no-filename --extended-regexp '\btest_\w+_\w+' COVERAGE.md ../docs/THREATS.md | sort --unique); do
  grep --quiet --recursive --extended-regexp "def $test\(" tests || fail "COVERAGE.md or THREATS.md names $test, which no file has"
done
