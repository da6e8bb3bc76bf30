#!/usr/bin/env bash
# Usage: simulation.sh [COUNT [FROM]] — plays the histories of COUNT (2000) seeds on as many processors as there are, after it has shown that
# the same seed has the same history, whatever was played before. KIST_SIM names a kist-sim that is there already, such as the debug build's.
set -euo pipefail
cd "$(dirname "$0")/.."

count=${1:-2000}
first=${2:-1}
# With the Swift runtime as a library of its own: by that the simulation knows the program's locks from the runtime's.
simulation=${KIST_SIM:-.build-sim/release/kist-sim}
[[ -n ${KIST_SIM:-} ]] || swift build -c release --build-path .build-sim --product kist-sim

digests_of() { "$simulation" --tell "$@" | grep '^seed ' | sort; }
diff <(digests_of 1 2 3 4 5 6 7 8) <(digests_of 8 7 6 5 4 3 2 1) || { echo "simulation: a seed has two histories" >&2; exit 1; }

parts=$(nproc)
each=$(((count + parts - 1) / parts))
# Of this run's own: another may play in the same tree.
logs=$(mktemp --directory)
trap 'rm -r "$logs"' EXIT
players=()
for ((part = 0; part < parts; part++)); do
  "$simulation" --seeds "$each" --from $((first + part * each)) >"$logs/$part" &
  players+=($!)
done
failed=0
for player in "${players[@]}"; do wait "$player" || failed=1; done
# What surprised, and then how often each act came to what.
sed --separate '/ histories, /,$d' "$logs"/*
awk -F '\t' '
  / histories, / { split($1, word, " "); histories += word[1]; surprises += word[3] }
  NF == 2 { sum[$2] += $1 }
  / times another thread / { switches += $1 }
  END {
    for (kind in sum) printf "%9d  %s\n", sum[kind], kind | "sort --key 2"
    close("sort --key 2")
    printf "%d histories, %d surprises; another thread went on %d times\n", histories, surprises, switches
  }' "$logs"/*
exit "$failed"
