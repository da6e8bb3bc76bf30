#!/usr/bin/env bash
# Every file in Tests/CompileFail says with `// expect:` how the compiler must refuse it, in all its errors; Control.swift must compile.
# They are compiled against the debug build, so run that first.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=$(swift build --show-bin-path)/Modules
# SwiftPM names the package after its folder, and `package` access needs that very name.
package=$(grep --only-matching --max-count 1 '"-package-name","[^"]*"' .build/debug.yaml | head -1 | cut -d'"' -f4)
flags=(
  -swift-version 6 -parse-as-library -package-name "$package" -I "$modules"
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
  -enable-upcoming-feature MemberImportVisibility -enable-experimental-feature Lifetimes
)
for map in "$modules"/../*.build/module.modulemap Sources/*/module.modulemap; do
  flags+=(-Xcc "-fmodule-map-file=$map")
done

# Ownership and lifetimes are checked on SIL, so type checking alone is not enough.
errors_of() { swiftc "${flags[@]}" -emit-sil -o /dev/null "$1" 2>&1 | grep --extended-regexp '(^|: )error: ' || true; }

passed=0 failed=0
for file in Tests/CompileFail/*.swift; do
  expected=$(sed -n 's|^// expect: ||p' "$file")
  errors=$(errors_of "$file")
  unexpected=$(grep --invert-match --fixed-strings -- "${expected:-no error at all}" <<<"$errors" || true)
  if [[ -z $unexpected && (-n $errors || -z $expected) ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: expected %s, got:\n%s\n' "$file" "${expected:-it to compile}" "${errors:-no error}"
  fi
done
echo "misuses: $passed passed, $failed failed"
((failed == 0))
