#!/usr/bin/env bash
# Puts the clients in Go, Node and PHP, which are used as they are written, and Java's, where Debian's packages have them below $DESTDIR$PREFIX.
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

if ! command -v javac >/dev/null; then
  echo "install: there is no javac, so that the Java client is left out" >&2
  exit
fi
classes=$(mktemp --directory)
trap 'rm -rf "$classes"' EXIT
find java/src/main -name '*.java' -exec javac --release 17 -d "$classes" {} +
version=$(sed --quiet 's:^  <version>\(.*\)</version>$:\1:p' java/pom.xml)
install -d "$share/java"
# The packages' time, so that the same sources give the same file.
jar --create --file "$share/java/kist-$version.jar" ${SOURCE_DATE_EPOCH:+--date="$(date --utc --date="@$SOURCE_DATE_EPOCH" +%FT%TZ)"} -C "$classes" .
chmod 644 "$share/java/kist-$version.jar"
ln -sf "kist-$version.jar" "$share/java/kist.jar"
put doc/libkist-java java/README.md
