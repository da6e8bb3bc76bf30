#!/usr/bin/env bash
# Prints the path of Prometheus' promtool, which the tests check packaging/prometheus with.
# Where there is none, it is taken out of Debian's package prometheus; installing that would start a server.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v promtool && exit 0

place=$PWD/.build-promtool
if [[ ! -x $place/usr/bin/promtool ]]; then
  rm -rf "$place"
  mkdir -p "$place"
  cd "$place"
  { apt-get download prometheus || { apt-get update --quiet && apt-get download prometheus; }; } >&2
  dpkg-deb --fsys-tarfile prometheus_*.deb | tar --extract ./usr/bin/promtool
  rm prometheus_*.deb
fi
echo "$place/usr/bin/promtool"
