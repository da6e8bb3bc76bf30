#!/usr/bin/env bash
# Boots a Debian machine in a container, installs the packages there, and does what operators do; `make system-test` runs it. SUITE=trixie is Debian 13.
# system-test.sh [AREA...]: all of Tests/system, or these parts of it. KEEP_PACKAGES=1 takes the packages that are in .build-deb already; PREVIOUS=COMMIT
# instead upgrades that commit's packages to these and goes back. Where it cannot run it says why, and fails if CI=true.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "system test: skipped: $1"
  [[ ${CI:-} != true ]] || exit 1
  exit 0
}

((EUID == 0)) || skip "it boots a container, for which it must be root"
[[ $(. /etc/os-release && echo "$VERSION_CODENAME") == bookworm ]] || skip "the packages are for Debian 12"
scripts/deps.sh mmdebstrap systemd-container openssh-client || skip "mmdebstrap, systemd-container and openssh-client cannot be installed"

suite=${SUITE:-bookworm}
[[ $suite == bookworm || $suite == trixie ]] || { echo "system test: SUITE is bookworm or trixie, not $suite" >&2; exit 64; }
archive=$(scripts/debian-root.sh "$suite") || skip "no Debian $suite can be fetched"
build=${archive%/*}
# Two at once would share the machine's folder and control group.
exec {lock}>"$build/lock"
flock "$lock"
# Of a test that was killed.
rm -rf --one-file-system "$build/machine"

# packages_of COMMIT: prints the folder of that commit's packages, which are built the first time.
packages_of() {
  local commit folder
  commit=$(git rev-parse --verify --quiet "$1^{commit}") || { echo "system test: there is no commit $1" >&2; return 1; }
  folder=$build/previous-$commit
  if [[ ! -d $folder ]]; then
    rm -rf "$folder.source"
    git clone --quiet . "$folder.source"
    git -C "$folder.source" checkout --quiet "$commit"
    make --no-print-directory --directory "$folder.source" deb >"$folder.log" 2>&1 || { tail --lines=50 "$folder.log" >&2; return 1; }
    mv "$folder.source/.build-deb" "$folder"
    rm -rf "$folder.source"
  fi
  echo "$folder"
}

arguments=("$archive" .build-deb "$build/machine" "$@")
if [[ -n ${PREVIOUS:-} ]]; then
  previous=$(packages_of "$PREVIOUS")
  arguments=(--previous "$previous" "${arguments[@]}")
fi
[[ ${KEEP_PACKAGES:-} == 1 ]] || make --no-print-directory deb >"$build/deb.log" || { tail -50 "$build/deb.log"; exit 1; }
ended=0
python3 Tests/system/run.py "${arguments[@]}" || ended=$?
((ended != 77)) || skip "no container boots here"
exit "$ended"
