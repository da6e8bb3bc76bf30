#!/usr/bin/env bash
# All that a release needs, of the last commit, and nothing is published; `make release KEY=FILE` runs it, as root: packages built twice alike, installed and
# used on Debian 12 and 13, upgraded to from the build BEFORE (the last tag), with checksums signed by the SSH key. TRIAL=1 is for a version that has no notes yet.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "release: $1" >&2
  exit 1
}

[[ -n ${KEY:-} ]] || fail "which key signs? KEY=FILE, an SSH key"
[[ -z $(git status --porcelain) ]] || fail "there are changes that are not committed"
before=${BEFORE:-$(git describe --tags --abbrev=0 2>/dev/null)} || fail "there is no tag yet: BEFORE=COMMIT says which build people have, BEFORE=none that nobody has one"
folder=.build-release/kist-$(dpkg-parsechangelog --show-field Version)
rm -rf "$folder"

scripts/deps.sh openssh-client
scripts/reproducible.sh
export KEEP_PACKAGES=1
for suite in bookworm trixie; do
  SUITE=$suite scripts/system-test.sh
  [[ $before == none ]] || SUITE=$suite PREVIOUS=$before scripts/system-test.sh
done
scripts/assemble.sh "$KEY" "$folder"
ls -l "$folder"
echo "release: $folder is ready; nothing has been published"
