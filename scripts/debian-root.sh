#!/usr/bin/env bash
# Prints where a root file system of Debian 12 is, as a tar archive; makes it the first time, from the mirror that apt is set to. For root, on Debian 12.
set -euo pipefail
cd "$(dirname "$0")/.."

# What the packages depend on, and what the tests' steps use; the machine has no network.
contents=acl,curl,dbus,jq,libpq5,libseccomp2,libsodium23,libssl3,libstdc++6,man-db,nginx,openssl,procps,python3,python3-defusedxml,python3-starlette
contents+=,python3-uvicorn,systemd,systemd-sysv,tpm2-tools,zstd
archive=.build-system/root-$(sha256sum <<<"$contents" | cut -c 1-12).tar
if [[ ! -f $archive ]]; then
  mkdir -p .build-system
  mmdebstrap --quiet --format=tar --variant=apt --include="$contents" bookworm "$archive.new" >&2
  mv "$archive.new" "$archive"
fi
echo "$archive"
