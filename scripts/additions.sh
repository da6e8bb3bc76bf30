#!/usr/bin/env bash
# Usage: additions.sh [ADDITION…] — makes each addition of Tests/Additions, or these, in a copy of the sources: an operation, a released field, a status,
# a metric and a setting. A patch says how many files of Sources it may touch; what it leaves to write, proto/generate.py writes; then everything has to compile.
set -euo pipefail
cd "$(dirname "$0")/.."

additions=("${@/%/.patch}")
additions=("${additions[@]/#/Tests/Additions/}")
(($#)) || additions=(Tests/Additions/*.patch)
folder=$PWD/.build-additions
copy=$folder/tree
mkdir -p "$copy"

failed=0
for patch in "${additions[@]}"; do
  name=$(basename "$patch" .patch)
  rm -rf "$copy"/{Sources,Tests,clients,proto,Package.swift}
  # With the times of the files, so that only what changes is compiled again.
  cp --archive Sources Tests clients proto Package.swift .swift-format "$copy/"
  most=$(sed -n 's/^At most //p' "$patch")
  touched=$(grep -c '^diff --git a/Sources/' "$patch")
  if ((touched > most)); then
    said="touches $touched files of Sources, at most $most"
  elif ! patch --quiet --directory "$copy" --strip 1 --forward <"$patch" >/dev/null; then
    said='does not fit the sources'
  elif ! (cd "$copy" && proto/generate.py && swift build) >"$folder/$name.log" 2>&1; then
    said="does not compile: .build-additions/$name.log"
  else
    printf '%-16s %s files of Sources\n' "$name" "$touched"
    continue
  fi
  printf '%-16s %s\n' "$name" "$said"
  failed=1
done
exit "$failed"
