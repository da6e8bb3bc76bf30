#!/usr/bin/env bash
# Usage: fuzz.sh SECONDS [TARGET…] — runs each fuzz target that long under libFuzzer and ASan, and says how often and what it found.
# What is found is left in .build-fuzz/findings; put it into Tests/FuzzTests/Corpora with the fix, and the suite replays it.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?how many seconds for each target?}
shift
export SWIFT_BACKTRACE=enable=no
# A fault in the arena's guard pages and a leak of the libraries' once-made tables are no findings.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1

scratch=.build-fuzz
FUZZ=1 swift build -c release -Xswiftc -enable-testing --product kist-fuzz --scratch-path "$scratch"
fuzzer=$(FUZZ=1 swift build -c release --product kist-fuzz --scratch-path "$scratch" --show-bin-path)/kist-fuzz
findings=$scratch/findings
mkdir -p "$findings"

declare -A limits
names=()
while read -r name limit; do
  limits[$name]=$limit
  names+=("$name")
done < <("$fuzzer" --list)
[[ $# == 0 ]] || names=("$@")

table=()
crashes=0
for name in "${names[@]}"; do
  corpus=$scratch/corpus/$name
  mkdir -p "$corpus"
  "$fuzzer" --seeds "$name" "$corpus"
  before=$(find "$findings" -name "$name-*" | wc -l)
  log=$scratch/$name.log
  # libFuzzer ends with 77 where it found something.
  KIST_FUZZ_TARGET=$name "$fuzzer" "$corpus" "Tests/FuzzTests/Corpora/$name" -max_len="${limits[$name]}" -max_total_time="$seconds" \
    -timeout=20 -rss_limit_mb=3072 -artifact_prefix="$findings/$name-" -print_final_stats=1 >"$log" 2>&1 || true
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  found=$(($(find "$findings" -name "$name-*" | wc -l) - before))
  # A process that could not end in order has found something too.
  [[ -n $executions ]] || { found=$((found > 0 ? found : 1)); executions=0; }
  crashes=$((crashes + found))
  table+=("$(printf '%-18s %12s executions %4s crashes' "$name" "$executions" "$found")")
  echo "soak: fuzz executions, $name = $executions"
  echo "soak: crashes = $found"
  [[ $found == 0 ]] || tail -n 30 "$log"
done

printf '\n== fuzzing, %s s each\n' "$seconds"
printf '%s\n' "${table[@]}"
[[ $crashes == 0 ]] || { echo "fuzz: what was found is in $findings" >&2; exit 1; }
