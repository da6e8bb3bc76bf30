#!/usr/bin/env bash
# Opens a payment token in a sandbox and shows what came of it; `make demo` runs it.
# Builds the release binaries first, unless KIST_BIN names a directory that holds others.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ -n ${KIST_BIN:-} ]] || make --no-print-directory build
bin=$(realpath "${KIST_BIN:-.build/release}")
kist=$bin/kist

fail() {
  echo "demo: $1" >&2
  exit 1
}

work=$(mktemp --directory --tmpdir=/tmp kist-demo-XXXXXX)
sandbox=$work/sandbox
daemon=
cleanup() {
  [[ -z $daemon ]] || kill "$daemon" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap cleanup EXIT

step() { printf '\n== %s\n' "$1"; }
show() { echo "$ ${*/#"$bin/"/}"; }

run() {
  show "$@"
  "$@"
}

# refused STATUS COMMAND...: the daemon must answer with this status, and with nothing else.
refused() {
  local status=$1 code=0
  shift
  show "$@"
  "$@" >"$work/output" 2>"$work/complaint" || code=$?
  cat "$work/output" "$work/complaint"
  if ((code != 1)) || [[ -s $work/output ]] || ! grep --quiet ": $status " "$work/complaint"; then
    fail "'$status' was expected, not exit code $code"
  fi
}

step "a throw-away daemon, with a key store, a policy and a test Apple PKI of its own"
show "$kist" sandbox run --dir "$sandbox"
touch "$work/daemon.log"
"$kist" sandbox run --dir "$sandbox" >"$work/environment" 2>"$work/daemon.log" &
daemon=$!
for ((tenths = 0; ; tenths++)); do
  kill -0 "$daemon" 2>/dev/null || fail "kistd ended: $(cat "$work/daemon.log")"
  if grep --quiet event=ready "$work/daemon.log"; then break; fi
  ((tenths < 150)) || fail "kistd is not ready after 15 s: $(cat "$work/daemon.log")"
  sleep 0.1
done
cat "$work/environment" "$work/daemon.log"
set -o allexport
source "$work/environment"
set +o allexport

step "a fresh token, as Apple would send it"
show "$kist" sandbox token
"$kist" sandbox token >"$work/token.json"
printf '%.120s...\n' "$(<"$work/token.json")"

step "opened: the fields that grant 'shop' releases, and no others"
run "$kist" token open "$work/token.json"

step "refused: the same token again"
refused rejected "$kist" token open "$work/token.json"

step "refused: a token for a key that no grant names"
show "$kist" sandbox token --key merchant/other/processing-ec
"$kist" sandbox token --key merchant/other/processing-ec >"$work/other.json"
refused denied "$kist" token open "$work/other.json"

if ((EUID == 0)); then
  step "refused: a caller whom no grant names"
  # Copies that this user can reach; the socket lets everybody in, to be refused.
  chmod 711 "$work"
  install --mode=755 "$kist" "$work/kist"
  "$kist" sandbox token >"$work/fresh.json"
  chmod 644 "$work/fresh.json"
  refused denied setpriv --reuid=daemon --regid=daemon --clear-groups "$work/kist" token open "$work/fresh.json"
fi

step "the audit log has a record of each"
run "$kist" audit tail "$sandbox/audit"

step "and verifies with the log's public key alone"
run "$kist" audit verify "$sandbox/audit" --key "$sandbox/audit.vkey"

step "the daemon stops when told to"
kill -TERM "$daemon"
wait "$daemon" || fail "kistd ended with exit code $?"
daemon=
tail --lines=1 "$work/daemon.log"

echo "demo: ok"
