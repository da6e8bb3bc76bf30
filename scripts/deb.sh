#!/usr/bin/env bash
# Builds the Debian packages into .build-deb and has lintian look at them.
set -euo pipefail
cd "$(dirname "$0")/.."

export DEB_OUTPUT=$PWD/.build-deb
# All times in the packages, and in what lies beside them.
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog --show-field Timestamp)
export SOURCE_DATE_EPOCH
rm -rf "$DEB_OUTPUT"
mkdir -p "$DEB_OUTPUT"
dpkg-buildpackage --build=binary --no-sign --no-pre-clean \
  --buildinfo-file="$DEB_OUTPUT/kist.buildinfo" --changes-file="$DEB_OUTPUT/kist.changes" --changes-option="-u$DEB_OUTPUT" --buildinfo-option="-u$DEB_OUTPUT"
scripts/sbom.py debian/kistd/usr/sbin/kistd debian/kistd/usr/sbin/kistd-keys debian/kist/usr/bin/kist debian/kist-claimd/usr/sbin/kist-claimd \
  debian/kist-openssl/usr/lib/*/ossl-modules/kist.so debian/kist-pkcs11/usr/lib/*/pkcs11/kist-pkcs11.so debian/libkist0/usr/lib/*/libkist.so.0 >"$DEB_OUTPUT/kist.cdx.json"
scripts/provenance.py "$DEB_OUTPUT" >"$DEB_OUTPUT/kist.provenance.json"
lintian --fail-on error,warning --info "$DEB_OUTPUT"/*.deb
dh_clean
ls -l "$DEB_OUTPUT"/*.deb
