#!/usr/bin/env bash
# Does what docs/CONTAINERS.md says, with podman and a root of Debian 13: services in containers before a daemon of the host, and a daemon in a container.
# `make containers-test` runs it, as root, on the release build. Here containers have no cgroups of their own, so what scopes and quadlets do is not run.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "containers test: $1" >&2
  exit 1
}

((EUID == 0)) || fail "it makes users of several namespaces, for which it must be root"
[[ -x .build/release/kist ]] || fail "there is no release build; run 'make build' first"
scripts/deps.sh mmdebstrap podman crun
image=localhost/kist-containers-test
podman import --quiet "$(scripts/debian-root.sh trixie)" "$image" >/dev/null

place=$(mktemp --directory)
chmod 755 "$place"
daemon=
cleanup() {
  [[ -z $daemon ]] || kill "$daemon" 2>/dev/null || true
  podman image rm --force "$image" >/dev/null 2>&1 || true
  rm -rf "$place"
}
trap cleanup EXIT

# container OPTION… -- COMMAND…: with a hierarchy of cgroups that crun takes on hosts that have the old one, too.
container() {
  local options=()
  while [[ $1 != -- ]]; do options+=("$1") && shift; done
  shift
  unshare --mount bash -c 'mount -t cgroup2 none /sys/fs/cgroup && exec "$@"' -- podman run --rm --cgroups=disabled --network=none \
    --ulimit nofile=4096:4096 --ulimit nproc=1000:1000 --volume "$PWD/.build/release:/opt/kist:ro" "${options[@]}" "$image" "$@"
}

start() {
  .build/release/kist sandbox run --dir "$place/box" >"$place/log" 2>&1 &
  daemon=$!
  until KIST_ENDPOINT=unix:$place/box/run/kist.sock .build/release/kist ping >/dev/null 2>&1; do
    kill -0 "$daemon" || { cat "$place/log"; fail "the daemon does not start"; }
    sleep 0.1
  done
}

# is NAME GRANT OPTION…: a container with these options has this grant; - is none.
is() {
  local name=$1 grant=$2 said
  shift 2
  said=$(container --volume "$place/box/run:/run/kist" "$@" -- /opt/kist/kist who --socket /run/kist/kist.sock 2>&1) || true
  if [[ $grant == - ]]; then
    grep --quiet denied <<<"$said" || fail "$name: $said"
  else
    grep --quiet "^grant $grant\$" <<<"$said" || fail "$name: $said"
  fi
  echo "containers: $name: ok"
}

cat >"$place/policy.toml" <<'TOML'
[[grant]]
id = "orders"
users = [300000]
operations = ["random", "who"]

[[grant]]
id = "gateway"
users = [400000]
operations = ["random", "who"]

[[grant]]
id = "plain"
users = [1000]
operations = ["random", "who"]
TOML
.build/release/kist sandbox init --policy "$place/policy.toml" "$place/box" >/dev/null
chmod 755 "$place/box" "$place/box/run"
start

is "a container with a range of uids of its own is the first of them" orders --uidmap 0:300000:65536
is "and another is another" gateway --uidmap 0:400000:65536
is "a user in such a container is another uid of the range, which policy does not name" - --uidmap 0:300000:65536 --user 5
is "without a range, User= is the host's uid" plain --user 1000
is "so another container with the same one is the same caller" plain --user 1000 --hostname another
is "a container that runs as root without a range is the host's root" operator

# The directory is mounted, so a socket that is made anew is seen.
container --volume "$place/box/run:/run/kist" --uidmap 0:300000:65536 -- bash -c \
  'timeout 60 bash -c "until [[ -e /run/kist/again ]]; do sleep 0.1; done" && /opt/kist/kist who --socket /run/kist/kist.sock' >"$place/said" 2>&1 &
asking=$!
kill "$daemon" && wait "$daemon" || true
start
touch "$place/box/run/again"
wait "$asking" || { cat "$place/said"; fail "after a restart of the daemon"; }
grep --quiet '^grant orders$' "$place/said" || fail "after a restart: $(<"$place/said")"
echo "containers: a container that was there before the daemon reaches it after a restart: ok"

cat >"$place/inside" <<'INSIDE'
set -euo pipefail
export KIST_SANDBOX=/tmp/box KIST_ENDPOINT=unix:/tmp/box/run/kist.sock PATH=/opt/kist:$PATH
kist sandbox init "$KIST_SANDBOX" >/dev/null
kist sandbox run --dir "$KIST_SANDBOX" 2>/tmp/log >&2 &
until kist ping >/dev/null 2>&1; do sleep 0.1; done
kist status --memory
kist sandbox token --dir "$KIST_SANDBOX" --amount 1499 | kist token open -
INSIDE
said=$(container --volume "$place/inside:/inside:ro" -- timeout 60 bash /inside 2>&1) || fail "a daemon in a container: $said"
for promise in "arena  *memfd_secret" "stacks  *memfd_secret" "held  *no other process can map the secrets" "held  *a system call that serving does not need" \
  "held  *no file outside its own directories" "amount  *1499"; do
  grep --quiet "^$promise" <<<"$said" || fail "a daemon in a container lacks '$promise': $said"
done
echo "containers: a daemon in a container has what it has on a host, under podman's own seccomp profile: ok"
