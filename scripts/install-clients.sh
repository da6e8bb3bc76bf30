#!/usr/bin/env bash
# Copies the clients that are used as they are written, in Go, Node and PHP, to where Debian's packages have them below $DESTDIR$PREFIX.
set -euo pipefail
share=$(realpath --canonicalize-missing "${DESTDIR:-}${PREFIX:-/usr/local}/share")
cd "$(dirname "$0")/../clients"

# put DIRECTORY FILE...
put() {
  install -d "$share/$1"
  install -m 644 "${@:2}" "$share/$1"
}

put gocode/src/kist go/go.mod
for file in go/*.go; do [[ $file == *_test.go ]] || put gocode/src/kist "$file"; done
put gocode/src/kist/kisttest go/kisttest/*.go
put doc/golang-kist-dev go/README.md

put nodejs/kist node/package.json
put nodejs/kist/src node/src/*
put doc/node-kist node/README.md

put php/Kist php/autoload.php
for folder in $(cd php && find src -type d); do put "php/Kist/$folder" php/"$folder"/*.php; done
put doc/php-kist php/README.md
