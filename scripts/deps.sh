#!/usr/bin/env bash
# Installs what Kist is built and tested with, and the packages named as arguments; says at once when there is nothing to do.
set -euo pipefail

packages=(
  g++ pkg-config                                    # the C and C++ parts, and how SwiftPM finds the libraries
  libssl-dev libsodium-dev libseccomp-dev libtomlplusplus-dev libpq-dev libp11-kit-dev    # the libraries
  zstd                                              # kist audit compress
  make valgrind groff-base                          # the C client, and its tests
  nodejs node-typescript                            # the Node client, and its typings
  php-cli phpunit                                   # the PHP client
  openjdk-17-jdk-headless junit5                    # the Java client
  chromium-headless-shell fonts-dejavu-core         # paints kist audit report's page for the test
  systemd swtpm tpm2-tools libtss2-tcti-swtpm0       # systemd-creds, and a TPM in software, to unlock by
  postgresql iproute2                               # a fleet's store, in namespaces of the test's own
  rsync                                             # carries files between its hosts
  oathtool qrencode                                 # a person's authenticator
  less                                              # the pager of kist
  curl                                              # a program that uses keys in files, of which it gets references
  opensc libengine-pkcs11-openssl nginx-light gnutls-bin    # and programs that speak PKCS#11
  patch                                             # plants mistakes for the simulation to find
  protobuf-compiler openssl python3 python3-venv golang-go golang-golang-x-mod-dev    # what the tests compare Kist with
)

fail() {
  echo "deps: $1" >&2
  exit 1
}

command -v swift >/dev/null || fail "there is no swift on the PATH: install a Swift 6.3 toolchain first"
[[ $(swift --version 2>/dev/null) =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] || fail "swift --version says nothing"
version=$((BASH_REMATCH[1] * 100 + BASH_REMATCH[2]))
((version >= 603)) || fail "Swift ${BASH_REMATCH[1]}.${BASH_REMATCH[2]} is too old: install 6.3"

missing=()
for package in "${packages[@]}" "$@"; do
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

if ((EUID == 0)); then
  root=()
elif sudo --non-interactive true 2>/dev/null; then
  root=(sudo)
else
  fail "missing ${missing[*]}; run as root: apt-get install --no-install-recommends ${missing[*]}"
fi
export DEBIAN_FRONTEND=noninteractive
"${root[@]}" apt-get update --quiet
"${root[@]}" apt-get install --yes --quiet --no-install-recommends "${missing[@]}" \
  || fail "apt-get could not install ${missing[*]}"
