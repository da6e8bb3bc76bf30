#!/usr/bin/env bash
# Copies what `make build clients services` built to $DESTDIR$PREFIX; `make install` runs it.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-$prefix/lib}
unitdir=${UNITDIR:-$prefix/lib/systemd/system}
pythondir=${PYTHONDIR:-$prefix/lib/python3/dist-packages}
built=${BUILT:-.build/release}
share=$prefix/share

fail() {
  echo "install: $1" >&2
  exit 1
}

wheels=(clients/python/dist/*.whl services/dist/*.whl)
[[ -x $built/kistd && -x $built/kistd-keys && -x $built/kist && -x $built/kist-claimd && -f ${wheels[0]} && -f ${wheels[1]} ]] ||
  fail "there is nothing to install yet; run 'make build clients services' first"
[[ ${#wheels[@]} == 2 ]] || fail "there are ${#wheels[@]} wheels in clients/python/dist and services/dist; remove all but one of each"

# put MODE DIRECTORY FILE...: copies files below DESTDIR.
put() {
  local mode=$1 directory=${DESTDIR:-}$2
  shift 2
  install -d "$directory"
  install -m "$mode" "$@" "$directory"
}

# unit FILE: a unit that starts a daemon from where it is installed.
unit() {
  install -d "${DESTDIR:-}$unitdir"
  sed "s|/usr/sbin/kist|$prefix/sbin/kist|; s|/usr/libexec/kist|$prefix/libexec/kist|" "$1" >"${DESTDIR:-}$unitdir/$(basename "$1")"
  chmod 644 "${DESTDIR:-}$unitdir/$(basename "$1")"
}

put 755 "$prefix/bin" "$built/kist"
put 755 "$prefix/sbin" "$built/kistd" "$built/kistd-keys" "$built/kist-claimd"
for file in {packaging,services}/systemd/*.{service,socket} packaging/systemd/*.{timer,path}; do unit "$file"; done
put 644 "$prefix/lib/sysusers.d" {packaging,services}/systemd/sysusers.d/*.conf
put 644 "${SYSCONFDIR:-$prefix/etc}/needrestart/conf.d" packaging/needrestart/kist.conf
put 644 "$prefix/lib/tmpfiles.d" {packaging,services}/systemd/tmpfiles.d/*.conf

for page in packaging/man/*.[1578]; do put 644 "$share/man/man${page##*.}" "$page"; done
install -d "${DESTDIR:-}$share/bash-completion/completions"
install -m 644 packaging/completions/kist.bash "${DESTDIR:-}$share/bash-completion/completions/kist"
put 644 "$share/zsh/vendor-completions" packaging/completions/_kist
put 644 "$share/fish/vendor_completions.d" packaging/completions/kist.fish

examples=$share/doc/kistd/examples
put 644 "$examples" packaging/example/*.toml
put 644 "$examples/policy.d" packaging/example/policy.d/*.toml
put 644 "$examples/ceremonies" packaging/example/ceremonies/*.toml
put 644 "$share/doc/kist-claimd/examples" packaging/example/fleet/claimd.toml
put 755 "$prefix/libexec/kist" packaging/canary/kist-canary packaging/pack/kist-audit-pack packaging/pack/kist-cbom packaging/witness/kist-cosign
put 755 "$examples/witness" packaging/witness/kist-witness.py
put 644 "$examples/prometheus" packaging/prometheus/*
put 644 "$unitdir" services/systemd/kist-renew.service services/systemd/kist-renew.timer
put 644 "$unitdir/kist-service@keys.service.d" services/systemd/kist-service@keys.service.d/operators.conf
put 644 "$unitdir/kist-service@sessions.service.d" services/systemd/kist-service@sessions.service.d/network.conf
put 644 "$share/kist-services" services/openssl.cnf
put 644 "$share/doc/kist-services" services/COVERAGE.md
put 644 "$share/doc/kist-services/examples/openapi" services/openapi/*.json
put 644 "$share/doc/kist-services/examples" services/example/*.toml services/policy-cases.toml
put 644 "$share/doc/kist-services/examples/policy" services/policy/*.toml
put 644 "$share/doc/kist-services/examples/nginx" services/nginx/kist-services.conf
put 644 "$share/doc/kist" README.md CONTRIBUTING.md SECURITY.md
put 644 "$share/doc/kist/docs" docs/*.md
put 644 "$share/doc/kist/docs/tutorials" docs/tutorials/*.md
put 644 "$share/doc/kist/docs/from" docs/from/*.md
put 644 "$share/doc/kist/corpus" corpus/README.md corpus/RESULTS.md
put 644 "$share/doc/kist/proto" proto/*.md proto/kist.proto
put 644 "$share/doc/kist/clients" clients/README.md

PREFIX=$prefix scripts/install-clients.sh

# Also the library's manual page.
make --no-print-directory --directory clients/c install DESTDIR="${DESTDIR:+$(realpath "$DESTDIR")}" PREFIX="$prefix" LIBDIR="$libdir"
make --no-print-directory --directory clients/openssl install DESTDIR="${DESTDIR:+$(realpath "$DESTDIR")}" LIBDIR="$libdir"
make --no-print-directory --directory clients/pkcs11 install DESTDIR="${DESTDIR:+$(realpath "$DESTDIR")}" PREFIX="$prefix" LIBDIR="$libdir"

install -d "${DESTDIR:-}$pythondir"
for wheel in "${wheels[@]}"; do python3 -m zipfile --extract "$wheel" "${DESTDIR:-}$pythondir"; done
