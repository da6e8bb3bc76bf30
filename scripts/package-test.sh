#!/usr/bin/env bash
# What Debian asks of packages, of those in .build-deb: piuparts installs and purges them and looks for what is left, autopkgtest runs debian/tests.
# `make package-test` runs it, as root.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "package test: $1" >&2
  exit 1
}

((EUID == 0)) || fail "it must be root, for it installs the packages below another root"
packages=(.build-deb/*.deb)
[[ -f ${packages[0]} ]] || fail "there are no packages; run 'make deb' first"
scripts/deps.sh mmdebstrap piuparts autopkgtest
archive=$(scripts/debian-root.sh)

work=$(mktemp --directory)
mounted=()
cleanup() {
  for place in "${mounted[@]}"; do umount --recursive "$place"; done
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT

# Systemd is there already: what its own installation leaves is not ours.
gzip --fast <"$archive" >"$work/root.tgz"
piuparts --distribution=bookworm --basetgz="$work/root.tgz" --tmpdir="$work" --no-eatmydata --no-upgrade-test \
  "${packages[@]}" >"$work/piuparts.log" 2>&1 || { tail --lines=50 "$work/piuparts.log"; fail "piuparts"; }
grep 'PASS' "$work/piuparts.log"

root=$work/root
mkdir "$root" "$work/source"
tar --extract --numeric-owner --xattrs --file "$archive" --directory "$root"
for place in dev proc sys; do
  mount --rbind --make-rslave "/$place" "$root/$place"
  mounted=("$root/$place" "${mounted[@]}")
done
chroot "$root" apt-get update --quiet
cp --archive --parents debian/{changelog,control,tests} "$work/source"
TMPDIR=/tmp autopkgtest "${packages[@]}" "$work/source/" -- chroot "$root"
echo "package test: ok"
