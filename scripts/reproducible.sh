#!/usr/bin/env bash
# Builds the packages of the last commit twice, in two folders, at two times, with two locales, time zones and umasks, and fails unless both are the
# same, byte for byte; `make reproducible` runs it. The packages are left in .build-deb.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh debhelper dh-python lintian diffoscope-minimal

commit=$(git rev-parse HEAD)
build=$PWD/.build-reproducible
rm -rf "$build"

# packages FOLDER UMASK WORDS...: the last commit's packages, built in FOLDER under this umask and `env WORDS...`.
packages() {
  local folder=$build/$1 mask=$2
  shift 2
  git clone --quiet . "$folder"
  git -C "$folder" checkout --quiet "$commit"
  echo "reproducible: umask $mask, $* make deb, in $folder"
  (umask "$mask" && cd "$folder" && env "$@" make --no-print-directory deb >deb.log 2>&1) || { tail --lines=50 "$folder/deb.log"; exit 1; }
}

packages first/kist 022 TZ=UTC LC_ALL=C.UTF-8
packages second-place/kist-source 077 TZ=Pacific/Kiritimati LC_ALL=C

first=$build/first/kist/.build-deb second=$build/second-place/kist-source/.build-deb
different=0
for file in "$first"/*.deb "$first"/kist.{cdx,provenance}.json; do
  if cmp --silent "$file" "$second/${file##*/}"; then
    sha256sum "$file" | sed "s|$first/||"
  else
    different=1
    echo "reproducible: ${file##*/} differs"
    diffoscope "$file" "$second/${file##*/}" || true
  fi
done
((different == 0)) || exit 1

rm -rf .build-deb
mv "$first" .build-deb
rm -rf "$build"
echo "reproducible: $commit gives the same packages twice"
