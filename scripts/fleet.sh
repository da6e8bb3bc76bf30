#!/usr/bin/env bash
# Usage: fleet.sh [BUILD [TEST...]] — hosts that share their claims, with PostgreSQL and its standby in network namespaces; needs root for these.
# With CI=true it is never skipped. KIST_SOAK_TOKENS is for the long form.
set -euo pipefail
cd "$(dirname "$0")/.."

if ((EUID == 0)); then
  root=()
elif sudo --non-interactive true 2>/dev/null; then
  root=(sudo --preserve-env=KIST_SOAK_TOKENS,KIST_SOAK_SEED)
elif [[ ${CI:-false} == true ]]; then
  echo "fleet: run as root: it makes network namespaces" >&2
  exit 1
else
  echo "fleet: skipped: it needs root, for network namespaces"
  exit 0
fi
(($#)) || set -- .build/debug
# In the long form a token has five seconds.
exec "${root[@]}" timeout $((600 + 5 * ${KIST_SOAK_TOKENS:-0})) python3 -B Tests/fleet/run.py "$@"
