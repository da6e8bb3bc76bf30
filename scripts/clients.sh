#!/usr/bin/env bash
# The clients in C, Go, Java, Node, PHP and Python: golden vectors, hostile servers, and every operation against the daemon of the debug build.
# Nothing here is ever skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "clients: $1" >&2
  exit 1
}

export KIST_PYTHON=${KIST_PYTHON:-$PWD/.venv/bin/python}
export KIST_PROGRAM=${KIST_PROGRAM:-$PWD/.build/debug/kist}
for product in kist kistd kistd-keys first-example; do
  [[ -x ${KIST_PROGRAM%/*}/$product ]] || fail "there is no $product beside $KIST_PROGRAM: swift build"
done

make --no-print-directory --directory clients/c check

for function in $(grep --only-matching --no-filename --extended-regexp '\bkist_[a-z_]+\(' clients/c/*.h | tr --delete '(' | sort --unique); do
  operation=KIST_OP_${function#kist_}
  grep --quiet --word-regexp "${operation^^}" clients/c/kist_protocol.h && continue # the header is their manual
  grep --quiet --extended-regexp "^\.Fn $function (\"|void$)" packaging/man/kist.3 || fail "the synopsis of kist(3) does not have $function"
done

version=$(sed --quiet 's/.*= "\([0-9.]*\)".*/\1/p' Sources/Format/Wire/ProductVersion.swift)
while read -r file line; do
  grep --quiet --fixed-strings "$line" "$file" || fail "$file is not of version $version"
done <<END
clients/java/pom.xml <version>$version</version>
clients/node/package.json "version": "$version",
clients/php/composer.json "version": "$version",
clients/python/src/kist/__init__.py __version__ = "$version"
END

place=$(mktemp --directory)
trap 'rm -r "$place"' EXIT

# counted LANGUAGE PASSED LEAST
counted() {
  ((${2:-0} >= $3)) || fail "${2:-0} of the $1 client's tests passed, of at least $3"
  echo "$1: $2 passed"
}

node --test --test-reporter=tap clients/node/tests/*.test.js >"$place/tap" || { grep --after-context=20 '^ *not ok' "$place/tap" >&2; fail "the Node client's tests failed"; }
! grep --quiet '# SKIP\|# TODO' "$place/tap" || fail "a test of the Node client was skipped"
counted Node "$(sed --quiet 's/^# pass \([0-9]*\)$/\1/p' "$place/tap")" 596

export GOFLAGS=-mod=readonly GOPROXY=off
[[ -z $(cd clients/go && gofmt -l .) ]] || fail "clients/go: make format"
(cd clients/go && go vet ./...)
(cd clients/go && go test -race -count=1 -v . >"$place/go" 2>&1) || { grep --before-context=5 --after-context=20 '^ *--- FAIL' "$place/go" >&2; fail "the Go client's tests failed"; }
! grep --quiet '^ *--- SKIP' "$place/go" || fail "a test of the Go client was skipped"
counted Go "$(grep --count '^--- PASS' "$place/go")" 33

phpunit --do-not-cache-result --bootstrap clients/php/tests/bootstrap.php --fail-on-warning --fail-on-skipped --fail-on-incomplete --fail-on-risky clients/php/tests >"$place/php" || { tail --lines=60 "$place/php" >&2; fail "the PHP client's tests failed"; }
counted PHP "$(sed --quiet 's/^OK (\([0-9]*\) tests.*/\1/p' "$place/php")" 570

clients/java/tests.sh >"$place/java" 2>&1 || { grep '✘\|\[X\]\|error\|warning' "$place/java" >&2; tail --lines=80 "$place/java" >&2; fail "the Java client's tests failed"; }
grep --quiet '^\[ *0 tests skipped' "$place/java" || fail "a test of the Java client was skipped"
counted Java "$(sed --quiet 's/^\[ *\([0-9]*\) tests successful.*/\1/p' "$place/java")" 588

# What Debian's packages have of the clients in Go, Node, PHP and Java is whole.
DESTDIR=$place/root PREFIX=/usr scripts/install-clients.sh
share=$place/root/usr/share
mkdir -p "$place/installed/node_modules"
cp clients/go/examples/first/main.go "$place/installed"
printf 'module first\n\ngo 1.19\n\nrequire kist v0.0.0\n\nreplace kist => %s\n' "$share/gocode/src/kist" >"$place/installed/go.mod"
(cd "$place/installed" && go build -o first . && go vet kist/kisttest) || fail "golang-kist-dev lacks something"
ln -s "$share/nodejs/kist" "$place/installed/node_modules/kist"
(cd "$place/installed" && node --input-type=module --eval 'import { Client } from "kist"; import "kist/testing"; new Client();') || fail "node-kist lacks something"
php --define include_path="$share/php" --run 'require "Kist/autoload.php"; new Kist\Client(); new ReflectionClass("Kist\Testing\Sandbox");' || fail "php-kist lacks something"
{ find clients/java/examples -name '*.java' -exec javac -d "$place/installed" -cp "$share/java/kist.jar" {} + && javap -cp "$share/java/kist.jar" kist.testing.Sandbox >/dev/null; } || fail "libkist-java lacks something"

# Its figures are nobody's here; that it has one for each language is what counts.
"$KIST_PYTHON" -B benchmarks/clients.py "${KIST_PROGRAM%/*}" --smoke >"$place/bench" || fail "benchmarks/clients.py failed"
(($(grep --count '^| \(C\|Go\|Java\|Node\|Python\|PHP\) .*[0-9]' "$place/bench") == 6)) || { cat "$place/bench" >&2; fail "benchmarks/clients.py has no figures of some language"; }

cd clients/python
"$KIST_PYTHON" -m mypy --no-incremental

"$KIST_PYTHON" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --wheel-dir "$place" .
"$KIST_PYTHON" -m venv --without-pip "$place/clean"
"$KIST_PYTHON" -m zipfile --extract "$place"/kist-*.whl "$place/unpacked"
# The wheel's own files, in a Python that has nothing else.
PYTHONPATH=$place/unpacked "$place/clean/bin/python" -W error -c 'import importlib.resources, kist; assert (importlib.resources.files(kist) / "py.typed").is_file(); kist.Client'

# What is tested is what was packed, its pytest plugin included.
PYTHONPATH=$place/unpacked "$KIST_PYTHON" -W error::ResourceWarning -m pytest --quiet -p no:cacheprovider --numprocesses=2 --dist=loadfile tests | tee "$place/log"
counted Python "$(sed --quiet 's/^\([0-9]*\) passed\b.*/\1/p' "$place/log")" 1565

../matrix.py
