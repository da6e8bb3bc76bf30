#!/usr/bin/env bash
# Compiles the client and its documentation without a warning, and runs its tests with Debian's JUnit.
set -euo pipefail
cd "$(dirname "$0")"

rm -rf build
mkdir --parents build/main build/test
mapfile -t sources < <(find src/main -name '*.java')
javac --release 17 -Xlint:all -Werror -d build/main "${sources[@]}"
javadoc -quiet -Xdoclint:all -Werror -d build/doc "${sources[@]}"

parts=(junit-jupiter-api junit-jupiter-engine junit-jupiter-params junit-platform-commons junit-platform-engine junit-platform-launcher)
parts+=(junit-platform-console junit-platform-reporting opentest4j apiguardian-api picocli univocity-parsers)
classes=build/main:build/test$(printf ':/usr/share/java/%s.jar' "${parts[@]}")
mapfile -t tests < <(find src/test -name '*.java')
javac --release 17 -Xlint:all,-path,-classfile -Werror -d build/test -cp "$classes" "${tests[@]}"
java -cp "$classes" org.junit.platform.console.ConsoleLauncher --disable-banner --fail-if-no-tests --details=tree --disable-ansi-colors \
  --scan-classpath=build/test
