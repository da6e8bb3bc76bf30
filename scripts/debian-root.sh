#!/usr/bin/env bash
# debian-root.sh [bookworm|trixie [PACKAGE...]]: prints where a root file system of Debian 12, or 13, is, as a tar archive, with what the tests need and
# these packages; makes it the first time, from the mirror that apt is set to. For root, on Debian 12.
set -euo pipefail
cd "$(dirname "$0")/.."

# What the packages depend on, and what the tests' steps use; the machine has no network.
suite=${1:-bookworm}
contents=acl,curl,dbus,jq,libengine-pkcs11-openssl,libpq5,libseccomp2,libsodium23,libstdc++6,man-db,nginx,openssh-client,openssl,procps,python3,python3-cryptography,python3-defusedxml,python3-starlette
contents+=,python3-uvicorn,systemd,systemd-sysv,tpm2-tools,zstd
case $suite in
  bookworm) contents+=,libssl3 ;;
  trixie) contents+=,libssl3t64 ;;
  *) echo "debian-root: there is no root for $suite" >&2; exit 64 ;;
esac
for package in "${@:2}"; do contents+=,$package; done
archive=.build-system/root-$suite-$(sha256sum <<<"$contents" | cut -c 1-12).tar
if [[ ! -f $archive ]]; then
  mkdir -p .build-system
  mmdebstrap --quiet --format=tar --variant=apt --include="$contents" "$suite" "$archive.new" >&2
  mv "$archive.new" "$archive"
fi
echo "$archive"
