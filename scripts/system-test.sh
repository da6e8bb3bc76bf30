#!/usr/bin/env bash
# Boots a Debian 12 machine in a container, installs the packages there, and does what operators do; `make system-test` runs it.
# system-test.sh [AREA...]: all of Tests/system, or these parts of it. KEEP_PACKAGES=1 takes the packages that are in .build-deb already. Where it cannot run it says why, and fails if CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "system test: skipped: $1"
  [[ ${CI:-} != true ]] || exit 1
  exit 0
}

((EUID == 0)) || skip "it boots a container, for which it must be root"
[[ $(. /etc/os-release && echo "$VERSION_CODENAME") == bookworm ]] || skip "the packages are for Debian 12"
scripts/deps.sh mmdebstrap systemd-container || skip "mmdebstrap and systemd-container cannot be installed"

build=.build-system
# What the packages depend on, and what the steps use; the machine has no network.
contents=acl,dbus,libseccomp2,libsodium23,libssl3,libstdc++6,man-db,procps,python3,systemd,systemd-sysv,tpm2-tools
archive=$build/root-$(sha256sum <<<"$contents" | cut -c 1-12).tar
if [[ ! -f $archive ]]; then
  mkdir -p "$build"
  mmdebstrap --quiet --format=tar --variant=apt --include="$contents" bookworm "$archive.new" || skip "no Debian 12 can be fetched"
  mv "$archive.new" "$archive"
fi

[[ ${KEEP_PACKAGES:-} == 1 ]] || make --no-print-directory deb >"$build/deb.log" || { tail -50 "$build/deb.log"; exit 1; }
exec python3 Tests/system/run.py "$archive" .build-deb "$build/machine" "$@"
