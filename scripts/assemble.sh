#!/usr/bin/env bash
# assemble.sh KEY FOLDER: puts what .build-deb has into a new FOLDER as a release: packages, bill of materials, provenance, notes, checksums, and
# a signature of these by an SSH key, which may be a public key whose private one is in an agent.
set -euo pipefail

key=$(realpath "$1") folder=$(realpath --canonicalize-missing "$2")
cd "$(dirname "$0")/.."

fail() {
  echo "assemble: $1" >&2
  exit 1
}

packages=(.build-deb/*.deb)
[[ -f ${packages[0]} ]] || fail "there are no packages; run 'make deb' first"
[[ ! -e $folder ]] || fail "$folder exists already"
version=$(dpkg-parsechangelog --show-field Version)

# notes HEADING: what CHANGELOG.md says below it.
notes() { sed --quiet "/^## \[$1\]/,/^## \[/{/^## \[/d;p}" CHANGELOG.md; }

mkdir -p "$folder"
trap 'rm -rf "$folder"' ERR
cp "${packages[@]}" .build-deb/kist.cdx.json .build-deb/kist.provenance.json "$folder"
notes "$version" >"$folder/NOTES.md"
if [[ ! -s $folder/NOTES.md ]]; then
  [[ ${TRIAL:-} == 1 ]] || fail "CHANGELOG.md has no section [$version]; TRIAL=1 takes [Unreleased]"
  notes Unreleased >"$folder/NOTES.md"
fi
(cd "$folder" && LC_ALL=C && sha256sum -- * >SHA256SUMS)
ssh-keygen -q -Y sign -n kist-release -f "$key" "$folder/SHA256SUMS"
