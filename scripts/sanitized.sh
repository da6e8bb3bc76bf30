#!/usr/bin/env bash
# Usage: sanitized.sh address|thread [SWIFT TEST OPTION…] — the unit suites under a sanitizer, in a build of their own.
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizer=$1
shift
# IntegrationTests and CLITests start the programs, which have builds of their own.
# The filter of system calls knows none of a sanitizer's own.
swift test --disable-xctest --sanitize="$sanitizer" --scratch-path ".build-$sanitizer" \
  --skip IntegrationTests --skip CLITests --skip SystemCallFilterTests "$@" 2>&1 | sed '/^◇ .* started\.$/d'
