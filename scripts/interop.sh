#!/usr/bin/env bash
# Usage: interop.sh SCRIPT — runs it, and prints what it says behind its name, when it ends.
set -euo pipefail
said=$(mktemp)
trap 'rm "$said"' EXIT
ended=0
"${KIST_PYTHON:?}" "$1" >"$said" 2>&1 || ended=$?
printf 'interop: %s%s\n%s\n' "$(basename "$1" .py)" "$( ((ended == 0)) || echo ": FAILED" )" "$(cat "$said")"
exit "$ended"
