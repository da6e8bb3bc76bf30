#!/usr/bin/env bash
# fleet-trixie.sh [BUILD [TEST...]]: the fleet's tests in a root of Debian 13, with its PostgreSQL and its Python; needs root.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "fleet on Debian 13: skipped: $1"
  [[ ${CI:-} != true ]] || exit 1
  exit 0
}

((EUID == 0)) || skip "it makes network namespaces, for which it must be root"
archive=$(scripts/debian-root.sh trixie gcc iproute2 libc6-dev libpq-dev mount postgresql) || skip "no Debian trixie can be fetched"
(($#)) || set -- .build/release
# What is mounted below it goes with the namespace, before the folder does.
root=$(mktemp --directory)
trap 'rm --recursive --force --one-file-system "$root"' EXIT
tar --extract --file "$archive" --directory "$root"
mkdir "$root/checkout"
# shellcheck disable=SC2016  # for the shell inside
unshare --mount bash -euc '
  mount --bind "$0" "$0"
  cd "$0"
  mount --bind "$1" checkout
  mount --types proc proc proc
  mount --rbind /sys sys
  mount --rbind /dev dev
  for folder in run tmp; do mount --types tmpfs tmpfs "$folder"; done
  exec chroot . bash -euc "cd /checkout && psql --version && exec timeout 600 python3 -B Tests/fleet/run.py \"\$@\"" fleet "${@:2}"
' "$root" "$PWD" "$@"
