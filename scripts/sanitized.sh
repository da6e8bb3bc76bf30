#!/usr/bin/env bash
# Usage: sanitized.sh address|thread [SWIFT TEST OPTION…] — the unit suites under a sanitizer, in a build of their own.
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizer=$1
shift
# The arena's guard pages must fault as in production; leaks are the test library's.
# Frames stay on the stack, where tests look for them: a stack in ASan's own heap is no stack.
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:detect_stack_use_after_return=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export TSAN_OPTIONS=handle_segv=0${TSAN_OPTIONS:+:$TSAN_OPTIONS}
# Suites that start the programs are not even built: those have builds of their own, and the compiler
# ends with an internal error over them in a release build under AddressSanitizer.
# The filter of system calls knows none of a sanitizer's own. AddressSanitizer puts zones around every local value, so frames have other sizes.
skipped=(--skip SystemCallFilterTests)
[[ $sanitizer != address ]] || skipped+=(--skip StackDepthTests)
SANITIZED=1 swift test --disable-xctest --sanitize="$sanitizer" --scratch-path ".build-$sanitizer" \
  "${skipped[@]}" "$@" 2>&1 | sed '/^◇ .* started\.$/d'
