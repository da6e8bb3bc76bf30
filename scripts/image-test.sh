#!/usr/bin/env bash
# Tries the image that scripts/image.sh made, with podman, as docs/CONTAINERS.md says: no root, nothing that it could write but its volumes, no shell.
# `make image` runs it, as root.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh podman crun

place=$(mktemp --directory)
image=$(podman load --quiet --input .build-image/kist.tar | sed 's/^Loaded image: //')
cleanup() {
  podman rm --force --time 5 kist-image-test >/dev/null 2>&1 || true
  podman image rm --force "$image" >/dev/null 2>&1 || true
  rm -rf "$place"
}
trap cleanup EXIT

fail() {
  echo "image test: $1" >&2
  exit 1
}

# container OPTION…: as scripts/containers-test.sh runs one.
container() {
  unshare --mount bash -c 'mount -t cgroup2 none /sys/fs/cgroup && exec "$@"' -- podman run --cgroups=disabled --network=none --read-only \
    --ulimit nofile=4096:4096 --ulimit nproc=1000:1000 --volume "$place:/box" "$@"
}

kist() { container --rm --env KIST_ENDPOINT=unix:/box/s/run/kist.sock --env KIST_ADMIN_ENDPOINT=unix:/box/s/run/admin.sock --entrypoint /usr/bin/kist "$image" "$@"; }

# said NAME TEXT WORDS…: these words of kist answer with the text.
said() {
  local name=$1 text=$2 answer
  shift 2
  answer=$(kist "$@" 2>&1) || true
  grep --quiet -- "$text" <<<"$answer" || fail "$name: $answer"
  echo "image: $name: ok"
}

chown 990:990 "$place"
container --rm "$image" --version >/dev/null || fail "it does not start"
code=0
refused=$(container --rm "$image" 2>&1) || code=$?
((code == 78)) && grep --quiet "/etc/kist/kist.toml: cannot be read" <<<"$refused" || fail "without a configuration: $code, $refused"
echo "image: without a configuration it says so: ok"
if container --rm --entrypoint /bin/sh "$image" -c true 2>/dev/null; then fail "it has a shell"; fi
echo "image: no shell: ok"

kist sandbox init /box/s >/dev/null
container --detach --name kist-image-test --entrypoint /usr/bin/kist "$image" sandbox run --dir /box/s >/dev/null
for _ in $(seq 100); do [[ -S $place/s/run/kist.sock ]] && break; sleep 0.1; done
said "another container that has the volume reaches the daemon" "^grant shop\$" who
said "keys are in memory that the kernel itself does not map" "arena  *memfd_secret" status --memory
said "no other process can map them" "held  *no other process can map the secrets" status --memory
said "system calls and files are confined" "held  *no file outside its own directories" status --memory
kist sandbox token --dir /box/s --amount 1499 >"$place/token.json"
said "a token opens" "amount  *1499" token open /box/token.json
