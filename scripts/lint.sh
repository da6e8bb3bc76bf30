#!/usr/bin/env bash
# The rules that need no test to run: format, those of CONTRIBUTING.md that a program can check, layers.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$1"; }

step "format"
swift format lint --strict --recursive --parallel Package.swift Sources Tests clients/swift

step "manual pages"
warnings=$(for page in packaging/man/*; do groff -mandoc -Tutf8 -ww -z "$page"; done 2>&1)
[[ -z $warnings ]] || { echo "$warnings" >&2; exit 1; }

step "generated: messages and the clients' tables are what proto/generate.py makes of kist.proto"
proto/generate.py --check

step "rules: where unsafe stands, imports, sizes, tokens, default in switches, duplicates"
scripts/rules.py

step "planted: the mistakes that make sim-planted plants fit the sources"
for mistake in Tests/Planted/*.patch; do
  patch --dry-run --quiet --strip 1 --forward <"$mistake" >/dev/null || { echo "$mistake does not fit" >&2; exit 1; }
done

step "layers: a target imports only what its row in Package.swift names"
swift build --build-tests --explicit-target-dependency-import-check error

echo "lint: ok"
