#!/usr/bin/env bash
# Usage: planted.sh [SEEDS [MISTAKE…]] — plants each mistake of Tests/Planted, or these, into a copy of the sources, and has the simulation find it.
# A mistake that SEEDS (20000) histories do not find, or that no longer fits the sources, is a failure. Where the simulation does not reach,
# since it has one host and no fleet, a patch begins with `Found by SUITE`, a suite of the tests that must fail.
set -euo pipefail
cd "$(dirname "$0")/.."

seeds=${1:-20000}
shift || true
mistakes=("${@/%/.patch}")
mistakes=("${mistakes[@]/#/Tests/Planted/}")
(($#)) || mistakes=(Tests/Planted/*.patch)
root=$PWD
copy=$root/.build-planted/tree
mkdir -p "$copy"
# With the times of the files, so that only what a mistake touches is compiled again.
take() {
  rm -rf "$copy"/{Sources,Tests,clients,Package.swift}
  cp --archive Sources Tests clients Package.swift "$copy/"
}

failed=0
printf '%-40s %s\n' mistake 'found after'
for patch in "${mistakes[@]}"; do
  name=$(basename "$patch" .patch)
  take
  if ! patch --quiet --directory "$copy" --strip 1 --forward <"$patch" >/dev/null; then
    printf '%-40s %s\n' "$name" 'does not fit the sources'
    failed=1
    continue
  fi
  suite=$(sed -n 's/^Found by //p' "$patch")
  if [[ $suite ]]; then
    swift build --build-tests --package-path "$copy" >"$root/.build-planted/$name.log" 2>&1 ||
      { printf '%-40s %s\n' "$name" "does not compile: .build-planted/$name.log"; failed=1; continue; }
    swift test --skip-build --disable-xctest --package-path "$copy" --filter "$suite" >>"$root/.build-planted/$name.log" 2>&1 && found=never || found="a test of $suite"
    [[ $found != never ]] || failed=1
    printf '%-40s %s\n' "$name" "$found"
    continue
  fi
  swift build --configuration release --package-path "$copy" --product kist-sim >"$root/.build-planted/$name.log" 2>&1 ||
    { printf '%-40s %s\n' "$name" "does not compile: .build-planted/$name.log"; failed=1; continue; }
  told=$("$copy/.build/release/kist-sim" --seeds "$seeds" --first) && found=never || found="$(sed -n 's/^\([0-9]*\) histories.*/\1/p' <<<"$told") histories"
  [[ $found != never ]] || failed=1
  printf '%-40s %s\n' "$name" "$found"
  echo "$told" >>"$root/.build-planted/$name.log"
done
exit "$failed"
